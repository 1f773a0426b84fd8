"""Blocks and the edges between them."""

import ffbm

made = ffbm.simulate(n_nodes=240, n_blocks=4, n_edges=2400, features=8, sigma=1.5, contrast=20, seed=12)
fit = ffbm.fit(made.network, n_blocks=4, seed=1)
figure = fit.plot.block_graph(title="Four blocks of 240 vertices")
