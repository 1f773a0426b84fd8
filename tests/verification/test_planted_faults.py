"""Faults planted on purpose, each of which a check of ``ffbm verify`` must catch, at the size of the quick run."""

from functools import lru_cache

import numpy as np
import pytest

from ffbm.simulation import simulate
from ffbm.theta.prepare import weight_target
from ffbm.verification.battery import CHECKS
from ffbm.verification.findings import Effort

from ..mutants import planted, planted_alone, planted_weights

BY_NAME = {check.name: check for check in CHECKS}


def outcome(name):
    """What the check of this name finds in a quick run."""
    return BY_NAME[name].run(Effort(False, 0, lambda function, items: [function(item) for item in items]))


OPENING = "return change, lift, log_ratio + np.log(n_free)"
DECISION = "if accepts(u, beta * (lift - change) + ratio):"
RESPLIT, MERGE_SPLIT = (
    f"reverse = draw_split(scans, rng, c, {split}, before, True, reverse_path)\n"
    "    return path[ENTROPY], path[FIELD], reverse - forward"
    for split in ("split", "merged")
)

KERNEL_FAULTS = {  # the module, what is changed in it, and the check that catches it
    "a dropped Hastings ratio": ("single", [("np.log(reverse / forward)", "0.0")], "single moves, B=3"),
    "the sign of the change turned": (
        "single",
        [(DECISION, DECISION.replace("lift - change", "lift + change"))],
        "single moves, B=3",
    ),
    "the field left out of single moves": (
        "single",
        [(DECISION, DECISION.replace("lift - change", "-change"))],
        "single moves, field",
    ),
    "P(e|b) constant in b with empty blocks": (
        "edges",
        [("return edge_cost[used_after(c, r, s)] - edge_cost[c.used[0]]", "return 0.0 * edge_cost[0]")],
        "single moves, empty blocks",
    ),
    "half-edges of loops forgotten": (
        "edges",
        [("out, into = to_r + loops, to_s + loops", "out, into = to_r, to_s")],
        "single moves, B=3",
    ),
    "the way back ignores loops": (
        "single",
        [("2 * (to_r + loops) + epsilon", "2 * to_r + epsilon")],
        "single moves, B=3",
    ),
    "the way back launched from the present split": (
        "mergesplit",
        [
            ("split.r if rng.random() < 0.5 else split.s", "np.int64(c.b[split.group[a]])"),
            (RESPLIT, f"put(m, c, before)\n    {RESPLIT}"),
            ("import IMPOSSIBLE, decide\n", "import IMPOSSIBLE, decide, put\n"),
        ],
        "re-split, B=2",
    ),
    "a re-split's probability dropped": (
        "mergesplit",
        [(RESPLIT, RESPLIT.replace("reverse - forward", "0.0"))],
        "re-split, B=2",
    ),
    "a merge-split's probability dropped": (
        "mergesplit",
        [(MERGE_SPLIT, MERGE_SPLIT.replace("reverse - forward", "0.0"))],
        "merge-split, B=3",
    ),
    "the field left out of a re-split": (
        "mergesplit",
        [(RESPLIT, RESPLIT.replace("path[FIELD]", "0.0"))],
        "re-split, field",
    ),
    "the field left out of merge-split": (
        "mergesplit",
        [(MERGE_SPLIT, MERGE_SPLIT.replace("path[FIELD]", "0.0"))],
        "merge-split, field",
    ),
    "free labels forgotten": (
        "mergesplit",
        [(OPENING, "return change, lift, log_ratio")],
        "open-close, empty blocks",
    ),
    "a proposal accepted whatever its ratio": (
        "acceptance",
        [("beta * (lift - change) + log_ratio", "beta * (lift - change)")],
        "re-split, B=2",
    ),
    "a proposal that is refused but not undone": (
        "acceptance",
        [("put(m, c, after if is_accepted else before)", "put(m, c, after if log_ratio > IMPOSSIBLE else before)")],
        "all moves, empty blocks",
    ),
    "the energies of a path up left out of its weight": (
        "relocate",
        [("energies / n_steps + energy_gap", "energy_gap")],
        "relocation, B=3",
    ),
    "other temperatures up than down": (
        "relocate",
        [("beta * step / n_steps, split, True", "beta * (step - 1) / n_steps, split, True")],
        "relocation, B=3",
    ),
    "the pair that merges chosen by the state, and its chance left out": (
        "relocate",
        [("log_ratio += pick_pair(rng, m, c, beta / _SPAN, min(t, s), max(t, s))[2]", "log_ratio += log_forward")],
        "relocation, B=3",
    ),
    "the block that is split chosen by its size, and that left out": (
        "relocate",
        [("log_ratio += np.log(n_merged / c.n[t])", "log_ratio += 0.0 * n_merged")],
        "relocation, B=3",
    ),
    "the number of splits left out": (
        "relocate",
        [("size * np.log(2.0) + np.log1p(-(2.0 ** (1 - size)))", "0.0 * size")],
        "relocation, B=3",
    ),
    "the sizes of blocks left out of the prior": (
        "target",
        [("prior.size_step[n_s] - prior.size_step[n_r - 1]", "0.0")],
        "free B, all moves",
    ),
    "the number of blocks left out of the prior": (
        "target",
        [("nats += after - now", "nats += 0.0")],
        "free B, all moves",
    ),
    "half-edges that stay behind, without degree correction": (
        "uncorrected",
        [("block_term(likelihood, c.n[s] + 1, c.e[y] + k[side]) - c.term[y]", "0.0")],
        "no degree correction, all moves",
    ),
    "what is kept of a block out of date": (
        "target",
        [("    update_term(g, likelihood, c, s)\n", "")],
        "no degree correction, all moves",
    ),
}


KERNEL_FAULTS |= {
    f"directed: {fault}": (module, changes, "directed, all moves")
    for fault, module, changes in (
        ("in-degrees left out", "degree_corrected",
         [("nats += degree_change(", "nats += (1 - side) * degree_change(")]),
        ("arcs between two blocks mixed up", "directed_edges",
         [("e_rs + in_r - out_s", "e_rs + out_r - in_s"), ("e_sr + out_r - in_s", "e_sr + in_r - out_s")]),
        ("proposals with arcs one way", "arcs",
         [("return look(c.ers, r, s) + look(c.ers, s, r)", "return 2 * look(c.ers, r, s)")]),
    )
}  # fmt: skip

NAMED = {  # the rest takes minutes to compile
    "a dropped Hastings ratio",
}


@pytest.mark.parametrize(
    "fault", [pytest.param(fault, marks=() if fault in NAMED else pytest.mark.slow) for fault in KERNEL_FAULTS]
)
def test_faults_in_block_moves(fault, monkeypatch):
    module, changes, check = KERNEL_FAULTS[fault]
    made = planted(f"ffbm.kernels.{module}", *changes)
    monkeypatch.setattr("ffbm.verification.enumeration.count_visits", made["ffbm.kernels.visits"].count_visits)
    found = outcome(f"p(b|A): {check}")
    assert found.figure > found.bound  # a doubt alone would prove nothing


@pytest.mark.parametrize(
    ("module", "right", "wrong", "door", "check"),
    [
        ("single", "np.log(reverse / forward)", "0.0", "claimed_ratio", "way back"),
        ("edges", "out, into = to_r + loops, to_s + loops", "out, into = to_r, to_s", "claimed_change", "change of S"),
        ("directed_edges", "- in_r - loops", "- in_r", "claimed_change", "change of S, directed"),
    ],
)
def test_faults_in_what_a_move_claims(module, right, wrong, door, check, monkeypatch):
    made = planted(f"ffbm.kernels.{module}", (right, wrong))
    monkeypatch.setattr(f"ffbm.verification.changes.{door}", getattr(made["ffbm.kernels.entry_points"], door))
    assert not outcome(check).passed


@lru_cache(maxsize=4)
def table_of_graph_tool(m_max, n_max):
    """ln q as graph-tool 2.45 caches it: without q(0, n) = 1 and without the cells n > m."""
    q = np.full((m_max + 1, n_max + 1), -np.inf)
    q[0] = 0.0
    for m in range(1, m_max + 1):
        q[m, 1:2] = 0.0
        for n in range(2, min(m, n_max) + 1):
            q[m, n] = np.logaddexp(q[m, n - 1], q[m - n, n] if m - n >= n else -np.inf)
    return q


@pytest.mark.parametrize("check", ["description lengths", "law of multigraphs"])
def test_q_off_as_in_graph_tools_cache(check, monkeypatch):
    monkeypatch.setattr("ffbm.blocks.logq.exact_table", table_of_graph_tool)
    assert not outcome(check).passed


@pytest.mark.parametrize("check", ["description lengths", "law of multigraphs"])
def test_edge_counts_over_empty_blocks(check, monkeypatch):
    """P(e|b) over all B blocks, not over those in use."""
    made = planted_alone("ffbm.blocks.entropy", ("np.count_nonzero(sizes)", "len(sizes)"))
    for place in ("generation", "lengths"):
        monkeypatch.setattr(f"ffbm.verification.{place}.description_length", made.description_length)
    assert not outcome(check).passed


@pytest.mark.parametrize(
    "check",
    [
        "p(W|X,y): mala, one vertex",
        pytest.param("p(W|X,y): mala, two features", marks=pytest.mark.slow),
        pytest.param("calibration: mala", marks=pytest.mark.slow),
    ],
)
def test_the_authors_acceptance_rule(check, monkeypatch):
    """Densities of variance 1 where the noise has variance 2h."""
    made = planted_weights("mala", ("(forward - reverse) / (4.0 * h)", "(forward - reverse) / 2.0"))
    monkeypatch.setattr("ffbm.theta.chain.run_mala", made)
    assert not outcome(check).passed


@pytest.mark.slow
def test_the_authors_program(monkeypatch):
    """Their rule, and the likelihood's gradient over n in the drift."""
    made = planted_weights(
        "mala",
        ("(forward - reverse) / (4.0 * h)", "(forward - reverse) / 2.0"),
        (
            "w_new[d, k] = w[d, k] - h * g[d, k] + noise * w_new[d, k]",
            "w_new[d, k] = w[d, k] - h * (w[d, k] * target.precision[d] + (g[d, k] - w[d, k] * target.precision[d])"
            " / target.rows.counts.sum()) + noise * w_new[d, k]",
        ),
    )
    monkeypatch.setattr("ffbm.theta.chain.run_mala", made)
    assert not outcome("p(W|X,y): mala, two features").passed


def without_sigma(features, members, rows=None, sigma=1.0, intercept=False):
    return weight_target(features, members, rows, 1.0, intercept)


def of_another_feature(features, members, rows=None, sigma=1.0, intercept=False):
    sigma = sigma[::-1] if isinstance(sigma, list | np.ndarray) else sigma
    return weight_target(features, members, rows, sigma, intercept)


def without_rows(features, members, rows=None, sigma=1.0, intercept=False):
    return weight_target(features, members, None, sigma, intercept)


@pytest.mark.parametrize("fault", [without_sigma, without_rows])
@pytest.mark.parametrize("check", ["p(W|X,y): hmc, two features", "p(W|X,y): mala, two features"])
def test_sigma_or_training_rows_ignored(fault, check, monkeypatch):
    monkeypatch.setattr("ffbm.pipeline.weights.weight_target", fault)
    assert not outcome(check).passed


@pytest.mark.parametrize("sampler", ["hmc", "mala"])
def test_the_scale_of_another_feature(sampler, monkeypatch):
    monkeypatch.setattr("ffbm.pipeline.weights.weight_target", of_another_feature)
    assert not outcome(f"p(W|X,y): {sampler}, unequal scales").passed


@pytest.mark.parametrize("fault", [without_sigma, of_another_feature, without_rows])
def test_sigma_or_training_rows_ignored_by_the_kernels_data(fault, monkeypatch):
    monkeypatch.setattr("ffbm.verification.gradients.weight_target", fault)
    assert not outcome("energy and gradient").passed


def test_labels_and_rows_permuted_apart_by_alignment(monkeypatch):
    monkeypatch.setattr("ffbm.pipeline.drawn._aligned", lambda blocks, members: blocks.labels)
    assert not outcome("weights stay with their blocks").passed


def test_labels_and_rows_permuted_apart_in_the_model(monkeypatch):
    def apart(*size, **options):
        made = simulate(*size, **options)
        object.__setattr__(made, "weights", np.roll(made.weights, 1, axis=0))
        return made

    monkeypatch.setattr("ffbm.verification.calibration.simulate", apart)
    assert not outcome("calibration: hmc").passed


def test_numberings_that_alignment_gets_wrong(monkeypatch):
    from ffbm.blocks import align

    right = align._assign

    def shifted(draws, reference, unlike):
        order = right(draws, reference, unlike)
        order[0] = np.roll(order[0], 1)
        return order

    monkeypatch.setattr(align, "_assign", shifted)
    assert not outcome("alignment of labels").passed
