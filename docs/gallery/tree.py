"""Blocks at every scale."""

import numpy as np
import pandas as pd

import ffbm

# twelve groups of 20 vertices, in threes: edges mostly inside a group, then inside a region
rng = np.random.default_rng(4)
group = np.repeat(np.arange(12), 20)
region = group // 3
same_group, same_region = group[:, None] == group, region[:, None] == region
chance = np.where(same_group, 0.5, np.where(same_region, 0.12, 0.01))
pairs = np.argwhere(np.triu(rng.random((240, 240)) < chance, 1))
people = pd.DataFrame({"region": [f"r{r}" for r in region], "team": [f"t{g % 3}" for g in group]})
net = ffbm.as_network(pairs, features=people)

fit = ffbm.fit(net, hierarchy=True, n_sweeps=400, seed=1)
figure = fit.plot.tree(title="Regions above groups, and what splits them")
