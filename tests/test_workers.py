"""Workers and progress: order kept, errors passed on, the right listener."""

import pytest

from ffbm.errors import OptionError
from ffbm.progress import Progress, listening
from ffbm.workers import open_workers


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


def test_number_of_workers_is_checked():
    with pytest.raises(OptionError, match="workers must be"), open_workers(0, 3):
        pass


def test_listeners(capsys):
    event = Progress("blocks", 1, 2)
    for quiet in (None, False):
        with listening(quiet) as tell:
            tell(event)
    assert capsys.readouterr() == ("", "")
    with listening(True) as tell:
        tell(event)
        tell(Progress("blocks", 2, 2))
    out, err = capsys.readouterr()
    assert out == ""
    assert "blocks" in err
    with pytest.raises(OptionError, match="progress must be"), listening("yes"):
        pass
