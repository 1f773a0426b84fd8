"""The file that HDF5 is given: what the disk does not take is told once HDF5 has let go, and never ends the process."""

import errno

import numpy as np
import pytest
import xarray as xr

from ffbm.store import hdf5_file

TREE = xr.DataTree.from_dict({"/a": xr.Dataset({"x": ("t", np.random.default_rng(1).random(50_000))})})


def write(path):
    with hdf5_file.writing(path) as file:
        TREE.to_netcdf(file, engine="h5netcdf")


def test_what_is_written_is_read(tmp_path):
    write(tmp_path / "x.nc")
    with xr.open_datatree(tmp_path / "x.nc", engine="h5netcdf") as again:
        assert again["a"]["x"].to_numpy().tolist() == TREE["a"]["x"].to_numpy().tolist()


@pytest.mark.parametrize("room", [0, 100, 5_000, 100_000, 300_000])
def test_a_disk_that_takes_no_more_is_told_after_the_end(tmp_path, monkeypatch, room):
    put, taken = hdf5_file._HDF5File._put, 0

    def put_while_there_is_room(file, data):
        nonlocal taken
        taken += len(data)
        if taken > room:
            raise OSError(errno.ENOSPC, "No space left on device")
        return put(file, data)

    monkeypatch.setattr(hdf5_file._HDF5File, "_put", put_while_there_is_room)
    with pytest.raises(OSError, match="No space left on device"):
        write(tmp_path / "x.nc")
    assert taken > room


def test_other_errors_pass(tmp_path):
    with pytest.raises(ZeroDivisionError), hdf5_file.writing(tmp_path / "x"):
        raise ZeroDivisionError
