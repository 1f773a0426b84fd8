"""A short look at an installed package from outside its checkout: does the main thing work?"""

import subprocess
import sys

import ffbm

assert "site-packages" in ffbm.__file__, ffbm.__file__
said = subprocess.run([sys.executable, "-m", "ffbm", "--version"], capture_output=True, text=True, check=True)
assert ffbm.__version__ in said.stdout, said.stdout
net = ffbm.load_dataset("polbooks")
assert net.n_nodes == 105, net
if "--no-fit" not in sys.argv:
    fit = ffbm.fit(net, n_blocks=3, seed=1, progress=False)
    assert abs(fit.scores.description_length_without_partition - 2.25) < 0.002, fit.scores
    assert fit.converged, fit.converged.reason
