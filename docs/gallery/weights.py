"""Weights by block."""

import ffbm

net = ffbm.load_dataset("polbooks")
fit = ffbm.fit(net, n_blocks=3, seed=1)
figure = fit.plot.weights(centred=True, title="Weights by block, less their mean over blocks")
