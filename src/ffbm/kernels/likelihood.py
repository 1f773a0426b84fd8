"""The functions that a likelihood of graphs given blocks has; which one serves is chosen when a kernel is compiled.

A likelihood is a named tuple of tables and four functions or more, in a file of its own that ends with ``register``.
The class of the tuple chooses: numba picks the functions by it once, so a chain pays nothing for there being several.
"""

from typing import Any

from numba import njit

from ffbm.kernels.compilation import INLINE
from ffbm.kernels.dispatch import generic, implement


@njit(**INLINE)
def update_nothing(likelihood, g, c, i, r, s):
    """Do nothing: all that the likelihood reads is in the ledger."""


@njit(**INLINE)
def count_nothing(likelihood, g, c):
    """Do nothing: edges and degrees, which the ledger counts, are all that the likelihood needs."""


@njit(**INLINE)
def add_nothing(likelihood, nats, g, c, i, s):  # noqa: ARG001
    """Return ``nats`` unchanged: edges have no weights."""
    return nats


def register(
    kind: type,
    update: Any = update_nothing,
    recount: Any = count_nothing,
    add_weights: Any = add_nothing,
    **functions: Any,
) -> None:
    """Register the functions of the likelihood whose tables are of this class, named as the generic ones below.

    Levels of a hierarchy need no ``merge_change``, those above the blocks no ``total`` either.
    """
    implement(kind, update=update, recount=recount, add_weights=add_weights, **functions)


@generic
def change(likelihood, c, k, loops, kind, r, s, blocks, links, n_near):
    """Return the change of -ln P(A|b) when a vertex moves from its block r to another block s.

    The vertex has degree k, self-loops and a degree class, see ``ledger.vertex_of``; ``blocks`` and ``links`` list the
    ``n_near`` blocks that it has neighbours in, and its links with each.
    """


@generic
def total(likelihood, c):
    """Return -ln P(A|b) up to what does not depend on the partition."""


@generic
def merge_change(likelihood, c, r, s):
    """Return the change of -ln P(A|b) when blocks r and s become one, P(e|b) left out; for dense tables."""


@generic
def block_term(likelihood, n, e):
    """Return the costly part of -ln P(A|b) that depends on one block alone, of n vertices and e half-edges.

    The ledger keeps it for every block, so that a change computes two of them, not four. In a directed graph it is
    computed for the tails in a block, and again for the heads.
    """


@generic
def update(likelihood, g, c, i, r, s):
    """Update what the likelihood counts beyond the ledger's own counts, after vertex i has moved from block r to s."""


@generic
def recount(likelihood, g, c):
    """Count from scratch what the likelihood counts beyond the ledger's own counts, after these."""


@generic
def add_weights(likelihood, nats, g, c, i, s):
    """Return ``nats`` and the change of -ln P of the weights of edges when vertex i moves to another block s."""
