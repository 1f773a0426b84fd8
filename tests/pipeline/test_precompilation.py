"""Compiling ahead: only when nothing is compiled, never in the way."""

import os
import re
import subprocess
import sys

import pytest

from ffbm import kernels
from ffbm.pipeline import precompilation


def test_nothing_to_do_when_kernels_are_there(monkeypatch):
    monkeypatch.setattr(precompilation.kernels, "is_cold", lambda: False)
    monkeypatch.setattr(subprocess, "Popen", None)
    with precompilation.compiling_ahead(selects=True) as wait:
        assert wait() is None


def test_a_process_that_cannot_start_is_done_without(monkeypatch):
    def refuse(*_, **__):
        raise PermissionError

    monkeypatch.setattr(precompilation.kernels, "is_cold", lambda: True)
    monkeypatch.setattr(subprocess, "Popen", refuse)
    with precompilation.compiling_ahead(selects=True) as wait:
        assert wait() == []


@pytest.mark.parametrize(("selects", "n_processes"), [(True, 2), (False, 1)])
def test_it_ends_with_the_fit_whatever_happens(selects, n_processes, monkeypatch):
    started = []
    popen = subprocess.Popen

    def slow(command, **options):
        started.append(popen([sys.executable, "-c", "import time; time.sleep(60)"], **options))
        return started[-1]

    monkeypatch.setattr(precompilation.kernels, "is_cold", lambda: True)
    monkeypatch.setattr(subprocess, "Popen", slow)
    with pytest.raises(RuntimeError), precompilation.compiling_ahead(selects):
        raise RuntimeError
    assert len(started) == n_processes
    assert all(process.returncode is not None for process in started)


@pytest.mark.parametrize("part", ["compile_full_model", "compile_selection"])
def test_the_weight_level_runs_on_next_to_nothing(part):
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    code = f"from {precompilation.__name__} import {part}; {part}()"
    subprocess.run([sys.executable, "-c", code], env=environment, check=True)


@pytest.mark.parametrize(
    ("is_kept", "said"), [(True, "once per installation"), (False, "every time: .* cannot be written")]
)
def test_it_is_told_whether_what_is_compiled_is_kept(is_kept, said, caplog, monkeypatch):
    monkeypatch.setattr(precompilation.kernels, "is_cold", lambda: True)
    monkeypatch.setattr(precompilation.kernels, "_IS_KEPT", is_kept)
    with caplog.at_level("INFO", logger="ffbm"):
        precompilation.kernels.announce_compiling()
    assert re.search(said, caplog.text)


def test_an_interrupt_while_the_cache_is_looked_at_is_not_lost(monkeypatch):
    class Folder:
        def rglob(self, pattern):
            try:
                yield "kernel.nbi"
            finally:
                raise KeyboardInterrupt  # as if Ctrl-C came while the generator is closed

    monkeypatch.setattr(kernels, "CACHE_FOLDER", Folder())
    monkeypatch.setattr(kernels, "_compiled", [])
    monkeypatch.setattr(kernels.numba.config, "DISABLE_JIT", 0)
    with pytest.raises(KeyboardInterrupt):
        kernels.is_cold()


def test_what_is_compiled_ahead_is_what_a_fit_calls():
    code = f"""
import ffbm
from ffbm.kernels.hmc import run_hmc
from ffbm.kernels.prediction import predict_draws
from ffbm.kernels.selection import visit_columns
from {precompilation.__name__} import compile_full_model, compile_selection

doors = (run_hmc, predict_draws, visit_columns)
compile_full_model()
compile_selection()
before = [set(door.signatures) for door in doors]
net = ffbm.load_dataset("polbooks")
ffbm.fit(net, blocks=net.features.values.toarray().argmax(axis=1), n_draws=100, seed=1, progress=False, workers=1)
assert all(before), before
assert [set(door.signatures) for door in doors] == before, "a fit compiles more"
"""
    subprocess.run([sys.executable, "-W", "ignore", "-c", code], check=True)
