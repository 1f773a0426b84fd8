"""``ffbm datasets``: the registered data sets."""

from ffbm.cli.options import Json
from ffbm.cli.screen import align, print_json, print_text, wrap


def datasets(as_json: Json = False) -> None:
    """List the registered data sets.

    Shows size, source, licence, citation, and whether the set is on this machine.

    Example: ffbm datasets --json
    """
    from ffbm.data.registry import DATASETS, cache_folder, locate_dataset

    entries = [
        {
            "name": dataset.name,
            "title": dataset.title,
            "n_nodes": dataset.n_nodes,
            "n_edges": dataset.n_edges,
            "n_features": dataset.n_features,
            "source": dataset.address,
            "licence": dataset.licence,
            "citation": dataset.citation,
            "fingerprint": dataset.fingerprint,
            "is_here": bool(locate_dataset(dataset)),
            "where": locate_dataset(dataset) or None,
        }
        for dataset in DATASETS.values()
    ]
    if as_json:
        print_json({"datasets": entries, "cache": str(cache_folder())})
        return
    head = ["name", "vertices", "edges", "features", "here"]
    rows = [
        [
            str(entry["name"]),
            *(f"{entry[key]:,}" for key in ("n_nodes", "n_edges", "n_features")),
            "yes" if entry["is_here"] else "no, downloaded on first use",
        ]
        for entry in entries
    ]
    print_text(align([head, *rows], right=[1, 2, 3], indent=0))
    for entry in entries:
        print_text(f"\n{entry['name']}: {entry['title']}")
        for label, key in (
            ("source", "source"),
            ("licence", "licence"),
            ("cite", "citation"),
            ("where", "where"),
        ):
            text = entry[key] or f"not here yet; will be kept in {cache_folder()}"
            print_text(wrap(str(text), first=f"  {label:<9}", rest=" " * 11))
