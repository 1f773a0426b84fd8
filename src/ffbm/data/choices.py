"""The options of reading: which of them exist and go together, and the same as plain values."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ffbm.check import check_bool_or, check_choice
from ffbm.errors import OptionError, keyword
from ffbm.types.edgeweights import HYPERPARAMETERS

Columns = str | Iterable[str] | None


def check_choices(
    parallel: str,
    unknown: str,
    multiplicity: str | None,
    directed: bool | str,
    edge_weight: str | None,
    edge_weight_model: str,
    edge_weight_prior: Any,
) -> None:
    """Refuse options of edges that do not exist, or do not go together."""
    check_choice("parallel", parallel, ("count", "merge"))
    check_choice("unknown", unknown, ("error", "keep"))
    check_bool_or("directed", directed, "auto")
    counts, weighs, merges = keyword("multiplicity", ""), keyword("edge_weight", ""), keyword("parallel", "merge")
    if multiplicity is not None and parallel == "merge":
        raise OptionError(f"{counts} counts parallel edges and {merges} drops them: choose one")
    if edge_weight is None:
        if (edge_weight_model, edge_weight_prior) != ("auto", "microcanonical"):
            both = f"{keyword('edge_weight_model', '')} and {keyword('edge_weight_prior', '')}"
            raise OptionError(f"{both} are for weighted edges: name {weighs} too")
        return
    check_choice("edge_weight_model", edge_weight_model, ("auto", *HYPERPARAMETERS))
    if edge_weight == multiplicity:
        raise OptionError(f"{edge_weight!r} cannot be {counts} and {weighs}: it counts edges or it weighs them")
    if parallel == "merge":
        raise OptionError(f"{weighs} has a weight for every edge and {merges} drops edges: add them up first")


def collect_choices(
    include: Columns,
    exclude: Columns,
    drop: Mapping[str, Any] | None,
    merge: Any,
    missing: str,
    categorical: Columns,
    numeric: Columns,
    min_support: int,
    group_by: str | None,
) -> dict[str, Any]:
    """Return the options of columns by name, with names that can be read more than once."""
    if group_by is not None and (not isinstance(group_by, str) or not group_by):
        raise OptionError(f'group_by must be text that names of columns hold, such as ";"; got {group_by!r}')
    include, exclude, categorical, numeric = (
        list(names) if isinstance(names, Iterator) else names for names in (include, exclude, categorical, numeric)
    )
    return {
        "include": include,
        "exclude": exclude,
        "drop": drop,
        "merge": merge,
        "missing": missing,
        "categorical": categorical,
        "numeric": numeric,
        "min_support": min_support,
        "group_by": group_by,
    }


def plain_value(value: Any) -> Any:
    """Return an option as lists, dicts, numbers and texts."""
    if isinstance(value, Mapping):
        return {str(name): plain_value(one) for name, one in value.items()}
    if isinstance(value, Iterable) and not isinstance(value, str):
        return [plain_value(one) for one in value]
    return value if isinstance(value, bool | int | float) else str(value)
