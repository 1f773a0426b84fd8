"""The energy and its gradient against autodiff, and a posterior against NUTS, from .venv-peers."""

import subprocess
from pathlib import Path

import numpy as np
import pytest
from tests.theta.test_target import from_kernel

from ffbm.diagnostics import ess_mean
from ffbm.pipeline.weights import sample_weights
from ffbm.theta.prepare import weight_target
from ffbm.theta.target import energy, gradient

PEER = Path(__file__).parents[2] / ".venv-peers" / "bin" / "python"

pytestmark = [
    pytest.mark.peer,
    pytest.mark.skipif(not PEER.exists(), reason="needs numpyro in .venv-peers: make peers"),
]

AUTODIFF = """
import sys
import jax, jax.numpy as jnp, numpy as np
jax.config.update("jax_enable_x64", True)
given = np.load(sys.argv[1])
x, y, sigma = given["x"], given["y"], given["sigma"]
def energy(w):
    return -jnp.sum(y * jax.nn.log_softmax(x @ w.T, axis=1)) + jnp.sum(w**2) / (2 * sigma**2)
u, g = jax.value_and_grad(energy)(jnp.asarray(given["w"]))
np.savez(sys.argv[2], u=u, g=g)
"""

NUTS = """
import sys
import jax, jax.numpy as jnp, numpy as np, numpyro
from numpyro.distributions import Normal
from numpyro.infer import MCMC, NUTS
jax.config.update("jax_enable_x64", True)
given = np.load(sys.argv[1])
x, y, sigma = given["x"], given["y"], float(given["sigma"])
def model():
    w = numpyro.sample("w", Normal(0.0, sigma).expand((y.shape[1], x.shape[1])).to_event(2))
    numpyro.factor("likelihood", jnp.sum(y * jax.nn.log_softmax(x @ w.T, axis=1)))
options = {"num_warmup": 500, "num_samples": 2000, "num_chains": 4, "chain_method": "vectorized"}
sampler = MCMC(NUTS(model), progress_bar=False, **options)
sampler.run(jax.random.PRNGKey(0))
np.savez(sys.argv[2], w=sampler.get_samples(group_by_chain=True)["w"])
"""


def case():
    rng = np.random.default_rng(8)
    x = np.column_stack(((rng.random((80, 3)) < 0.4), rng.normal(size=(80, 2))))
    return {"x": x, "y": rng.dirichlet(np.full(3, 0.3), 80), "w": rng.normal(size=(3, 5)), "sigma": 1.4}


def run(program, given, folder):
    np.savez(folder / "in.npz", **given)
    subprocess.run([PEER, "-c", program, folder / "in.npz", folder / "out.npz"], check=True, capture_output=True)
    return np.load(folder / "out.npz")


def test_energy_and_gradient_are_those_of_autodiff(tmp_path):
    given = case()
    out = run(AUTODIFF, given, tmp_path)
    x, y, w, sigma = (given[name] for name in ("x", "y", "w", "sigma"))
    assert energy(w, x, y, sigma) == pytest.approx(float(out["u"]), abs=1e-10)
    np.testing.assert_allclose(gradient(w, x, y, sigma), out["g"], atol=1e-10)
    u, g = from_kernel(weight_target(x, y, sigma=sigma), w)
    assert u == pytest.approx(float(out["u"]), abs=1e-10)
    np.testing.assert_allclose(g, out["g"], atol=1e-10)


def test_mean_and_sd_are_those_of_nuts(tmp_path):
    given = case()
    theirs = run(NUTS, given, tmp_path)["w"]
    ours = sample_weights(given["x"], given["y"], sigma=given["sigma"], n_draws=4000, progress=False).weights
    (mean, error, sd, error_sd), (mean2, error2, sd2, error_sd2) = map(moments, (ours, theirs))
    assert (np.abs(mean - mean2) / np.hypot(error, error2)).max() < 5
    assert (np.abs(np.log(sd / sd2)) / np.hypot(error_sd, error_sd2)).max() < 5


def moments(w):
    mean, sd = w.mean(axis=(0, 1)), w.std(axis=(0, 1))
    return mean, sd / np.sqrt(ess_mean(w)), sd, 1 / np.sqrt(2 * ess_mean((w - mean) ** 2))
