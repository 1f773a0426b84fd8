"""The paper's table made again, with the exact posterior beside it.

The authors' own weight chain is kept in ``program``, as a reproduction, and nowhere else in the package.
"""

from ffbm.reproduction.outcome import Reproduction
from ffbm.reproduction.runs import reproduce

__all__ = ["Reproduction", "reproduce"]
