"""The cache of compiled code, where several processes write to it."""

import itertools
import logging

import pytest

from ffbm import kernels
from ffbm.kernels import NamedByContent, softmax


def caches(folder):
    return [NamedByContent(str(folder), "kernel", "stamp") for _ in range(2)]


@pytest.mark.parametrize("order", sorted(set(itertools.permutations("AABB"))))
def test_two_that_save_at_once_never_load_the_code_of_the_other(order, tmp_path, monkeypatch):
    """Each reads the index and writes its code, then writes the index, in all orders of these steps."""
    later, save_index = {}, NamedByContent._save_index
    monkeypatch.setattr(NamedByContent, "_save_index", lambda cache, index: later.update({cache: index}))
    writers, steps = dict(zip("AB", caches(tmp_path), strict=True)), []
    for name in order:
        if name not in steps:
            writers[name].save(name, f"code of {name}")
        else:
            save_index(writers[name], later[writers[name]])
        steps.append(name)
        found = [caches(tmp_path)[0].load(key) for key in "AB"]
        assert found[0] in (None, "code of A")
        assert found[1] in (None, "code of B")
    assert any(found)


def test_what_was_saved_is_found_and_another_state_of_the_source_is_not(tmp_path):
    one, other = caches(tmp_path)
    one.save(("types", 1), "code")
    one.save(("types", 2), "more")
    assert (other.load(("types", 1)), other.load(("types", 2))) == ("code", "more")
    assert NamedByContent(str(tmp_path), "kernel", "later").load(("types", 1)) is None


def test_kernels_have_such_a_cache():
    assert isinstance(softmax.softmax_rows._cache._cache_file, NamedByContent)


def test_what_is_compiled_for_the_first_time_is_announced_once(tmp_path, monkeypatch, caplog):
    monkeypatch.setattr(kernels, "_announced", [])
    cache = NamedByContent(str(tmp_path), "kernel", "stamp")
    cache.save("known", "code")
    with caplog.at_level(logging.INFO, logger="ffbm"):
        cache.load("known")
        assert not caplog.messages
        cache.load("new")
        cache.load("newer")
    assert caplog.messages == ["compiling kernels that no run has used yet: up to a minute or two"]
