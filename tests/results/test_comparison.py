"""Two fits side by side: blocks, vertices, features, the text, and what cannot be compared."""

import dataclasses

import numpy as np
import pytest

import ffbm
from ffbm.errors import ConvergenceWarning, DataError, OptionError
from ffbm.results import compare, fit, load_fit

from ..planted import planted_network, telling_flag

SHORT = {"n_blocks": 2, "n_sweeps": 200, "n_warmup": 50, "n_draws": 200, "n_chains": 2, "seed": 1, "progress": False}


def unsure(labels, rng):
    return np.column_stack((telling_flag(labels, rng, 0.95), rng.random(len(labels)) < 0.5))


@pytest.fixture(scope="module")
def pair():
    """A graph that says little, and a flag that says much."""
    net = planted_network(3, unsure, inside=0.17, between=0.05)[0]
    with pytest.warns(ConvergenceWarning):
        return fit(net, **SHORT), fit(net, target="joint", **SHORT)


def test_a_fit_and_itself(pair):
    for one in pair:
        found = compare(one, one)
        assert found.names == ("first", "second")
        assert found.agreement == 1.0
        assert found.n_changed == 0
        assert found.shift == 0
        assert found.vertices.empty
        assert not found.pulls.any()
        np.testing.assert_array_equal(found.order, [0, 1])


def test_numbers_of_blocks_do_not_matter(pair):
    cut, joint = pair
    members = joint.memberships
    turned = dataclasses.replace(
        members, probs=np.ascontiguousarray(members.probs[:, ::-1]), labels=1 - members.labels, modes=()
    )
    ranking = dataclasses.replace(joint.ranking, mean=joint.ranking.mean[::-1])
    explanation = dataclasses.replace(joint.explanation, ranking=ranking)
    other = dataclasses.replace(joint, memberships=turned, explanation=explanation)
    one, two = compare(cut, joint), compare(cut, other)
    np.testing.assert_array_equal(one.order, 1 - two.order)
    np.testing.assert_array_equal(one.is_changed, two.is_changed)
    np.testing.assert_allclose(one.pulls, two.pulls)
    assert one.shift == pytest.approx(two.shift)


def test_features_pull_vertices_their_way(pair):
    found = compare(*pair)
    assert found.names == ("cut", "joint")
    assert found.n_changed > 0
    assert found.agreement < 1
    table = found.features.set_index("feature")
    assert table.loc["x0", "pull"] > 1
    assert abs(table.loc["x1", "pull"]) < table.loc["x0", "pull"]
    assert table.loc["x0", "rank_after"] == 1


def test_the_pulls_sum_to_the_gain_of_the_field(pair):
    found = compare(*pair)
    cut, joint = pair
    w = joint.weights.centred.mean(axis=(0, 1))
    after = joint.memberships.probs
    before = cut.memberships.probs[:, found.order]
    x = np.asarray(joint.network.features.values.todense() if hasattr(joint.network.features.values, "todense") else
                   joint.network.features.values)  # fmt: skip
    rows = joint.train
    gain = ((after - before)[rows] * (x[rows] @ w.T)).sum()
    assert found.pulls.sum() == pytest.approx(gain)


def test_vertices_that_changed(pair):
    found = compare(*pair)
    table = found.vertices
    assert len(table) == found.n_changed
    ids = found.first.network.node_ids.tolist()
    for row in table.to_dict("records"):
        i = ids.index(row["id"])
        assert (row["from"], row["to"]) == (found.labels[0][i], found.labels[1][i])
        assert row["training"] == (i in found.second.train)
        assert row["membership_after"] >= 0.5


def test_the_text_is_a_screen(pair):
    lines = compare(*pair).summary().splitlines()
    assert max(map(len, lines)) <= 80
    assert len(lines) <= 40
    text = " ".join(" ".join(lines).split())
    for said in ("NOT CONVERGED", "adjusted mutual information", "vertices are in another block", "pull", "0 by rule"):
        assert said in text


def test_plain_values(pair):
    told = compare(*pair).to_dict()
    assert told["fewer_blocks"]["cut"] == 0
    assert told["n_changed"] == len(told["vertices"])
    assert {row["feature"] for row in told["features"]} == {"x0", "x1"}
    ffbm.results.record.strict_json(told)


def test_different_numbers_of_blocks(pair):
    cut, _ = pair
    with pytest.warns(ConvergenceWarning):
        three = fit(cut.network, target="joint", **{**SHORT, "n_blocks": 3})
    for one, other in ((cut, three), (three, cut)):
        found = compare(one, other)
        assert len(set(found.order.tolist())) == other.memberships.n_blocks
        assert 0 <= found.shift <= 1
        assert found.summary()


def test_what_cannot_be_compared(pair):
    cut, _ = pair
    with pytest.raises(OptionError, match="the second is str"):
        compare(cut, "joint")
    other = planted_network(4, unsure, inside=0.17, between=0.05)[0]
    with pytest.warns(ConvergenceWarning):
        strange = fit(other, **SHORT)
    with pytest.raises(DataError, match="of the same network"):
        compare(cut, strange)


def test_a_joint_fit_is_saved_and_read_back(pair, tmp_path):
    _, joint = pair
    joint.save(tmp_path / "run")
    again = load_fit(tmp_path / "run")
    np.testing.assert_array_equal(again.weights.weights, joint.weights.weights)
    np.testing.assert_array_equal(again.blocks.labels, joint.blocks.labels)
    assert again.config == joint.config
    assert again.summary() == joint.summary()
    assert str(again.diagnostics.joint) == str(joint.diagnostics.joint)
    assert compare(joint, again).agreement == 1.0


def test_the_summary_says_what_was_sampled(pair):
    cut, joint = pair
    share = joint.diagnostics.joint.fewer
    assert f"joint posterior of blocks and weights; a block is empty in {share:.1%} of the draws" in joint.summary()
    assert "joint" not in cut.summary()
