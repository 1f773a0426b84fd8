"""The registered data sets: from the folder, from the cache, from a server on loopback."""

import dataclasses
import gzip
import io
import os
import tarfile
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import numpy as np
import pytest

from ffbm.data import read_network, registry
from ffbm.data.publishers import parse_facebook, parse_school
from ffbm.data.registry import DATASETS, load_dataset, locate_dataset
from ffbm.errors import DataError, OptionError

SHARED = Path(os.environ.get("FFBM_SHARED", "missing"))
needs_shared = pytest.mark.skipif(not SHARED.is_dir(), reason="FFBM_SHARED does not name the publishers' files")
SIZES = {"polbooks": (105, 441, 3), "school": (238, 5539, 13), "facebook": (747, 30025, 480)}


@pytest.fixture(autouse=True)
def _apart(tmp_path, monkeypatch):
    """Keep the machine's own cache and data folder out of every test."""
    monkeypatch.delenv("FFBM_DATA", raising=False)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setattr(registry, "user_cache_path", lambda *_, **__: tmp_path / "cache")


@pytest.fixture
def cache(tmp_path):
    return tmp_path / "cache" / "data"


@pytest.fixture
def serve(monkeypatch):
    """Serve bytes on loopback under the publisher's file name; a data set then comes from there."""
    content = {}

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            body, length = content.get(self.path, (None, 0))
            self.send_response(404 if body is None else 200)
            self.send_header("Content-Length", str(length))
            self.end_headers()
            self.wfile.write(body or b"")

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()

    def use(name, body, length=None):
        path = f"/{DATASETS[name].address.rpartition('/')[2]}"
        content[path] = body, len(body or b"") if length is None else length
        address = f"http://127.0.0.1:{server.server_port}{path}"
        monkeypatch.setitem(DATASETS, name, dataclasses.replace(DATASETS[name], address=address))
        return address

    yield use
    server.shutdown()
    server.server_close()
    thread.join()


def upstream(name):
    if name == "school":
        return (SHARED / "upstream" / "sp_school_day2.gexf.gz").read_bytes()
    files = sorted((SHARED / "upstream" / "facebook").iterdir())
    return pack({f"facebook/{file.name}": file.read_bytes() for file in files})


def pack(files, extra=()):
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as archive:
        for name, body in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(body)
            archive.addfile(member, io.BytesIO(body))
        for member in extra:
            archive.addfile(member)
    return packed.getvalue()


def check(network, name):
    assert (network.n_nodes, network.n_edges, network.n_features) == SIZES[name]
    assert network.fingerprint == DATASETS[name].fingerprint
    assert network.name == name
    assert list(network.node_ids) == sorted(network.node_ids, key=int)
    assert not network.graph.loops.any()


def test_sizes_are_registered():
    assert {d.name: (d.n_nodes, d.n_edges, d.n_features) for d in DATASETS.values()} == SIZES


def test_polbooks_is_bundled():
    network = load_dataset("polbooks")
    check(network, "polbooks")
    assert network.features.names == ("value=conservative", "value=liberal", "value=neutral")
    assert network.features.support.tolist() == [49, 43, 13]
    assert [note.code for note in network.notes] == ["identifier"]
    assert locate_dataset(DATASETS["polbooks"]) == "bundled"


@needs_shared
@pytest.mark.parametrize("name", ["school", "facebook"])
def test_from_the_folder(name, monkeypatch, cache):
    monkeypatch.setenv("FFBM_DATA", str(SHARED / "data"))
    check(load_dataset(name), name)
    assert locate_dataset(DATASETS[name]) == str(SHARED / "data" / name)
    assert not cache.exists()


def test_the_bundled_files_can_be_read_like_any_others():
    folder = Path(registry.__file__).parent / "polbooks"
    network = read_network(folder / "edges.csv", nodes=folder / "nodes.csv")
    assert network.fingerprint == DATASETS["polbooks"].fingerprint


@needs_shared
@pytest.mark.parametrize("name", ["school", "facebook"])
def test_the_files_of_the_folder_can_be_read_like_any_others(name):
    folder = SHARED / "data" / name
    header = (folder / "nodes.csv").read_text(encoding="utf-8").splitlines()[0].split(",")
    options = {"drop": DATASETS[name].drop, "include": header[1:]}  # columns that say the same too
    network = read_network(folder / "edges.csv", nodes=folder / "nodes.csv", **options)
    assert network.fingerprint == DATASETS[name].fingerprint


@needs_shared
@pytest.mark.parametrize("name", ["school", "facebook"])
def test_from_the_publisher_and_then_from_the_cache(name, monkeypatch, cache, serve):
    serve(name, upstream(name))
    assert locate_dataset(DATASETS[name]) == ""
    first = load_dataset(name)
    check(first, name)
    assert [file.name for file in cache.iterdir()] == [DATASETS[name].address.rpartition("/")[2]]
    assert locate_dataset(DATASETS[name]) == str(next(cache.iterdir()))
    serve(name, None)
    check(load_dataset(name), name)
    monkeypatch.setenv("FFBM_DATA", str(SHARED / "data"))
    folder = load_dataset(name)
    assert first.features.names == folder.features.names
    assert first.features.columns == folder.features.columns
    np.testing.assert_array_equal(first.node_ids, folder.node_ids)
    np.testing.assert_array_equal(first.graph.edges, folder.graph.edges)
    assert (first.features.values != folder.features.values).nnz == 0


@needs_shared
def test_names_and_columns_of_facebook(monkeypatch):
    monkeypatch.setenv("FFBM_DATA", str(SHARED / "data"))
    features = load_dataset("facebook").features
    header = (SHARED / "data" / "facebook" / "nodes.csv").read_text().partition("\n")[0].split(",")
    assert list(features.names) == header[1:]
    assert all(name.startswith(f"{column};anonymized feature ") for name, column in zip(*parts(features), strict=True))
    assert len(set(features.columns)) == 22


def parts(features):
    return features.names, features.columns


def broken(name, how):
    body = upstream(name)
    if how == "cut":
        return body[: len(body) // 2]
    if how == "empty":
        return b""
    if how == "a page":
        return b"<!DOCTYPE html><title>moved</title>"
    if name == "school":  # one edge less
        return gzip.compress(gzip.decompress(body).replace(b"<edge ", b"<no ", 1).replace(b"</edge>", b"</no>", 1))
    files = {f"facebook/{file.name}": file.read_bytes() for file in (SHARED / "upstream" / "facebook").iterdir()}
    files["facebook/1912.feat"] = files["facebook/1912.feat"].replace(b" 1 ", b" 0 ", 1)  # one flag less
    return pack(files)


@needs_shared
@pytest.mark.parametrize("name", ["school", "facebook"])
@pytest.mark.parametrize("how", ["cut", "empty", "a page", "tampered"])
def test_a_wrong_file_is_refused_and_not_kept(name, how, cache, serve):
    address = serve(name, broken(name, how))
    with pytest.raises(DataError, match="was not kept") as caught:
        load_dataset(name)
    assert address in str(caught.value)
    assert "\n" not in str(caught.value)
    assert list(cache.iterdir()) == []


@needs_shared
def test_a_connection_that_breaks_leaves_nothing(cache, serve):
    body = upstream("school")
    serve("school", body[:1000], length=len(body))
    with pytest.raises(DataError, match="cannot download"):
        load_dataset("school")
    assert list(cache.iterdir()) == []


@needs_shared
def test_a_broken_file_in_the_cache_is_fetched_again(cache, serve):
    serve("school", upstream("school"))
    cache.mkdir(parents=True)
    goal = cache / "sp_school_day2.gexf.gz"
    goal.write_bytes(upstream("school")[:1000])
    check(load_dataset("school"), "school")
    assert goal.read_bytes() == upstream("school")


def link(name, target, kind):
    member = tarfile.TarInfo(name)
    member.type, member.linkname = kind, target
    return member


UNSAFE = {
    "parent": tarfile.TarInfo("facebook/../../evil"),
    "absolute": tarfile.TarInfo("/tmp/evil"),
    "symbolic link": link("facebook/1912.egofeat", "/etc/passwd", tarfile.SYMTYPE),
    "hard link": link("facebook/1912.circles", "facebook/1912.feat", tarfile.LNKTYPE),
    "device": link("facebook/null", "", tarfile.CHRTYPE),
}
PLAIN = {
    "facebook/1912.edges": b"1 2\n2 1\n",
    "facebook/1912.feat": b"1 0\n2 1\n3 1\n",
    "facebook/1912.featnames": b"0 colour;anonymized feature 1\n",
}


@pytest.mark.parametrize("case", UNSAFE)
def test_an_unsafe_archive_is_refused_whole(case, cache, serve):
    serve("facebook", pack(PLAIN, [UNSAFE[case]]))
    with pytest.raises(DataError, match="unsafe member"):
        load_dataset("facebook")
    assert list(cache.iterdir()) == []


def test_a_safe_archive_is_read():
    tables = parse_facebook(pack(PLAIN, [link("facebook", "", tarfile.DIRTYPE)]))
    assert tables.edges.to_numpy().tolist() == [["1", "2"]]
    assert tables.nodes.to_numpy().tolist() == [["1", "0"], ["2", "1"]]
    assert [(note.code, note.count) for note in tables.notes] == [("reciprocal", 1), ("unlinked", 1)]


def test_an_archive_without_the_files_is_refused():
    with pytest.raises(DataError, match=r"must have a file 'facebook/1912.feat'"):
        parse_facebook(pack({"facebook/1912.edges": b"1 2\n"}))


@pytest.mark.parametrize("prolog", [b'<!DOCTYPE gexf [<!ENTITY a "b">]>', b"<!DOCTYPE gexf>"])
def test_a_doctype_is_refused(prolog):
    with pytest.raises(DataError, match="DOCTYPE"):
        parse_school(gzip.compress(prolog + b"<gexf/>"))


def test_a_file_that_unpacks_without_end_is_refused(monkeypatch):
    monkeypatch.setattr("ffbm.data.publishers._MAX_BYTES", 1000)
    with pytest.raises(DataError, match="more than 1,000 bytes"):
        parse_school(gzip.compress(b" " * 2000))


def test_without_a_network_one_line_names_address_cache_and_folder(cache, serve):
    address = serve("school", None)
    with pytest.raises(DataError, match="HTTP status 404") as caught:
        load_dataset("school")
    assert all(part in str(caught.value) for part in (address, str(cache), "FFBM_DATA"))
    assert list(cache.iterdir()) == []


def test_a_refused_connection(cache, monkeypatch):
    with ThreadingHTTPServer(("127.0.0.1", 0), BaseHTTPRequestHandler) as server:
        port = server.server_port  # free again once the server is closed
    address = f"http://127.0.0.1:{port}/facebook.tar.gz"
    monkeypatch.setitem(DATASETS, "facebook", dataclasses.replace(DATASETS["facebook"], address=address))
    with pytest.raises(DataError) as caught:
        load_dataset("facebook")
    message = str(caught.value)
    assert all(part in message for part in (address, str(cache), "FFBM_DATA", "ConnectionError"))
    assert "\n" not in message
    assert list(cache.iterdir()) == []


def test_a_cache_folder_that_cannot_be_made(tmp_path):
    (tmp_path / "cache").write_text("a file in the way")
    with pytest.raises(DataError, match="cannot write to the cache folder"):
        load_dataset("school")


@pytest.mark.parametrize("missing", ["edges.csv", "nodes.csv"])
def test_a_folder_that_lacks_a_file(missing, tmp_path, monkeypatch):
    (tmp_path / "school").mkdir()
    for name in {"edges.csv", "nodes.csv"} - {missing}:
        (tmp_path / "school" / name).write_text("id,source,target\n1,1,1\n")
    monkeypatch.setenv("FFBM_DATA", str(tmp_path))
    with pytest.raises(DataError, match=rf"must hold the data set 'school'.*{missing}.*FFBM_DATA"):
        load_dataset("school")


def test_a_folder_with_another_network(tmp_path, monkeypatch):
    (tmp_path / "school").mkdir()
    (tmp_path / "school" / "edges.csv").write_text("source,target\n1,2\n")
    (tmp_path / "school" / "nodes.csv").write_text("id,classname,gender\n1,A,M\n2,B,Unknown\n")
    monkeypatch.setenv("FFBM_DATA", str(tmp_path))
    with pytest.raises(DataError, match="fingerprint"):
        load_dataset("school")


@pytest.mark.parametrize("name", ["karate", "Polbooks", ""])
def test_unknown_names(name):
    with pytest.raises(DataError, match="'polbooks', 'school', 'facebook'"):
        load_dataset(name)


@pytest.mark.parametrize("name", ["edges.csv", "data/edges", Path("a") / "b.gml"])
def test_a_path_gets_a_hint(name):
    with pytest.raises(DataError, match="read_network"):
        load_dataset(name)


@pytest.mark.parametrize("name", [3, None, ["polbooks"]])
def test_no_name(name):
    with pytest.raises(OptionError, match="name of a data set"):
        load_dataset(name)
