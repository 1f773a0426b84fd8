"""How a network was read, kept with it and written into the settings of a run."""

import pandas as pd
import pytest

import ffbm
from ffbm.data import read_network
from ffbm.errors import OptionError
from ffbm.results.settings_file import read_reading, reading_to_toml
from ffbm.store.network import network_from_dataset, network_to_dataset


def test_what_was_asked_for_is_kept(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "e.csv").write_text("a,b\nb,c\n")
    (tmp_path / "n.csv").write_text("who,x,y\na,1,r\nb,2,r\nc,5,s\n")
    options = {
        "id": "who",
        "exclude": iter(["y"]),
        "missing": "flag",
        "drop": {"x": 5},
        "min_support": 1,
        "directed": True,
    }
    net = read_network("e.csv", nodes="n.csv", **options)
    wanted = {"id": "who", "exclude": ["y"], "missing": "flag", "drop": {"x": 5}, "directed": True}
    assert net.reading == {"source": str(tmp_path / "e.csv"), "nodes": str(tmp_path / "n.csv"), **wanted}
    assert network_from_dataset(network_to_dataset(net)).reading == net.reading
    (tmp_path / "runs" / "one").mkdir(parents=True)
    (tmp_path / "runs" / "one" / "config.toml").write_text(reading_to_toml(net.reading, "runs/one"))
    assert read_reading("runs/one/config.toml") == {"source": "e.csv", "nodes": "n.csv", **wanted}


def test_objects_are_not_files(tmp_path):
    (tmp_path / "e.csv").write_text("a,b\nb,c\n")
    assert ffbm.as_network([("a", "b")]).reading == {}
    assert read_network(tmp_path / "e.csv", nodes=pd.DataFrame({"x": [1, 2, 3]}, index=list("abc"))).reading == {}
    assert reading_to_toml({}, "run") == ""
    assert read_reading(tmp_path / "nowhere.toml") == {}


def test_a_registered_name_stays_a_name(tmp_path):
    net = ffbm.load_dataset("polbooks")
    assert net.reading == {"source": "polbooks"}
    (tmp_path / "config.toml").write_text(reading_to_toml(net.reading, tmp_path))
    assert read_reading(tmp_path / "config.toml") == {"source": "polbooks"}


def test_paths_must_be_texts(tmp_path):
    (tmp_path / "config.toml").write_text("[reading]\nsource = 3\n")
    with pytest.raises(OptionError, match=r"\[reading\] must be a table with source and options of reading"):
        read_reading(tmp_path / "config.toml")
