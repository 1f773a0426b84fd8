"""Is the selection of columns calibrated? ``python benchmarks/selection.py [PART ...]``, blocks being given.

``reliability``: inclusion, scales and weights are drawn from the prior, labels from them; how many columns of a given
inclusion probability are included in truth. ``null``: features permuted over vertices, and 200 flags of noise.
``planted``: true columns among a network's own flags, weak and strong; what is decided, and what the paper's rule
keeps. ``starts``: chains that begin with no column and with all, six of each. ``quality``: loss on vertices held out
under the learned prior, all columns included, under the fixed one, and of ridge regression. A part ends after some
minutes; another call goes on from its record. Needs FFBM_SHARED and FFBM_DATA. Writes results/selection.json.
"""

import warnings
from functools import cache

import numpy as np
import record
import scipy.sparse as sp
from record import run_parts, say, study
from relevance import network_of, timed

import ffbm
from ffbm.scoring import fold_rows, predict
from ffbm.theta.mode import find_mode
from ffbm.theta.prepare import weight_target
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
N_PERMUTATIONS, N_PRIOR, N_PLANTED, N_SEEDS, N_FOLDS = 10, 200, 40, 6, 5
STARTS = {"lazega_law": 1500, "school": 1500, "facebook_348": 600, "fb100cat_Caltech36": 300}  # sweeps of each chain
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


def reliability():
    sets, kept = study("selection", "reliability", N_PRIOR, one_of_the_prior)
    chance = np.concatenate([one["inclusion"] for one in sets])
    truth = np.concatenate([one["truth"] for one in sets])
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


def one_planted(number):
    features, _ = given("facebook_348")
    rng = np.random.default_rng([13, number])
    n_true, strength = (0, 1, 2, 5, 10)[number % 5], ("weak", "strong")[number // 5 % 2]
    n_columns = (40, None)[number // 10 % 2]  # the first 40 of a random order, or all
    x = sp.csr_array(features.values).toarray()
    columns = rng.permutation(x.shape[1])[:n_columns]
    x = x[:, columns]
    often = np.flatnonzero((x.sum(axis=0) >= 10) & (x.sum(axis=0) <= len(x) - 10))
    true = np.sort(rng.choice(often, n_true, replace=False))
    scales = np.zeros(x.shape[1])
    scales[true] = {"weak": 0.75, "strong": 1.5}[strength]
    y = draw_labels(rng, x, scales, 4)
    trace, seconds = select(x, y, 150, number)
    decided = list(map(int, ffbm.judge_columns(trace).decided))
    fixed, _ = timed(x, y, weight_prior="fixed", n_draws=300, n_warmup=200, n_chains=2, seed=number)
    paper = ffbm.rank_features(fixed, rule="paper", n_kept=10)
    top = [int(j) for j in np.argsort(-paper.scores, kind="stable")[:10]]
    true, clear = set(true.tolist()), set(np.flatnonzero(paper.scores > 0).tolist())
    return {
        "strength": strength, "columns": x.shape[1], "true": n_true, "decided": len(decided),
        "false": len(set(decided) - true), "paper_false": len(set(top) - true), "paper_clear": len(clear),
        "paper_clear_false": len(clear - true), "error": float(trace.selected.error.max()),
        "inclusion": trace.selected.probability.round(3).tolist(), "truth": sorted(true), "seconds": round(seconds, 1),
    }  # fmt: skip


def planted():
    sets, kept = study("selection", "planted", N_PLANTED, one_planted)
    rows = []
    for strength in ("weak", "strong", "both"):
        own = [one for one in sets if strength in (one["strength"], "both")]
        share = np.array([one["false"] / max(one["decided"], 1) for one in own])
        n_true = sum(one["true"] for one in own)
        of_paper = np.array([one["paper_false"] / 10 for one in own])
        rows.append(
            {"strength": strength, "data_sets": len(own), "true": n_true, "decided": sum(one["decided"] for one in own),
             "false": sum(one["false"] for one in own), "fdr": float(share.mean()),
             "fdr_error": float(share.std(ddof=1) / np.sqrt(len(own))),
             "power": sum(one["decided"] - one["false"] for one in own) / max(n_true, 1),
             "paper_fdr": float(of_paper.mean()),
             "paper_power": sum(10 - one["paper_false"] for one in own) / max(n_true, 1),
             "paper_clear": sum(one["paper_clear"] for one in own),
             "paper_clear_false": sum(one["paper_clear_false"] for one in own)}
        )  # fmt: skip
        row = rows[-1]
        say(
            f"planted, {strength}: {len(own)} data sets, {n_true} true columns; {row['decided']} decided,"
            f" {row['false']} of them false, realised FDR {row['fdr']:.3f} +- {row['fdr_error']:.3f}, power"
            f" {row['power']:.2f}; the paper's first ten: FDR {row['paper_fdr']:.2f}, power {row['paper_power']:.2f}"
        )
    chance = np.concatenate([one["inclusion"] for one in sets])
    truth = np.concatenate([np.isin(np.arange(one["columns"]), one["truth"]) for one in sets])
    tenths = [
        {"from": low, "to": high, "columns": int(own.sum()), "mean": float(chance[own].mean()),
         "rate": float(truth[own].mean())}
        for low, high in ((0, 0.1), (0.1, 0.5), (0.5, 0.9), (0.9, 1.01))
        if (own := (chance >= low) & (chance < high)).any()
    ]  # fmt: skip
    return kept | {"rows": rows, "tenths": tenths, "monte_carlo_error": max(one["error"] for one in sets)}


# starts


def one_start(number):
    name = list(STARTS)[number % len(STARTS)]
    features, labels = given(name)
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
    features, labels = given(name)
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
    return {"network": name} | {key: np.round(value, 4).tolist() for key, value in loss.items()}


def quality():
    sets, kept = study("selection", "quality", len(QUALITY) * N_FOLDS, one_quality)
    rows = []
    for name in QUALITY:
        own = [one for one in sets if one["network"] == name]
        if len(own) < N_FOLDS:
            continue
        loss = {key: np.concatenate([one[key] for one in own]) for key in ("base", "fixed", "ridge", "learned")}
        row = {"network": name, "vertices": len(loss["base"])} | {key: float(v.mean()) for key, v in loss.items()}
        for other in ("fixed", "ridge"):
            less = loss["learned"] - loss[other]
            row |= {f"less_{other}": float(less.mean()), f"less_{other}_error": float(less.std() / np.sqrt(len(less)))}
        rows.append(row)
        say(
            f"quality, {name}: base {row['base']:.3f}, sigma = 1 {row['fixed']:.3f}, ridge {row['ridge']:.3f}, learned"
            f" {row['learned']:.3f}; learned less fixed {row['less_fixed']:.3f} +- {row['less_fixed_error']:.3f}, less"
            f" ridge {row['less_ridge']:.3f} +- {row['less_ridge_error']:.3f}"
        )
    mean = float(np.mean([row["less_fixed"] for row in rows])) if rows else None
    return kept | {"rows": rows, "less_fixed": mean}


PARTS = {"reliability": reliability, "null": null, "planted": planted, "starts": starts, "quality": quality}

if __name__ == "__main__":
    warnings.simplefilter("ignore", ffbm.errors.ConvergenceWarning)
    run_parts("selection", __doc__.splitlines()[0], ("ffbm", "numpy", "scipy", "numba"), PARTS, {})
