"""Is the selection of columns calibrated? ``python benchmarks/selection.py [PART ...]``, blocks being given.

``reliability``: inclusion, scales and weights are drawn from the prior, labels from them; how many columns of a given
inclusion probability are included in truth. ``inferred``: the same with a network in place of labels, for both targets.
``null``: features permuted over vertices, and 200 flags of noise.
``planted``: true columns among those of a network, weak and strong; what is decided, what the paper's rule keeps, and
what lasso regression does. ``starts``: chains that begin with no column and with all, six of each. ``quality``: loss on
vertices held out under the learned prior, all columns included, under the fixed one, and of ridge regression. In the
last two the number of blocks is found, but for Caltech's starts. A part ends after some minutes; another call goes on
from its record. Needs FFBM_SHARED and FFBM_DATA. Writes results/selection.json.
"""

import warnings
from functools import cache

import numpy as np
import record
import scipy.sparse as sp
from record import run_parts, say, study
from relevance import network_of, timed

import ffbm
from ffbm.joint.chain import JointSettings
from ffbm.joint.selection import advance, column_setup, start
from ffbm.scoring import fold_rows, predict
from ffbm.theta.mode import find_mode
from ffbm.theta.prepare import weight_target
from ffbm.verification import joint_selection
from ffbm.verification.calibration import Size
from ffbm.verification.selection import draw_memberships

record.PIECE = 5 * 60
INTERCEPT_SD = 1.28
BLOCKS = {  # of the chain whose last draw is given; the reference has polbooks, school and facebook
    "polbooks": None, "school": None, "lazega_law": 4, "lazega_advice": 4, "knecht_w1": 3, "football": 11,
    "facebook_698": 6, "sp_highschool_2013": 9, "sp_workplace_InVS15": 12, "physicians": 5, "celegans_chemical": 8,
    "facebook_348": 10, "polblogs_directed": 4, "us_airports": 10, "fb100cat_Caltech36": 12, "hamsterster": 8,
    "facebook": None,
}  # fmt: skip
LARGE = ("facebook_348", "polblogs_directed", "us_airports", "fb100cat_Caltech36", "hamsterster", "facebook")
NOISE = "200 flags of noise"
INFERRED, N_INFERRED = Size(40, 3, 90), 100  # vertices, blocks and edges; networks
N_PERMUTATIONS, N_PRIOR, N_PLANTED, N_SEEDS, N_FOLDS = 10, 200, 150, 6, 5
TABLES = (
    ("facebook_348", 40),
    ("facebook_348", None),
    ("facebook_698", None),
    ("physicians", None),
    ("lazega_law", None),
)
STARTS = {"lazega_law": 1500, "school": 1500, "facebook_348": 4000, "fb100cat_Caltech36": 300}  # sweeps of a chain
SLOW = ("fb100cat_Caltech36",)  # with the 41 blocks that are found a sweep takes too long
QUALITY = ("polbooks", "school", "lazega_law", "sp_highschool_2013", "facebook_348", "fb100cat_Caltech36")
SIGMAS = np.geomspace(0.1, 10, 9)


@cache
def given(name):
    """Return features and labels of a network, or of flags drawn by chance."""
    if name == NOISE:
        flags = np.random.default_rng(1).random((400, 200)) < np.random.default_rng(2).uniform(0.05, 0.5, 200)
        return flags.astype(float), np.repeat([0, 1, 2, 3], [120, 110, 90, 80])
    net, labels = network_of(name, BLOCKS[name])
    return net.features, labels


@cache
def blocks_found(name):
    """Return features and labels of a network, the number of blocks being found."""
    net, labels = network_of(name, reference=False)
    return net.features, labels


def select(features, labels, n_sweeps, seed, n_chains=2, **options):
    """Return a trace with columns selected, and next to no draws of the full model."""
    few = {"n_draws": 20, "n_warmup": 20, "n_sweeps": n_sweeps, "n_chains": n_chains, "seed": seed}
    return timed(features, labels, weight_prior="learned", **few | options)


# reliability


def draw_columns(rng, n):
    """Return features and the column of each: flags, one with a near twin, a rare one, values, and numbers."""
    flag, value, covering, number = (
        rng.random(n) < 0.5,
        rng.integers(0, 4, n),
        rng.integers(0, 6, n),
        rng.normal(size=n),
    )
    columns = [
        [flag], [flag ^ (rng.random(n) < 0.1)], [value == v for v in range(3)], [covering == v for v in range(6)],
        [number], [0.8 * number + 0.6 * rng.normal(size=n)], [rng.random(n) < 0.05],
    ]  # fmt: skip
    x = np.column_stack([feature for column in columns for feature in column]).astype(float)
    return x, np.repeat(np.arange(len(columns)), [len(column) for column in columns])


def draw_labels(rng, x, scales, n_blocks):
    """Return memberships drawn from weights with these scales (D,) and an intercept."""
    w = rng.normal(size=(n_blocks, len(scales) + 1)) * np.append(scales, INTERCEPT_SD)
    return draw_memberships(rng, x, w)


def one_of_the_prior(number):
    rng = np.random.default_rng([11, number])
    x, column = draw_columns(rng, int(rng.integers(100, 151)))
    n_columns = int(column.max()) + 1
    inside = rng.random(n_columns) < rng.beta(1, n_columns)
    scales = np.where(inside, np.sqrt(3 / rng.chisquare(3, n_columns)), 0.0)
    y = draw_labels(rng, x, scales[column], 3 + number % 2)
    groups = {f"column {g}": [str(j) for j in np.flatnonzero(column == g)] for g in range(n_columns)}
    trace, _ = select(x, y, 300, number, column_groups=groups)
    relevance = ffbm.judge_columns(trace)
    return {
        "inclusion": trace.selected.probability.round(4).tolist(),
        "truth": inside.astype(int).tolist(),
        "decided": list(map(int, relevance.decided)),
        "error": round(float(trace.selected.error.max()), 4),
    }


def by_tenth(chance, truth):
    """Return, for inclusion probabilities in each tenth, how many columns are included in truth and were to be."""
    tenth = np.minimum((chance * 10).astype(int), 9)
    rows = []
    for at in range(10):
        own = tenth == at
        if own.any():
            p = chance[own]
            spread = float(np.sqrt((p * (1 - p)).sum()))
            off = float(truth[own].sum() - p.sum()) / max(spread, 1e-9)
            rows.append(
                {"from": at / 10, "to": (at + 1) / 10, "columns": int(own.sum()), "expected": float(p.sum()),
                 "included": int(truth[own].sum()), "mean": float(p.mean()), "rate": float(truth[own].mean()),
                 "error": spread / int(own.sum()), "off": off}
            )  # fmt: skip
    return rows


def reliability():
    sets, kept = study("selection", "reliability", N_PRIOR, one_of_the_prior)
    chance = np.concatenate([one["inclusion"] for one in sets])
    truth = np.concatenate([one["truth"] for one in sets])
    rows = by_tenth(chance, truth)
    decided = [one["truth"][g] for one in sets for g in one["decided"]]
    error = max(one["error"] for one in sets)
    worst = max(abs(row["off"]) for row in rows)
    say(
        f"reliability: {len(sets)} data sets, {len(chance)} columns, {truth.sum()} included in truth,"
        f" {chance.sum():.1f} expected; tenths off by at most {worst:.1f} standard errors; {len(decided)} decided,"
        f" {len(decided) - sum(decided)} of them wrongly"
    )
    return kept | {
        "columns": len(chance), "included": int(truth.sum()), "expected": float(chance.sum()), "rows": rows,
        "worst": worst, "decided": len(decided), "decided_wrongly": len(decided) - int(sum(decided)),
        "monte_carlo_error": error,
    }  # fmt: skip


# inferred


def one_inferred(number):
    """Draw a network with its columns from the model, and return inclusion under both targets."""
    problem = joint_selection.pose(INFERRED, 1000 + number)
    x, rng = problem.x[:, :-1], np.random.default_rng([15, number])
    settings = JointSettings(100, 5, jumps=0.5, shifts=0.2)
    setup = column_setup(
        problem.graph, x, problem.n_blocks, settings, problem.rows, column_groups=joint_selection.GROUPS
    )
    labels = rng.integers(0, problem.n_blocks, len(x))
    joint = [advance(setup, start(setup, labels, rng, full), 1100)[1].chance.mean(axis=0) for full in (False, True)]
    blocks = ffbm.sample_blocks(
        problem.graph, n_blocks=problem.n_blocks, n_sweeps=400, n_chains=2, seed=number, tempering=False,
        progress=False, workers=1,
    )  # fmt: skip
    drawn = np.concatenate(blocks.labels)[:: len(blocks.labels[0]) // 3]
    few = {"rows": problem.rows, "column_groups": joint_selection.GROUPS}
    cut = [select(x, np.eye(problem.n_blocks)[b], 80, number, **few)[0].selected.probability for b in drawn]
    return {
        "joint": np.mean(joint, axis=0).round(4).tolist(),
        "cut": np.mean(cut, axis=0).round(4).tolist(),
        "truth": problem.truth.inclusion[0].astype(int).tolist(),
    }


def inferred():
    sets, kept = study("selection", "inferred", N_INFERRED, one_inferred)
    truth = np.concatenate([one["truth"] for one in sets])
    targets = {}
    for target in ("joint", "cut"):
        chance = np.concatenate([one[target] for one in sets])
        rows = by_tenth(chance, truth)
        targets[target] = {"rows": rows, "expected": float(chance.sum()), "worst": max(abs(row["off"]) for row in rows)}
        say(
            f"inferred, {target}: {len(sets)} networks, {truth.sum()} of {len(truth)} columns included in truth,"
            f" {chance.sum():.1f} expected; tenths off by at most {targets[target]['worst']:.1f} standard errors"
        )
    return kept | {"columns": len(truth), "included": int(truth.sum())} | targets


# null


def of_the_null():
    """Return which permutation of which network comes when: small networks first, then each large one in turn."""
    small = [name for name in BLOCKS if name not in LARGE]
    pairs = [(name, p) for p in range(N_PERMUTATIONS) for name in [*small, NOISE]]
    return pairs + [(name, p) for p in range(N_PERMUTATIONS) for name in LARGE]


def one_of_the_null(number):
    name, permutation = of_the_null()[number]
    features, labels = given(name)
    rng = np.random.default_rng([12, permutation])
    trace, seconds = select(features, rng.permutation(labels), 60 if name in LARGE else 150, permutation)
    relevance = ffbm.judge_columns(trace)
    return {
        "network": name,
        "columns": len(trace.column_names),
        "blocks": trace.n_blocks,
        "decided": len(relevance.decided) + len(relevance.sets),
        "largest": round(float(trace.selected.probability.max()), 4),
        "error": round(float(trace.selected.error.max()), 4),
        "seconds": round(seconds, 2),
    }


def null():
    sets, kept = study("selection", "null", len(of_the_null()), one_of_the_null)
    rows = []
    for name in [*BLOCKS, NOISE]:
        own = [one for one in sets if one["network"] == name]
        if own:
            rows.append(
                {"network": name, "columns": own[0]["columns"], "blocks": own[0]["blocks"], "permutations": len(own),
                 "decided": sum(one["decided"] for one in own), "largest": max(one["largest"] for one in own),
                 "error": max(one["error"] for one in own)}
            )  # fmt: skip
    n_decided = sum(row["decided"] for row in rows)
    say(f"null: {len(sets)} permutations of {len(rows)} tables, {n_decided} selections")
    return kept | {"rows": rows, "decided": n_decided}


# planted


def of_columns(name, n_columns, rng):
    """Return the features of a network's columns in a random order, as many as asked for, and the column of each."""
    features, _ = given(name)
    x = sp.csr_array(features.values).toarray()
    names = list(dict.fromkeys(features.columns))
    chosen = rng.permutation(len(names))[:n_columns]
    own = [np.flatnonzero([column == names[c] for column in features.columns]) for c in chosen]
    return x[:, np.concatenate(own)], np.repeat(np.arange(len(own)), [len(features) for features in own])


def one_planted(number):
    rng = np.random.default_rng([13, number])
    n_true, strength = (0, 1, 2, 5, 10)[number % 5], ("weak", "strong")[number // 5 % 2]
    name, n_columns = TABLES[number // 10 % len(TABLES)]
    x, column = of_columns(name, n_columns, rng)
    n_columns = int(column.max()) + 1
    support = np.array([(x[:, column == g] != 0).any(axis=1).sum() for g in range(n_columns)])
    often = np.flatnonzero(support >= 10)
    true = np.sort(rng.choice(often, min(n_true, len(often) // 2), replace=False))
    scales = np.where(np.isin(column, true), {"weak": 0.75, "strong": 1.5}[strength], 0.0)
    y = draw_labels(rng, x, scales, 4)
    groups = {f"column {g}": [str(j) for j in np.flatnonzero(column == g)] for g in range(n_columns)}
    trace, seconds = select(x, y, 400, number, column_groups=groups)
    fixed, _ = timed(x, y, weight_prior="fixed", n_draws=300, n_warmup=200, n_chains=2, seed=number)
    scores = ffbm.rank_features(fixed, rule="paper", n_kept=10).scores
    chosen = {
        "decided": set(map(int, ffbm.judge_columns(trace).decided)),
        "paper": set(column[np.argsort(-scores, kind="stable")[:10]].tolist()),
        "paper_clear": set(column[scores > 0].tolist()),
        "lasso": set(column[lasso(x, y, number)].tolist()),
    }
    true = set(true.tolist())
    return {
        "network": name, "strength": strength, "columns": n_columns, "true": len(true), "truth": sorted(true),
        "error": round(float(trace.selected.error.max()), 4), "seconds": round(seconds, 1),
        "inclusion": trace.selected.probability.round(3).tolist(),
    } | {rule: [len(columns), len(columns - true)] for rule, columns in chosen.items()}  # fmt: skip


def lasso(x, y, seed):
    """Return which features have a weight in multinomial regression with an L1 penalty found by cross-validation."""
    truth = np.eye(4)[y] if y.ndim == 1 else y
    most = np.abs(x.T @ (truth - truth.mean(axis=0))).max()
    penalties = most * np.geomspace(1, 0.02, 12)
    losses = np.zeros(len(penalties))
    for rows in fold_rows(len(x), N_FOLDS, np.random.default_rng(seed)):
        test = np.setdiff1d(np.arange(len(x)), rows)
        share = len(rows) / len(x)
        for at, (w, a) in enumerate(lasso_path(x[rows], truth[rows], penalties * share)):
            z = x[test] @ w + a
            losses[at] -= (truth[test] * (z - np.logaddexp.reduce(z, axis=1, keepdims=True))).sum()
    best = int(losses.argmin())
    w, _ = list(lasso_path(x, truth, penalties[: best + 1]))[-1]
    return np.flatnonzero((w != 0).any(axis=1))


def lasso_path(x, truth, penalties, n_steps=150):
    """Yield weights (D, B) and intercepts for decreasing penalties, by accelerated proximal gradients."""
    whole = np.column_stack([x, np.ones(len(x))])
    step = 2 / np.linalg.norm(whole, 2) ** 2  # half of the softmax's Hessian is below X'X / 4
    w = np.zeros((whole.shape[1], truth.shape[1]))
    for penalty in penalties:
        ahead, t = w, 1.0
        for _ in range(n_steps):
            z = whole @ ahead
            z = np.exp(z - z.max(axis=1, keepdims=True))
            new = ahead + step * (whole.T @ (truth - z / z.sum(axis=1, keepdims=True)))
            new[:-1] = np.sign(new[:-1]) * np.maximum(np.abs(new[:-1]) - step * penalty, 0)
            after = (1 + np.sqrt(1 + 4 * t * t)) / 2
            ahead, w, t = new + (t - 1) / after * (new - w), new, after
        yield w[:-1], w[-1]


def planted():
    sets, kept = study("selection", "planted", N_PLANTED, one_planted)
    rows = []
    for kind in ("weak", "strong", *dict.fromkeys(name for name, _ in TABLES), "all"):
        own = [one for one in sets if kind in (one["strength"], one["network"], "all")]
        if len(own) < 2:
            continue
        n_true = sum(one["true"] for one in own)
        row = {"planted": kind, "data_sets": len(own), "true": n_true}
        for rule in ("decided", "paper", "paper_clear", "lasso"):
            named, false = np.array([one[rule] for one in own]).T
            share = false / np.maximum(named, 1)
            row |= {rule: int(named.sum()), f"{rule}_false": int(false.sum()), f"{rule}_fdr": float(share.mean()),
                    f"{rule}_fdr_error": float(share.std(ddof=1) / np.sqrt(len(own))),
                    f"{rule}_power": float((named - false).sum() / max(n_true, 1))}  # fmt: skip
        rows.append(row)
        say(
            f"planted, {kind}: {len(own)} data sets, {n_true} true columns; {row['decided']} decided,"
            f" {row['decided_false']} of them false, realised FDR {row['decided_fdr']:.3f} +-"
            f" {row['decided_fdr_error']:.3f}, power {row['decided_power']:.2f}; the paper's first ten: FDR"
            f" {row['paper_fdr']:.2f}, power {row['paper_power']:.2f}; lasso: FDR {row['lasso_fdr']:.2f}, power"
            f" {row['lasso_power']:.2f}"
        )
    chance = np.concatenate([one["inclusion"] for one in sets])
    truth = np.concatenate([np.isin(np.arange(one["columns"]), one["truth"]) for one in sets])
    tenths = [
        {"from": low, "to": min(high, 1.0), "columns": int(own.sum()), "mean": float(chance[own].mean()),
         "rate": float(truth[own].mean())}
        for low, high in ((0, 0.1), (0.1, 0.5), (0.5, 0.9), (0.9, 1.01))
        if (own := (chance >= low) & (chance < high)).any()
    ]  # fmt: skip
    return kept | {"rows": rows, "tenths": tenths, "monte_carlo_error": max(one["error"] for one in sets)}


# starts


def one_start(number):
    name = list(STARTS)[number % len(STARTS)]
    features, labels = given(name) if name in SLOW else blocks_found(name)
    trace, seconds = select(features, labels, STARTS[name], 100 + number)
    selected = trace.selected
    return {
        "network": name,
        "names": list(selected.column_names),
        "chains": selected.chance.mean(axis=1)
        .round(4)
        .tolist(),  # from no column, and from all, or the other way round
        "full": selected.full_start.astype(int).tolist(),
        "blocks": trace.n_blocks,
        "seconds": round(seconds, 1),
    }


def starts():
    sets, kept = study("selection", "starts", N_SEEDS * len(STARTS), one_start)
    rows = []
    for name, n_sweeps in STARTS.items():
        own = [one for one in sets if one["network"] == name]
        if not own:
            continue
        chains = np.concatenate([one["chains"] for one in own])
        full = np.concatenate([one["full"] for one in own]).astype(bool)
        by_start = np.abs(chains[full].mean(axis=0) - chains[~full].mean(axis=0))
        by_seed = np.array([np.mean(one["chains"], axis=0) for one in own])
        apart, far = np.ptp(chains, axis=0), np.ptp(by_seed, axis=0)
        rows.append(
            {"network": name, "columns": chains.shape[1], "blocks": own[0]["blocks"], "seeds": len(own),
             "sweeps": n_sweeps, "starts": float(by_start.max()), "seeds_apart": float(far.max()),
             "chains_apart": float(apart.max()), "where": own[0]["names"][int(apart.argmax())],
             "beyond": int((apart > 0.05).sum()), "seconds": sum(one["seconds"] for one in own)}
        )  # fmt: skip
        if name.startswith("fb100cat"):
            g = own[0]["names"].index("student_fac")
            rows[-1]["student_fac"] = [float(chains[:, g].min()), float(chains[:, g].max())]
        say(
            f"starts, {name}: {len(own)} seeds of {n_sweeps} sweeps; means from no column and from all differ by"
            f" {by_start.max():.3f}, seeds by {far.max():.3f}, any two chains by {apart.max():.3f}"
            f" ({rows[-1]['where']}); {rows[-1]['beyond']} of {chains.shape[1]} columns beyond 0.05"
        )
    return kept | {"rows": rows}


# quality


def ridge(features, labels, rows, seed):
    """Return block probabilities (N, B) of ridge regression, its penalty found by cross-validation on these rows."""

    def fitted(sigma, own):
        target = weight_target(features, labels, own, sigma=sigma, intercept=True)
        scale = np.append(np.full(len(target.scale) - 1, sigma), 10.0)  # the intercept is hardly held back
        target = weight_target(features, labels, own, sigma=scale, intercept=True)
        w = np.zeros((target.n_blocks, len(scale)))
        w[:, target.training.rows.active] = find_mode(target.gaussian).T
        z = sp.csr_array(features.values) @ w[:, :-1].T + w[:, -1]
        z -= z.max(axis=1, keepdims=True)
        return np.exp(z) / np.exp(z).sum(axis=1, keepdims=True)

    inner = fold_rows(len(rows), N_FOLDS, np.random.default_rng(seed))
    losses = []
    for sigma in SIGMAS:
        loss = 0.0
        for part in inner:
            test = np.setdiff1d(np.arange(len(rows)), part)
            loss -= np.log(fitted(sigma, rows[part])[rows[test], labels[rows[test]]]).sum()
        losses.append(loss)
    return fitted(SIGMAS[int(np.argmin(losses))], rows)


def one_quality(number):
    name, fold = QUALITY[number // N_FOLDS], number % N_FOLDS
    features, labels = blocks_found(name)
    rows = fold_rows(len(labels), N_FOLDS, np.random.default_rng(14))[fold]
    test = np.setdiff1d(np.arange(len(labels)), rows)
    few = {"n_draws": 250, "n_warmup": 150, "n_chains": 2, "seed": 1, "rows": rows}
    loss = {}
    for prior, more in (("learned", {"n_sweeps": 0}), ("fixed", {"intercept": True})):
        trace, _ = timed(features, labels, weight_prior=prior, **few | more)
        loss[prior] = -np.log(predict(trace, features)[test, labels[test]])
    loss["ridge"] = -np.log(ridge(features, labels, rows, fold)[test, labels[test]])
    rates = np.bincount(labels[rows], minlength=labels.max() + 1) + 1e-9
    loss["base"] = -np.log(rates / rates.sum())[labels[test]]
    return {"network": name, "blocks": int(labels.max()) + 1} | {
        key: np.round(value, 4).tolist() for key, value in loss.items()
    }


def quality():
    sets, kept = study("selection", "quality", len(QUALITY) * N_FOLDS, one_quality)
    rows = []
    for name in QUALITY:
        own = [one for one in sets if one["network"] == name]
        if len(own) < N_FOLDS:
            continue
        loss = {key: np.concatenate([one[key] for one in own]) for key in ("base", "fixed", "ridge", "learned")}
        row = {"network": name, "vertices": len(loss["base"]), "blocks": own[0]["blocks"]} | {
            key: float(v.mean()) for key, v in loss.items()
        }
        for other in ("fixed", "ridge"):
            less = loss["learned"] - loss[other]
            row |= {f"less_{other}": float(less.mean()), f"less_{other}_error": float(less.std() / np.sqrt(len(less)))}
        rows.append(row)
        say(
            f"quality, {name}: base {row['base']:.3f}, sigma = 1 {row['fixed']:.3f}, ridge {row['ridge']:.3f}, learned"
            f" {row['learned']:.3f}; learned less fixed {row['less_fixed']:.3f} +- {row['less_fixed_error']:.3f}, less"
            f" ridge {row['less_ridge']:.3f} +- {row['less_ridge_error']:.3f}"
        )
    below = -float(np.mean([row["less_fixed"] for row in rows])) if rows else None
    return kept | {"rows": rows, "below_fixed": below}


PARTS = {
    "reliability": reliability,
    "inferred": inferred,
    "null": null,
    "planted": planted,
    "starts": starts,
    "quality": quality,
}

if __name__ == "__main__":
    warnings.simplefilter("ignore", ffbm.errors.ConvergenceWarning)
    run_parts("selection", __doc__.splitlines()[0], ("ffbm", "numpy", "scipy", "numba"), PARTS, {})
