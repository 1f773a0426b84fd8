"""Labelled networks in: files and objects read, columns encoded, registered data sets."""

from ffbm.data.readers import as_network, read_network
from ffbm.data.registry import load_dataset

__all__ = ["as_network", "load_dataset", "read_network"]
