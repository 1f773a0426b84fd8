"""The feature level: the posterior of the weights given memberships, p(theta | X, y)."""
