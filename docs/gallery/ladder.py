"""Exchanges."""

import ffbm

net = ffbm.load_dataset("polbooks")
fit = ffbm.fit(net, n_blocks=3, tempering=True, seed=1)
figure = fit.plot.ladder(title="How often neighbouring temperatures exchange")
