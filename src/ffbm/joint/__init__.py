"""The model's own posterior, p(b, theta | A, X): labels and weights in one chain."""
