"""Weights: ffbm's samplers against numpyro's NUTS on the paper's three data sets, one thread each.

    python benchmarks/weights.py [--quick]

Smallest effective sample size over all weights per second of processor time (one thread each: other work on the
machine then counts for neither), warm-up included, compile time left out on both sides; time to R-hat below 1.01
in a new process with nothing compiled; one gradient on a million vertices against one scipy.sparse product. Prints
tables and writes results/weights.json. The memberships and splits are those of the folder FFBM_SHARED/reference;
numpyro runs from .venv-peers (``make peers``), and is left out where that is missing.
"""

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
import tracemalloc
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

import numpy as np

HERE = Path(__file__).parent
RESULTS = HERE / "results" / "weights.json"
PEER = HERE.parent / ".venv-peers" / "bin" / "python"
ONE_THREAD = {
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "XLA_FLAGS": "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1",
}
# chains that numpyro runs: ESS per second does not depend on them, and on facebook one takes a minute or more
DATASETS = {"polbooks": 4, "school": 4, "facebook": 2}
WARMUP, DRAWS = 500, 1000
FIXED = {"weight_prior": "fixed", "progress": False}
# ffbm computes in double precision; numpyro does so if asked, and in single precision if left alone
LABELS = {"hmc": "hmc", "mala": "mala", "numpyro": "numpyro double", "numpyro_single": "numpyro single"}


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--quick", action="store_true", help="no facebook with numpyro, no cold starts")
    options.add_argument("--peer", help=argparse.SUPPRESS)
    options.add_argument("--cold", help=argparse.SUPPRESS)
    chosen = options.parse_args()
    if chosen.peer:
        return run_numpyro(Path(chosen.peer))
    if chosen.cold:
        return run_cold(chosen.cold)
    if "FFBM_SHARED" not in os.environ:
        print("set FFBM_SHARED to the folder that holds reference/theta_*.npz; nothing was measured")
        return None
    os.environ.update(ONE_THREAD)
    results = {
        "date": datetime.now(UTC).strftime("%Y-%m-%d"),
        "versions": {name: version(name) for name in ("ffbm", "numpy", "scipy", "numba")},
        "python": platform.python_version(),
        "chains_draws_warmup": [4, DRAWS, WARMUP],
        "datasets": {name: compare(name, chosen.quick) for name in DATASETS},
        "gradient": large_gradient(),
    }
    if not chosen.quick:
        results["cold_start"] = {name: cold_start(name) for name in DATASETS}
    show(results)
    if not chosen.quick:
        RESULTS.parent.mkdir(exist_ok=True)
        RESULTS.write_text(json.dumps(results, indent=1) + "\n")
        print(f"written to {RESULTS.relative_to(HERE.parent)}")
    return None


def data_of(name):
    import scipy.sparse as sp

    import ffbm

    held = np.load(Path(os.environ["FFBM_SHARED"]) / "reference" / f"theta_{name}.npz")
    x = ffbm.load_dataset(name).features.values
    return x.toarray() if sp.issparse(x) else x, held["memberships"], held["train"]


def summary_of(draws, seconds):
    from ffbm.diagnostics import summarise

    plain, squared = summarise(draws), summarise((draws - draws.mean(axis=(0, 1))) ** 2)
    ess = float(plain.ess_bulk.min())
    return {
        "seconds": seconds,
        "ess_bulk_min": ess,
        "ess_tail_min": float(plain.ess_tail.min()),
        "ess_square_min": float(squared.ess_mean.min()),
        "rhat_max": float(plain.rhat.max()),
        "ess_per_second": ess / seconds,
        "ess_tail_per_second": float(plain.ess_tail.min()) / seconds,
        "ess_square_per_second": float(squared.ess_mean.min()) / seconds,
    }


def compare(name, quick):
    from ffbm.pipeline.weights import sample_weights

    x, y, rows = data_of(name)
    results = {}
    for sampler in ("hmc", "mala"):
        sample_weights(x, y, rows, sampler=sampler, n_draws=10, n_warmup=10, **FIXED)
        times = []
        for seed in range(1 if name == "facebook" else 5):
            started = time.process_time()
            trace = sample_weights(
                x, y, rows, sampler=sampler, n_draws=DRAWS, n_warmup=WARMUP, seed=seed, workers=1, **FIXED
            )
            times.append(time.process_time() - started)
        results[sampler] = summary_of(trace.weights, float(np.median(times)))
        results[sampler]["gradients_per_draw"] = float(trace.n_steps.mean())
        print(f"{name} {sampler}: {results[sampler]['ess_per_second']:,.0f} a second", flush=True)
    if not PEER.exists() or (quick and name == "facebook"):
        return results
    for peer, double in (("numpyro", True), ("numpyro_single", False)):
        draws, seconds, peer_version = peer_draws(x[rows], y[rows], DATASETS[name], double)
        results[peer] = summary_of(draws, seconds) | {"version": peer_version}
        print(f"{name} {peer}: {results[peer]['ess_per_second']:,.1f} a second", flush=True)
        results[peer]["ratios"] = {
            kind: results["hmc"][f"{kind}_per_second"] / results[peer][f"{kind}_per_second"]
            for kind in ("ess", "ess_tail", "ess_square")
        }
    return results


def peer_draws(x, y, n_chains, double):
    with tempfile.TemporaryDirectory() as folder:
        at = Path(folder) / "data.npz"
        np.savez(at, x=x, y=y, n_chains=n_chains, n_warmup=WARMUP, n_draws=DRAWS, double=double)
        subprocess.run([PEER, __file__, "--peer", at], check=True, env=os.environ | ONE_THREAD)
        with np.load(Path(folder) / "out.npz") as out:
            return out["draws"], float(out["seconds"]), str(out["version"])


def run_numpyro(at):
    """Run in .venv-peers: NUTS with numpyro's defaults on the model as one writes it there.

    ``MCMC.run`` compiles anew for every chain, also when it is run a second time; so one chain, warm-up and
    draws, is one compiled function here, and only its calls are timed.
    """
    import jax
    import jax.numpy as jnp
    import numpyro
    from numpyro.distributions import Normal
    from numpyro.infer import NUTS

    given = np.load(at)
    jax.config.update("jax_enable_x64", bool(given["double"]))
    x, y = jnp.asarray(given["x"]), jnp.asarray(given["y"])
    shape, n_warmup, n_draws = (y.shape[1], x.shape[1]), int(given["n_warmup"]), int(given["n_draws"])

    def model():
        w = numpyro.sample("w", Normal(0.0, 1.0).expand(shape).to_event(2))
        numpyro.factor("likelihood", jnp.sum(y * jax.nn.log_softmax(x @ w.T, axis=1)))

    kernel = NUTS(model)

    def begin(chain):
        return kernel.init(jax.random.PRNGKey(chain), n_warmup, None, (), {})

    def move(state, _):
        state = kernel.sample(state, (), {})
        return state, state.z["w"]

    @jax.jit
    def chain(state):
        state, _ = jax.lax.scan(lambda s, _: (move(s, _)[0], None), state, None, length=n_warmup)
        return jax.lax.scan(move, state, None, length=n_draws)[1]

    compiled = chain.lower(begin(0)).compile()
    draws, seconds = [], 0.0
    for number in range(1, 1 + int(given["n_chains"])):
        state = begin(number)
        started = time.process_time()
        draws.append(np.asarray(compiled(state), dtype=np.float64))
        seconds += time.process_time() - started
    np.savez(at.parent / "out.npz", draws=np.stack(draws), seconds=seconds, version=numpyro.__version__)


def cold_start(name):
    with tempfile.TemporaryDirectory() as folder:
        started = time.perf_counter()
        out = subprocess.run(
            [sys.executable, __file__, "--cold", name],
            check=True,
            env=os.environ | {"XDG_CACHE_HOME": folder},
            capture_output=True,
            text=True,
        )
        return {"seconds": time.perf_counter() - started, "rhat_max": float(out.stdout)}


def run_cold(name):
    from ffbm.diagnostics import summarise
    from ffbm.pipeline.weights import sample_weights

    x, y, rows = data_of(name)
    worst, n_draws = np.inf, 500
    while worst >= 1.01:
        n_draws *= 2
        worst = float(summarise(sample_weights(x, y, rows, n_draws=n_draws, **FIXED).weights).rhat.max())
    print(worst)


def large_gradient(n=1_000_000, n_features=1000, n_flags=10, n_blocks=20):
    import scipy.sparse as sp

    from ffbm.kernels.softmax import TILE, energy_and_gradient
    from ffbm.theta.prepare import weight_target

    rng = np.random.default_rng(0)
    # one flag out of each of ten ranges, so that no vertex has a flag twice
    indices = rng.integers(0, n_features // n_flags, (n, n_flags)) + np.arange(n_flags) * (n_features // n_flags)
    x = sp.csr_array((np.ones(n * n_flags), indices.ravel().astype(np.int32), np.arange(n + 1) * n_flags))
    y = rng.dirichlet(np.ones(n_blocks), n)
    data_bytes = x.data.nbytes + x.indices.nbytes + x.indptr.nbytes + y.nbytes
    tracemalloc.start()
    target = weight_target(x, y).kernel
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    w = rng.normal(size=(n_features, n_blocks))
    g, tile = np.empty_like(w), np.empty((TILE, n_blocks))
    both = {
        "gradient_seconds": lambda: energy_and_gradient(target, w, g, tile),
        "product_seconds": lambda: x @ w,
    }
    best = dict.fromkeys(both, np.inf)
    for _ in range(6):
        for name, function in both.items():
            started = time.perf_counter()
            function()
            best[name] = min(best[name], time.perf_counter() - started)
    return best | {
        "ratio": best["gradient_seconds"] / best["product_seconds"],
        "peak_memory_over_data": (data_bytes + peak) / data_bytes,
    }


def show(results):
    print(f"\n{'':10}{'sampler':>16}{'seconds':>9}{'ESS':>8}{'tail':>8}{'squares':>9}{'ESS/s':>11}{'R-hat':>8}")
    for name, row in results["datasets"].items():
        for sampler, label in LABELS.items():
            if sampler in row:
                s = row[sampler]
                print(
                    f"{name:10}{label:>16}{s['seconds']:9.3f}{s['ess_bulk_min']:8.0f}{s['ess_tail_min']:8.0f}"
                    f"{s['ess_square_min']:9.0f}{s['ess_per_second']:11,.1f}{s['rhat_max']:8.4f}"
                )
        for peer in ("numpyro", "numpyro_single"):
            if peer in row:
                r = row[peer]["ratios"]
                print(
                    f"{name:10}hmc / {LABELS[peer]}: {r['ess']:,.1f} (bulk), {r['ess_tail']:,.1f} (tail),"
                    f" {r['ess_square']:,.1f} (squares)"
                )
    g = results["gradient"]
    print(
        f"one gradient, a million vertices: {g['gradient_seconds']:.3f} s,"
        f" {g['ratio']:.2f} times a scipy.sparse product; peak memory {g['peak_memory_over_data']:.2f} times the data"
    )
    for name, row in results.get("cold_start", {}).items():
        print(f"{name:10}R-hat {row['rhat_max']:.4f} after {row['seconds']:.1f} s from a cold start")


if __name__ == "__main__":
    main()
