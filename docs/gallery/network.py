"""The network by block."""

import ffbm

net = ffbm.load_dataset("polbooks")
fit = ffbm.fit(net, n_blocks=3, seed=1)
figure = fit.plot.network(title="Books on US politics, bought together")
