"""Workers: order kept, errors passed on, one thread of BLAS."""

import sys
from unittest.mock import Mock

import pytest
from threadpoolctl import threadpool_info

from ffbm.errors import OptionError
from ffbm.workers import blas, open_workers


@pytest.mark.parametrize("workers", [None, 1, 2, 9])
def test_results_come_in_order(workers):
    with open_workers(workers, 5) as run:
        assert run(lambda n: n * n, range(5)) == [0, 1, 4, 9, 16]


@pytest.mark.parametrize("workers", [1, 3])
def test_errors_come_through(workers):
    with open_workers(workers, 3) as run, pytest.raises(ZeroDivisionError):
        run(lambda n: 1 // n, [1, 0, 2])


@pytest.mark.parametrize("workers", [None, 1, 3])
def test_pieces_of_work_are_taken_one_by_one(workers):
    with open_workers(workers, 3) as run:
        assert 1 <= run.width <= 3
        assert [run.submit(pow, 3, 2).result(), run.submit(pow, 4, 2).result()] == [8, 16]
        with pytest.raises(ZeroDivisionError):
            run.submit(lambda n: 1 // n, 0).result()


def blas_threads():
    return {library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"}


def test_blas_keeps_to_one_thread_until_the_last_has_left(monkeypatch):
    """Whoever came first may leave first, as workers of their own threads do."""
    library = Mock()
    monkeypatch.setattr(blas, "_loaded_libraries", lambda _: library)
    lift = library.limit.return_value.restore_original_limits
    first, second = open_workers(1, 1), open_workers(1, 1)
    first.__enter__()
    second.__enter__()
    first.__exit__(None, None, None)
    library.limit.assert_called_once_with(limits=1, user_api="blas")
    lift.assert_not_called()
    second.__exit__(None, None, None)
    lift.assert_called_once_with()


def test_blas_libraries_are_looked_for_again_only_if_modules_were_imported(monkeypatch):
    before = blas_threads()
    with open_workers(2, 2):
        assert blas_threads() == {1}
    assert blas_threads() == before
    monkeypatch.setattr(blas, "ThreadpoolController", Mock(side_effect=AssertionError("looked for again")))
    with open_workers(2, 2):
        assert blas_threads() == {1}
    monkeypatch.setitem(sys.modules, "a_module_with_another_library", sys)
    with pytest.raises(AssertionError, match="looked for again"), open_workers(2, 2):
        pass


def test_number_of_workers_is_checked():
    with pytest.raises(OptionError, match="workers must be"), open_workers(0, 3):
        pass
