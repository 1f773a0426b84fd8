"""``fit.tree``: the tree of blocks of a fit, with the explanation of each split."""

from dataclasses import dataclass, fields
from functools import cached_property

from ffbm.check import check_int
from ffbm.errors import MissingPartError, OptionError, either
from ffbm.explanation import Explanation
from ffbm.pipeline.context import RunContext
from ffbm.pipeline.splits import explain_level, explain_split, select_at_splits
from ffbm.progress import Listener, listening
from ffbm.store.parts import FitParts
from ffbm.types.selection import SelectionTrace
from ffbm.types.tree import Tree


def tree_of(fit: FitParts) -> Tree:
    """Return the tree of blocks of a fit that has one."""
    if fit.hierarchy is None:
        asked = either("hierarchy=True (--hierarchy)", "--hierarchy")
        raise MissingPartError(f"a tree of blocks is for fits with {asked}; this one is flat")
    return fit.hierarchy


@dataclass(frozen=True, eq=False, repr=False)
class FitTree(Tree):
    """The tree of blocks of a fit: nodes with children, vertices, support, nats, bits and columns.

    Printed, it is a line for each split; ``split(node)`` explains one.
    """

    parts: FitParts | None = None

    @classmethod
    def of(cls, tree: Tree, parts: FitParts) -> "FitTree":
        """Return the tree of a fit."""
        known = {field.name: getattr(tree, field.name) for field in fields(Tree)}
        return cls(**known, parts=parts)

    def split(self, node: int, progress: Listener | bool | None = None) -> Explanation:
        """Return what features say of one split: in which child of a node each of its vertices is.

        The weights are sampled again, with random streams of their own; asked again, they are the same. Columns are
        selected at all splits at once, the first time that one is asked for. Block r of the explanation is child number
        r of the node.

        Parameters
        ----------
        node : int
            The number of a node with children, as printed in brackets.
        progress : None, bool or callable
            As in ``ffbm.fit``.
        """
        number = check_int("node", node, low=0)
        if number >= len(self.nodes) or not self.nodes[number].is_split:
            known = ", ".join(str(one.number) for one in self.splits) or "none"
            raise OptionError(f"node must be one that is split ({known}); got {number}")
        parts = self._parts()
        with listening(progress) as tell:
            selected = self._selected(tell).get(number)
            return explain_split(parts.network.features, self, number, parts.config, RunContext(None, tell), selected)

    def explain_level(self, level: int, progress: Listener | bool | None = None) -> Explanation:
        """Return what features say of the groups of one level: see ``Fit.level``."""
        level = check_int("level", level, low=0)
        if level >= self.n_levels - 1:
            raise OptionError(f"level must have several groups, 0 to {self.n_levels - 2}; got {level}")
        parts = self._parts()
        with listening(progress) as tell:
            return explain_level(parts.network.features, self, level, parts.config, RunContext(None, tell))

    def _selected(self, tell: Listener) -> dict[int, SelectionTrace]:
        """Return the columns selected at every split; they are kept."""
        if not self._kept:
            parts = self._parts()
            self._kept.update(select_at_splits(parts.network.features, self, parts.config, RunContext(None, tell)))
        return self._kept

    @cached_property
    def _kept(self) -> dict[int, SelectionTrace]:
        return {}

    def _parts(self) -> FitParts:
        if self.parts is None or self.parts.config.seed is None:
            raise AssertionError("a tree of a fit knows its fit, and that its seed")
        return self.parts
