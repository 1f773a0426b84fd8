"""Named random streams."""

import igraph
import numpy as np
import pytest

import ffbm.rng
from ffbm.blocks.seeds import community_labels
from ffbm.errors import OptionError
from ffbm.plots.layout import lay_out
from ffbm.rng import resolve_seed, stream
from ffbm.types import Graph


def test_names_tell_streams_apart():
    names = [("a",), ("b",), ("a", 0), ("a", 1), ("a", "0", "1"), ("a0", 1)]
    draws = {stream(1, *name).random() for name in names} | {stream(2, "a").random()}
    assert len(draws) == 7


def test_a_stream_is_fixed_for_good():
    assert stream(0, "blocks", 0).integers(0, 10**6, 3).tolist() == [902973, 117329, 253700]


def test_streams_are_not_correlated():
    a, b = stream(5, "x", 0).normal(size=20_000), stream(5, "x", 1).normal(size=20_000)
    assert abs(np.corrcoef(a, b)[0, 1]) < 0.03


def test_seeds():
    assert resolve_seed(7) == 7
    assert resolve_seed(None) != resolve_seed(None)
    with pytest.raises(OptionError, match="seed must be"):
        resolve_seed(-3)


def test_layouts_and_starts_share_one_lock_on_igraphs_stream(monkeypatch):
    graph = Graph.from_edges([0, 1, 2, 3], [1, 2, 3, 0], 4)
    held = []
    for name in ("layout_fruchterman_reingold", "community_leiden"):
        original = getattr(igraph.Graph, name)

        def watched(self, *given, original=original, **named):
            held.append(ffbm.rng._IGRAPH.locked())
            return original(self, *given, **named)

        monkeypatch.setattr(igraph.Graph, name, watched)
    lay_out(graph)
    community_labels(graph, 2, stream(1, "a"))
    assert held
    assert all(held)
    assert not ffbm.rng._IGRAPH.locked()
