"""How a run is carried out: workers, a listener for its progress, checkpoints. No answer depends on it."""

from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

from ffbm.progress import Listener, Progress
from ffbm.store.checkpoints import Checkpoints
from ffbm.workers import Workers, is_cluster, open_workers

State = TypeVar("State")
Table = TypeVar("Table", bound=tuple[Any, ...])


class RunContext(NamedTuple):
    """The workers, the listener for progress and the checkpoints of a run, which every stage is handed."""

    workers: Workers = None
    tell: Listener = lambda _: None
    checkpoints: Checkpoints | None = None

    @property
    def options(self) -> dict[str, Any]:
        """The same as keywords of the public stages."""
        return {"workers": self.workers, "progress": self.tell, "checkpoints": self.checkpoints}

    @property
    def threads(self) -> int | None:
        """How many threads of this process may work: with a cluster as many as there are cores."""
        return None if is_cluster(self.workers) else self.workers

    def begin(self, begin_one: Callable[..., State], kind: type[State], n_chains: int, *shared: Any) -> list[State]:
        """Return ``begin_one(*shared, chain)``, of this type, for every chain, made by the workers."""
        self.tell(Progress("starts", 0, n_chains))
        with open_workers(self.workers, n_chains) as run:
            states = run(begin_one, range(n_chains), *shared, kind=kind)
        self.tell(Progress("starts", n_chains, n_chains))
        return states

    def remember(self, name: str, key: str, kind: type[Table], compute: Callable[[], Table]) -> Table:
        """Return the table of this type that was saved under this name and key, or compute it."""
        return compute() if self.checkpoints is None else self.checkpoints.remember(name, key, kind, compute)


QUIET = RunContext()  # as many threads as there is use for; nobody hears of progress, and nothing is written down
