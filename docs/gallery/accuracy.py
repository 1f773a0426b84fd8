"""Block accuracy."""

import ffbm

net = ffbm.load_dataset("polbooks")
fit = ffbm.fit(net, n_blocks=3, seed=1)
figure = fit.plot.accuracy(title="Block accuracy")
