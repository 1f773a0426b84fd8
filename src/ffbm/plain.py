"""Plain values for strict JSON, and plain words for counts."""

import math
from typing import Any


def count_of(number: int, thing: str, things: str = "") -> str:
    """Write a number of things.

    >>> count_of(1, "cell"), count_of(1200, "cell"), count_of(2, "vertex", "vertices")
    ('1 cell', '1,200 cells', '2 vertices')
    """
    return f"{number:,} {thing if number == 1 else things or thing + 's'}"


def finite(value: Any) -> Any:
    """Return plain values with null in place of numbers that are not finite.

    >>> finite({"a": [1.0, float("nan")]})
    {'a': [1.0, None]}
    """
    if isinstance(value, dict):
        return {str(name): finite(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [finite(item) for item in value]
    if hasattr(value, "tolist"):  # numpy's numbers and arrays
        return finite(value.tolist())
    return None if isinstance(value, float) and not math.isfinite(value) else value
