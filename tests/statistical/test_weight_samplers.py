"""One battery for every sampler of the weights: laws known in closed form or by quadrature.

A case gives the exact expectation of some functions of the weights; a sampler passes if the mean of each function
over its draws lies within 4.5 standard errors, which its effective sample size gives. Faults planted in
the kernels on purpose must fail.
"""

import inspect
from types import ModuleType

import numpy as np
import pytest

from ffbm.diagnostics import ess_mean
from ffbm.kernels import weightchain
from ffbm.pipeline.weights import sample_weights

SAMPLERS = ("hmc", "mala")
ALLOWED = 4.5


def gaussian():
    """Small features on many vertices: the likelihood is quadratic, with a mean and correlations of its own.

    To second order U = <W, n sum(x (1/B - y))> + tr(W' C W X'X) / (2B) + |W|^2 / (2 sigma^2).
    """
    eps, n, n_blocks, sigma = 0.004, 30_000, 3, 1.5
    kinds = eps * np.array([[1.0, 0.0], [1.0, 1.0], [0.0, -1.0], [2.0, 1.0]])
    x = np.repeat(kinds, n, axis=0)
    tilt = np.array([[0.01, 0.0, -0.01], [-0.01, 0.02, -0.01], [0.0, -0.01, 0.01], [0.005, -0.005, 0.0]])
    y = np.repeat(1 / n_blocks + tilt, n, axis=0)
    centring = np.eye(n_blocks) - 1 / n_blocks
    precision = np.kron(centring / n_blocks, n * kinds.T @ kinds) + np.eye(6) / sigma**2
    cov = np.linalg.inv(precision)
    mean = cov @ (n * tilt.T @ kinds).ravel()
    flat = lambda w: w.reshape(*w.shape[:2], 6)  # noqa: E731
    checks = [(lambda w, i=i: flat(w)[..., i], mean[i]) for i in range(6)]
    checks += [
        (lambda w, i=i, j=j: (flat(w)[..., i] - mean[i]) * (flat(w)[..., j] - mean[j]), cov[i, j])
        for i in range(6)
        for j in range(i + 1)
    ]
    return {"features": x, "members": y, "sigma": sigma}, checks


def one_vertex():
    """One vertex, one feature, a hard label: the contrast v = (w_0 - w_1)/sqrt(2) has a skewed law."""
    x, sigma = 4.0, 1.7
    v = np.linspace(-12 * sigma, 12 * sigma, 40_001)
    u = np.logaddexp(0, -np.sqrt(2) * x * v) + v**2 / (2 * sigma**2)
    p = np.exp(-u)
    p /= p.sum()
    mean = p @ v
    powers = [(lambda w, k=k: (contrast(w) - mean) ** k, p @ (v - mean) ** k) for k in (2, 3)]
    checks = [(contrast, mean), *powers]
    checks += [(lambda w, q=q: 1.0 * (contrast(w) < q), p[v < q].sum()) for q in (-0.3, 0.5, 2.0)]
    checks += [(lambda w: w.mean(axis=2)[..., 0] ** 2, sigma**2 / 2)]
    checks += [("energy", p @ u + 0.5)]
    return {"features": np.array([[x]]), "members": [0], "sigma": sigma, "n_blocks": 2}, checks


def two_features():
    """Five vertices, two features, soft and hard memberships, some vertices held out: a law on a plane, by a grid."""
    x = np.array([[1.0, 0.0], [1.0, 2.0], [0.0, -1.5], [3.0, 1.0], [9.0, 9.0]])
    y = np.array([[1.0, 0.0], [0.2, 0.8], [0.6, 0.4], [1.0, 0.0], [0.0, 1.0]])
    sigma, rows = 0.9, [0, 1, 2, 3]
    line = np.linspace(-8 * sigma, 8 * sigma, 801)
    v = np.stack(np.meshgrid(line, line, indexing="ij"), axis=-1)
    z = np.sqrt(2) * np.einsum("abd,id->abi", v, x[rows])
    u = (y[rows, 0] * np.logaddexp(0, -z) + y[rows, 1] * np.logaddexp(0, z)).sum(axis=-1)
    u += (v**2).sum(axis=-1) / (2 * sigma**2)
    p = np.exp(-u)
    p /= p.sum()
    means = np.einsum("ab,abd->d", p, v)
    checks = [(lambda w, d=d: contrast(w, d), means[d]) for d in (0, 1)]
    for d, e in ((0, 0), (0, 1), (1, 1)):
        exact = (p * (v[..., d] - means[d]) * (v[..., e] - means[e])).sum()
        checks.append((lambda w, d=d, e=e: (contrast(w, d) - means[d]) * (contrast(w, e) - means[e]), exact))
    checks.append((lambda w: (contrast(w, 0) - means[0]) ** 3, (p * (v[..., 0] - means[0]) ** 3).sum()))
    checks.append(("energy", (p * u).sum() + 1.0))
    return {"features": x, "members": y, "sigma": sigma, "rows": rows}, checks


def contrast(w, d=0):
    return (w[:, :, 0, d] - w[:, :, 1, d]) / np.sqrt(2)


CASES = {f.__name__: f for f in (gaussian, one_vertex, two_features)}


def deviations(case, sampler, n_draws=8000, seed=11, **changes):
    """How many standard errors each check of a case is off."""
    given, checks = CASES[case]()
    given = given | changes
    n_blocks = given.pop("n_blocks", None)
    if n_blocks:  # labels that leave a block empty
        given["members"] = np.eye(n_blocks)[given["members"]]
    trace = sample_weights(**given, sampler=sampler, n_draws=n_draws, seed=seed, progress=False)
    off = []
    for function, exact in checks:
        value = trace.energy if isinstance(function, str) else function(trace.weights)
        off.append((value.mean() - exact) / (value.std() / np.sqrt(ess_mean(value))))
    return np.abs(off)


@pytest.mark.parametrize("sampler", SAMPLERS)
@pytest.mark.parametrize("case", CASES)
def test_every_sampler_has_the_right_law(case, sampler):
    assert deviations(case, sampler).max() < ALLOWED


def test_the_papers_annealed_steps_leave_the_law_alone():
    assert deviations("two_features", "mala", annealing=4.0).max() < ALLOWED


def planted(right, wrong):
    """The chain kernels compiled from source with one fault in it."""
    source = inspect.getsource(weightchain)
    assert source.count(right) == 1, f"{right!r} stands {source.count(right)} times"
    module = ModuleType("planted")
    faulty = source.replace(right, wrong).replace("cache=True", "cache=False")
    exec(compile(faulty, "<planted>", "exec"), module.__dict__)
    return module


FAULTS = {
    # the authors' slip: densities of variance 1 where the noise has variance 2h
    "proposal variance 1": ("mala", "(there - back) / (4.0 * h)", "(there - back) / 2.0"),
    "no Hastings ratio": ("mala", "u - u_new + langevin_log_ratio(w, g, w_new, g_new, h)", "u - u_new"),
    "noise of variance h": ("mala", "noise = sqrt(2.0 * h)", "noise = sqrt(h)"),
    "never refused": ("mala", "if rng.random() < acceptance:", "if rng.random() < 2.0:"),
    "kinetic energy left out": ("hmc", "error = u - u_old + kinetic", "error = u - u_old"),
    "trajectory not reversible": (
        "hmc",
        "kinetic = kick(g, q, v, INNER * h)",
        "kinetic = kick(g, q, v, 0.0)",
    ),
    "always accepted": ("hmc", "if not rng.random() < acceptance:", "if not rng.random() < 2.0:"),
    "mean over blocks too wide": ("hmc", "rng.standard_normal() / sqrt(n_blocks)", "rng.standard_normal()"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_planted_fault_fails_the_battery(fault, monkeypatch):
    sampler, right, wrong = FAULTS[fault]
    module = planted(right, wrong)
    monkeypatch.setattr(f"ffbm.theta.chain.run_{sampler}", getattr(module, f"run_{sampler}"))
    worst = max(deviations(case, sampler).max() for case in ("one_vertex", "two_features"))
    assert worst > 2 * ALLOWED


def test_the_authors_program_fails_the_battery(monkeypatch):
    """Proposal variance 1 and the likelihood's gradient over n, both, with its step sizes."""
    source = inspect.getsource(weightchain)
    head, tail = source.split("def run_mala(")
    slip = "(there - back) / 2.0"
    drift = "w_new[d, k] = w[d, k] - h * g[d, k] + noise * w_new[d, k]"
    over_n = "w_new[d, k] = w[d, k] - h * (w[d, k] * p[d] + (g[d, k] - w[d, k] * p[d]) / n_rows) + noise * w_new[d, k]"
    assert tail.count(drift) == 1
    tail = tail.replace(drift, over_n).replace(
        "    row, stored = 0, 0\n", "    row, stored = 0, 0\n    p, n_rows = model.precision, model.counts.sum()\n"
    )
    head = head.replace("(there - back) / (4.0 * h)", slip)
    module = ModuleType("planted")
    exec(
        compile((head + "def run_mala(" + tail).replace("cache=True", "cache=False"), "<planted>", "exec"),
        module.__dict__,
    )
    monkeypatch.setattr("ffbm.theta.chain.run_mala", module.run_mala)
    assert deviations("two_features", "mala", annealing=4.0).max() > 2 * ALLOWED


@pytest.mark.parametrize("sampler", SAMPLERS)
@pytest.mark.parametrize("changes", [{"sigma": 1.0}, {"rows": None}])
def test_ignoring_sigma_or_rows_fails_the_battery(sampler, changes):
    assert deviations("two_features", sampler, **changes).max() > 2 * ALLOWED


@pytest.mark.parametrize("sampler", SAMPLERS)
def test_without_training_vertices_the_prior_is_drawn_exactly(sampler):
    x = np.ones((3, 2))
    trace = sample_weights(x, np.eye(3), rows=[], sigma=0.5, sampler=sampler, n_draws=4000, progress=False)
    assert (trace.acceptance_rate == 1).all()
    n = trace.weights[..., 0, 0].size
    np.testing.assert_allclose(trace.mean, 0, atol=4.5 * 0.5 / np.sqrt(n))
    np.testing.assert_allclose(trace.sd, 0.5, rtol=4.5 / np.sqrt(2 * n))
    assert trace.energy.mean() == pytest.approx(3, abs=4.5 * np.sqrt(3 / n))  # half of the B D = 6 dimensions


def test_weights_of_a_feature_that_no_training_vertex_has_are_the_priors():
    rng = np.random.default_rng(0)
    x = np.column_stack((rng.random((40, 2)) < 0.5, np.zeros(40)))
    x[-1, 2] = 1  # held out
    labels = rng.integers(0, 3, 40)
    trace = sample_weights(x, labels, rows=np.arange(39), sigma=2.0, n_draws=4000, progress=False)
    w = trace.weights[..., 2]
    assert np.abs(w.mean(axis=(0, 1))).max() < 4.5 * 2 / np.sqrt(16_000)
    np.testing.assert_allclose(w.std(axis=(0, 1)), 2, rtol=4.5 / np.sqrt(32_000))
    shared = np.corrcoef(w.reshape(-1, 3).T)
    assert np.abs(shared - np.eye(3)).max() < 4.5 / np.sqrt(16_000)
