"""What a likelihood of graphs given blocks is asked for; which one answers is chosen when a kernel is compiled.

A likelihood is a named tuple of tables and four functions or more, in a file of its own that ends with ``register``.
The class of the tuple chooses: numba picks the functions by it once, so a chain pays nothing for there being several.
"""

from typing import Any

from numba import njit

from ffbm.kernels.compilation import INLINE
from ffbm.kernels.dispatch import answer, question


@njit(**INLINE)
def stand_still(likelihood, g, c, i, r, s):
    """Follow no move: all that the likelihood reads is in the ledger."""


@njit(**INLINE)
def count_nothing(likelihood, g, c):
    """Count nothing: the edges and degrees in the ledger are all there is."""


@njit(**INLINE)
def add_nothing(likelihood, nats, g, c, i, s):  # noqa: ARG001
    """Return the change as it is: edges have no weights."""
    return nats


def register(
    kind: type,
    follow: Any = stand_still,
    recount: Any = count_nothing,
    add_weights: Any = add_nothing,
    **functions: Any,
) -> None:
    """Let the likelihood whose tables are of this class answer by these functions, named as the questions below.

    A level of a hierarchy is never asked for ``merge_change``, one above the first not for ``total`` either.
    """
    answer(kind, follow=follow, recount=recount, add_weights=add_weights, **functions)


@question
def change(likelihood, c, k, loops, kind, r, s, blocks, links, n_near):
    """Return the change of -ln P(A|b) when a vertex moves from its block r to another block s.

    The vertex has degree k, self-loops and a degree class, see ``ledger.vertex_of``; ``blocks`` and ``links`` list the
    ``n_near`` blocks that it has neighbours in, and its links with each.
    """


@question
def total(likelihood, c):
    """Return -ln P(A|b) up to what does not depend on the partition."""


@question
def merge_change(likelihood, c, r, s):
    """Return the change of -ln P(A|b) when blocks r and s become one, P(e|b) left out; for dense tables."""


@question
def block_term(likelihood, n, e):
    """Return the part of -ln P(A|b) that a block of n vertices and e half-edges has by itself and that is dear.

    The ledger keeps it for every block, so that a change costs two of them, not four. Of a directed graph it is asked
    for the arcs that leave a block, and again for those that enter it.
    """


@question
def follow(likelihood, g, c, i, r, s):
    """Bring up to date what the likelihood counts by itself, after vertex i has moved from block r to s."""


@question
def recount(likelihood, g, c):
    """Count what the likelihood has in the ledger by itself, after edges and degrees were counted."""


@question
def add_weights(likelihood, nats, g, c, i, s):
    """Return ``nats`` and the change of -ln P of the weights of edges when vertex i moves to another block s."""
