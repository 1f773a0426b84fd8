"""Edges between blocks."""

import ffbm

core_and_two_rims = [[9, 3, 3], [3, 4, 0.2], [3, 0.2, 4]]
made = ffbm.simulate(200, n_edges=3000, block_matrix=core_and_two_rims, degree_exponent=2.5, seed=1)
fit = ffbm.fit(made.network, n_blocks=3, seed=1)
figure = fit.plot.block_matrix(title="Edges between blocks")
