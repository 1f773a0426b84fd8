"""Columns of numbers that may be codes: tried both ways by what they explain."""

import numpy as np
import pandas as pd
import pytest

import ffbm
from ffbm.config import FitConfig
from ffbm.errors import DataError, OptionError
from ffbm.pipeline.readings import settle_readings

N = 150
SHORT = {"n_warmup": 50, "n_draws": 50, "n_chains": 2, "seed": 1, "folds": 2, "progress": False}


def example(**options):
    """Return a network with codes, a number, noise, dates and a value, and the blocks that codes and dates tell."""
    rng = np.random.default_rng(5)
    labels = rng.permutation(np.arange(N) % 3)
    ward = np.array([[7, 2], [5, 1], [3, 8]])[labels, rng.integers(0, 2, N)]
    ward[:9] = rng.choice([7, 2, 5, 1, 3, 8], 9)
    year = np.where(labels == 1, 2005, rng.choice([2004, 2006], N))
    joined = [f"{y}-{m:02}-{d:02}" for y, m, d in np.column_stack((year, rng.integers(1, 13, (N, 2))))]
    table = pd.DataFrame(
        {
            "ward": ward,
            "grade": rng.binomial(8, np.array([0.3, 0.5, 0.7])[labels]),  # exactly what a weight on a number can say
            "noise": rng.integers(0, 12, N),
            "joined": joined,
            "sex": rng.choice(["f", "m"], N),
        },
        index=range(N),
    )  # fmt: skip
    edges = np.column_stack((np.arange(N - 1), np.arange(1, N)))
    return ffbm.as_network(edges, table, **options), labels


def settled(net, labels, **settings):
    found = settle_readings(net, np.eye(3)[labels], FitConfig(**settings), seed=1)
    n_flags = {name: found.features.columns.count(name) for name in found.features.column_names}
    return found, n_flags


def test_what_explains_more_is_taken():
    net, labels = example()
    assert set(net.features.other) == {"ward", "grade", "noise", "joined"}
    found, n_flags = settled(net, labels)
    assert n_flags == {"ward": 6, "grade": 1, "noise": 1, "joined": 3, "sex": 2}
    assert found.features.names[:6] == tuple(f"ward={code}" for code in (1, 2, 3, 5, 7, 8))
    assert not found.features.other
    codes = [note.code for note in found.notes]
    assert codes.count("read-as-values") == codes.count("read-as-number") == 2
    assert codes[:2] == ["read-as-values"] * 2
    assert "looks-coded" not in codes
    assert found.notes[0].message.startswith("column 'ward' read as 6 values: alone it explains 1.")
    assert "numeric= (--numeric) overrules" in found.notes[0].message


def test_the_matrix_is_that_of_the_other_reading():
    net, labels = example()
    found, _ = settled(net, labels)
    by_hand, _ = example(categorical="ward", exclude="joined")
    keep = [j for j, name in enumerate(found.features.columns) if name != "joined"]
    x = found.features.take(np.array(keep))
    assert x.names == by_hand.features.names
    dense = [
        np.asarray(part.values.todense() if hasattr(part.values, "todense") else part.values)
        for part in (x, by_hand.features)
    ]
    np.testing.assert_array_equal(*dense)
    np.testing.assert_array_equal(x.mean, by_hand.features.mean)
    np.testing.assert_array_equal(x.sd, by_hand.features.sd)


def test_noise_stays_a_number_whatever_the_seed():
    net, labels = example(include=["noise"], exclude=["ward", "grade", "joined", "sex"])
    taken = 0
    for seed in range(20):
        mixed = np.random.default_rng(seed).permutation(labels)
        taken += settle_readings(net, np.eye(3)[mixed], FitConfig(), seed).n_features > 1
    assert taken <= 2


def test_options_overrule():
    net, labels = example(numeric=["ward", "joined"], categorical=["noise"])
    assert set(net.features.other) == {"grade"}
    assert settled(net, labels)[1] == {"ward": 1, "grade": 1, "noise": 12, "joined": 1, "sex": 2}
    with pytest.raises(OptionError, match="categorical= and numeric= both name 'ward'; choose one"):
        example(numeric=["ward"], categorical=["ward"])
    with pytest.raises(DataError, match="numeric= names 'sex', which must hold numbers or dates; it holds 'f', 'm'"):
        example(numeric="sex")
    with pytest.raises(DataError, match="numeric= names 'size', which the table does not have"):
        example(numeric="size")


def test_nothing_is_tried_without_need():
    net, labels = example()
    one = settle_readings(net, np.ones((N, 1)), FitConfig(), 1)
    assert one.features.names == net.features.names
    by_feature = settle_readings(net, np.eye(3)[labels], FitConfig(sigma=[1.0] * net.n_features), 1)
    assert by_feature.features.names == net.features.names
    plain, _ = example(exclude=["ward", "grade", "noise", "joined"])
    assert settle_readings(plain, np.eye(3)[labels], FitConfig(), 1) is plain


def test_values_that_repeat_another_column_are_read_as_one_with_it():
    _, labels = example()
    table = pd.DataFrame({"dept": np.array(list("xyz"))[labels], "ward": np.array([7, 2, 5])[labels]}, index=range(N))
    net = ffbm.as_network(np.column_stack((np.arange(N - 1), np.arange(1, N))), table)
    assert net.features.column_names == ("dept", "ward")
    found, n_flags = settled(net, labels)
    assert n_flags == {"dept": 3}
    assert [note.code for note in found.notes if "'ward'" in note.message] == ["read-as-values", "same"]


def test_missing_cells_keep_their_flag():
    net, labels = example()
    table = pd.DataFrame({"ward": [None, None, *np.array([7, 5, 3])[labels][2:]]}, index=range(N))
    edges = np.column_stack((np.arange(N - 1), np.arange(1, N)))
    net = ffbm.as_network(edges, table, missing="flag")
    found, _ = settled(net, labels)
    assert found.features.names == ("ward=3", "ward=5", "ward=7", "ward=missing")
    assert found.features.missing.toarray()[:3, 0].tolist() == [True, True, False]


def test_a_name_that_is_taken_leaves_the_number():
    table = pd.DataFrame({"a": [7, 5, 3] * 50, "a=7": [0, 1] * 75}, index=range(N))
    net = ffbm.as_network(np.column_stack((np.arange(N - 1), np.arange(1, N))), table)
    _, n_flags = settled(net, np.arange(N) % 3 % 2)
    assert n_flags == {"a": 1, "a=7": 1}


@pytest.mark.filterwarnings("ignore::ffbm.errors.ConvergenceWarning")
def test_a_fit_and_its_run_have_the_better_reading(tmp_path):
    net, labels = example()
    fit = ffbm.fit(net, blocks=labels, out=tmp_path / "run", **SHORT)
    assert fit.network.features.columns.count("ward") == 6
    table = fit.column_table.set_index("column")
    assert table.kind[["ward", "grade", "noise", "joined", "sex"]].tolist() == [
        "values",
        "number",
        "number",
        "values",
        "values",
    ]
    assert table.bits_alone["ward"] > 1
    assert "'ward' as 6 values, 'joined' as 3 values" in " ".join(fit.summary().split())
    again = ffbm.load_fit(tmp_path / "run")
    assert again.network.features.names == fit.network.features.names
    new = again.predict(
        pd.DataFrame({"ward": [7], "grade": [0], "noise": [3], "joined": ["March 3, 2004"], "sex": ["f"]})
    )
    assert new.argmax() == fit.memberships.labels[labels == 0][0]
    assert (
        ffbm.fit(net, blocks=labels, out=tmp_path / "run", resume=True, **SHORT).network.fingerprint
        == fit.network.fingerprint
    )
