"""The registered data sets: what they are, where they lie, and how they come here.

The only file with network access. A download is parsed and its fingerprint checked before it takes
its name in the cache, so what lies there is whole; the publishers repack their files, so it is the
network that is checked, not the bytes.
"""

import dataclasses
import os
import tarfile
import tempfile
import zlib
from collections.abc import Callable, Mapping
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path

import pandas as pd
from platformdirs import user_cache_path

from ffbm.data.encode import encode_features
from ffbm.data.publishers import Tables, parse_facebook, parse_school
from ffbm.errors import DataError, OptionError
from ffbm.types import Graph, Network

# What parsing bytes that are not the expected file can raise.
_BROKEN = (DataError, EOFError, LookupError, OSError, ValueError, tarfile.TarError, zlib.error)


@dataclasses.dataclass(frozen=True, slots=True)
class Dataset:
    """A registered data set.

    Parameters
    ----------
    name, title, licence, citation : text
    n_nodes, n_edges, n_features : int
        N, E and D of the network as read.
    address : text
        The publisher's file; for a bundled set, where it comes from.
    fingerprint : text
        ``Network.fingerprint`` of the network as read.
    parse : callable, optional
        From the publisher's bytes to tables; None if the set is bundled.
    drop : mapping
        The values that are read as missing.
    column_of : callable
        From a feature's name to the column it belongs to, where the table has a column for each value.
    """

    name: str
    title: str
    n_nodes: int
    n_edges: int
    n_features: int
    address: str
    licence: str
    citation: str
    fingerprint: str
    parse: Callable[[bytes], Tables] | None = None
    drop: Mapping[str, list[str]] = dataclasses.field(default_factory=dict)
    column_of: Callable[[str], str] | None = None


DATASETS = {
    dataset.name: dataset
    for dataset in (
        Dataset(
            name="polbooks",
            title="Books on US politics often bought together",
            n_nodes=105,
            n_edges=441,
            n_features=3,
            address="http://www.orgnet.com/",
            licence="none stated; public facts, credit V. Krebs",
            citation="V. Krebs, unpublished, http://www.orgnet.com/; values by M. Newman",
            fingerprint="026b51f63c5eab7db7ceafb37bf41b90",
        ),
        Dataset(
            name="school",
            title="Face-to-face contacts in a primary school, day 2",
            n_nodes=238,
            n_edges=5539,
            n_features=13,
            address="http://www.sociopatterns.org/assets/data/sp_school_day2.gexf.gz",
            licence="CC BY-NC-SA 3.0",
            citation="J. Stehlé et al., High-Resolution Measurements of Face-to-Face Contact Patterns in a "
            "Primary School, PLoS ONE 6(8), e23176 (2011); SocioPatterns, http://www.sociopatterns.org",
            fingerprint="bdac75b429e1a967c9766a060afa0884",
            parse=parse_school,
            drop={"gender": ["Unknown"]},
        ),
        Dataset(
            name="facebook",
            title="Friends of one Facebook user (ego network 1912)",
            n_nodes=747,
            n_edges=30025,
            n_features=480,
            address="https://snap.stanford.edu/data/facebook.tar.gz",
            licence="none stated",
            citation="J. McAuley and J. Leskovec, Learning to Discover Social Circles in Ego Networks, NIPS 2012",
            fingerprint="be8654d9a0aa69466575dc02a98ab73e",
            parse=parse_facebook,
            column_of=lambda name: name.rpartition(";anonymized feature")[0],
        ),
    )
}


def load_dataset(name: str) -> Network:
    """Load a registered data set: "polbooks" (bundled), "school" or "facebook".

    The last two are looked for in the folder named by the environment variable ``FFBM_DATA``
    (``<name>/edges.csv`` and ``<name>/nodes.csv``), then in the cache folder, and are downloaded
    from their publishers if they are in neither.

    >>> load_dataset("polbooks")
    <Network polbooks: 105 vertices, 441 edges, 3 features; 1 note on reading>
    """
    dataset = find_dataset(name)
    if dataset.parse is None:
        return _build(dataset, _read_folder(resources.files("ffbm.data") / dataset.name))
    folder = _find_folder(dataset)
    if folder is not None:
        try:
            return _build(dataset, _read_folder(folder))
        except _BROKEN as error:
            raise DataError(
                f"{folder} must hold the data set {name!r}: {_reason(error)}; repair it or unset FFBM_DATA"
            ) from error
    cached = _cached_file(dataset)
    if cached.is_file():
        try:
            return _build(dataset, dataset.parse(cached.read_bytes()))
        except _BROKEN:
            cached.unlink(missing_ok=True)
    return _download(dataset, dataset.parse, cached)


def find_dataset(name: str) -> Dataset:
    """Return the entry of a registered data set."""
    known = ", ".join(map(repr, DATASETS))
    if not isinstance(name, (str, os.PathLike)):
        raise OptionError(f"load_dataset takes the name of a data set ({known}); got {name!r}")
    if str(name) in DATASETS:
        return DATASETS[str(name)]
    path = Path(name)
    if (path / "provenance.json").is_file():
        raise DataError(
            f"load_dataset takes the name of a data set ({known}); {str(name)!r} is a saved run: use load_fit"
        )
    if path.suffix or len(path.parts) > 1 or path.exists():
        raise DataError(
            f"load_dataset takes the name of a data set ({known}); got {str(name)!r}: to read a file, use read_network"
        )
    raise DataError(f"no data set is called {str(name)!r}; there are {known}")


def locate_dataset(dataset: Dataset) -> str:
    """Say where a data set lies: "bundled", a path, or "" if it would be downloaded."""
    if dataset.parse is None:
        return "bundled"
    folder = _find_folder(dataset)
    if folder is not None:
        return str(folder)
    cached = _cached_file(dataset)
    return str(cached) if cached.is_file() else ""


def cache_folder() -> Path:
    """Return the folder that holds downloaded data sets."""
    return user_cache_path("ffbm", appauthor=False) / "data"


def _build(dataset: Dataset, tables: Tables) -> Network:
    """Make the network of the tables, and check that it is the registered one."""
    ids = pd.Index(tables.nodes["id"])
    source, target = (ids.get_indexer(pd.Index(tables.edges[end])) for end in ("source", "target"))
    if not ids.is_unique or (source < 0).any() or (target < 0).any():
        raise DataError("edges and vertices do not belong together")
    features, notes = encode_features(tables.nodes.drop(columns="id"), drop=dataset.drop)
    if dataset.column_of:
        features = dataclasses.replace(features, columns=tuple(map(dataset.column_of, features.names)))
    graph = Graph.from_edges(source, target, len(ids))
    network = Network(
        graph, features, ids.to_numpy(dtype=object), (*tables.notes, *notes), dataset.name, {"source": dataset.name}
    )
    if network.fingerprint != dataset.fingerprint:
        raise DataError(f"its fingerprint must be {dataset.fingerprint}, but is {network.fingerprint}")
    return network


def _read_folder(folder: Path | Traversable) -> Tables:
    def read(name: str) -> pd.DataFrame:
        with (folder / name).open(encoding="utf-8") as file:
            return pd.read_csv(file, dtype=str, keep_default_na=False)

    return Tables(read("edges.csv"), read("nodes.csv"))


def _find_folder(dataset: Dataset) -> Path | None:
    root = os.environ.get("FFBM_DATA", "")
    folder = Path(root) / dataset.name
    return folder if root and folder.is_dir() else None


def _cached_file(dataset: Dataset) -> Path:
    return cache_folder() / dataset.address.rpartition("/")[2]


def _download(dataset: Dataset, parse: Callable[[bytes], Tables], goal: Path) -> Network:
    import pooch

    pooch.get_logger().setLevel("ERROR")
    cure = (
        f"the cache folder is {goal.parent}; without a network, set FFBM_DATA to a folder that holds "
        f"{dataset.name}/edges.csv and {dataset.name}/nodes.csv"
    )
    with _open_workshop(goal.parent) as workshop:
        try:
            got = pooch.retrieve(
                dataset.address,
                known_hash=None,
                fname=goal.name,
                path=workshop,
                downloader=pooch.HTTPDownloader(progressbar=False),
            )
        except OSError as error:  # those of requests are OSErrors
            if getattr(error, "response", None) is not None:
                error.response.close()  # type: ignore[attr-defined]
            raise DataError(f"cannot download {dataset.address} ({_reason(error)}); {cure}") from error
        try:
            network = _build(dataset, parse(Path(got).read_bytes()))
        except _BROKEN as error:
            raise DataError(
                f"{dataset.address} must give the data set {dataset.name!r}, but what came is another or "
                f"broken file ({_reason(error)}) and was not kept; try again later; {cure}"
            ) from error
        Path(got).replace(goal)
    return network


def _open_workshop(folder: Path) -> "tempfile.TemporaryDirectory[str]":
    """Make a folder for one download beside the goal, gone with all it holds when the download ends."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        return tempfile.TemporaryDirectory(prefix=".download-", dir=folder)
    except OSError as error:
        raise DataError(f"cannot write to the cache folder {folder} ({error.strerror})") from error


def _reason(error: BaseException) -> str:
    """Put the cause of an error into a few words on one line."""
    status = getattr(getattr(error, "response", None), "status_code", None)
    if status is not None:
        return f"HTTP status {status}"
    if isinstance(error, DataError):
        return str(error)
    if isinstance(error, OSError) and error.errno is None:  # from requests, whose texts are long
        return f"{type(error).__name__}: no connection, or a broken one"
    return f"{type(error).__name__}: {error}".splitlines()[0]
