"""What the model misses."""

import ffbm

net = ffbm.load_dataset("polbooks")
fit = ffbm.fit(net, n_blocks=3, seed=1)
figure = fit.plot.check(title="polbooks")
