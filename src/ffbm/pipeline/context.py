"""How a run is carried out: where, who hears of its progress, and where it is written down. No answer depends on it."""

from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

from ffbm.progress import Listener, Progress
from ffbm.store.checkpoints import Checkpoints
from ffbm.workers import Workers, is_cluster, open_workers

State = TypeVar("State")
Table = TypeVar("Table", bound=tuple[Any, ...])


class RunContext(NamedTuple):
    """What every stage is handed on."""

    workers: Workers
    tell: Listener
    checkpoints: Checkpoints | None = None

    @property
    def options(self) -> dict[str, Any]:
        """As the keywords of a stage."""
        return {"workers": self.workers, "progress": self.tell, "checkpoints": self.checkpoints}

    @property
    def threads(self) -> int | None:
        """How many threads of this process may work: with a cluster as many as there are cores."""
        return None if is_cluster(self.workers) else self.workers

    def begin(self, one: Callable[..., State], kind: type[State], n_chains: int, *shared: Any) -> list[State]:
        """Return ``one(*shared, chain)``, of this type, for every chain, made by the workers."""
        self.tell(Progress("starts", 0, n_chains))
        with open_workers(self.workers, n_chains) as run:
            states = run(one, range(n_chains), *shared, kind=kind)
        self.tell(Progress("starts", n_chains, n_chains))
        return states

    def remember(self, name: str, key: str, kind: type[Table], find: Callable[[], Table]) -> Table:
        """Return the table of this type that was found before under this name and key, or find it."""
        return find() if self.checkpoints is None else self.checkpoints.remember(name, key, kind, find)
