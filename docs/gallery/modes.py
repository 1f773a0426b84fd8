"""Modes."""

import itertools

import numpy as np

import ffbm

# four cliques in a ring, linked alike: two ways to pair neighbours are equally good
rng = np.random.default_rng(0)
links = rng.integers(0, 8, (10, 2))
inside = [(8 * c + i, 8 * c + j) for c in range(4) for i, j in itertools.combinations(range(8), 2)]
across = [(8 * c + i, 8 * ((c + 1) % 4) + j) for c in range(4) for i, j in links]
net = ffbm.as_network(inside + across, features=np.repeat([[1, 0], [1, 0], [0, 1], [0, 1]], 8, axis=0))

fit = ffbm.fit(net, n_blocks=2, n_sweeps=4000, seed=0)  # warns: chains stay in one picture for long
figure = fit.plot.modes(title="Two pictures of one network")
