"""The parts of a fit as one xarray DataTree of sibling groups, and back."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np
import xarray as xr

from ffbm.config import FitConfig
from ffbm.explanation import Explanation
from ffbm.ranking import keep_features, rank_features
from ffbm.store.cells import from_json, to_json
from ffbm.store.explanations import explanation_from_groups, explanation_to_groups
from ffbm.store.folder import SCHEMA
from ffbm.store.hdf5_file import writing
from ffbm.store.imputed import imputed_from_dataset, imputed_to_dataset
from ffbm.store.modes import modes_from_dataset, modes_to_dataset
from ffbm.store.network import network_from_dataset, network_to_dataset
from ffbm.store.parts import FitParts
from ffbm.store.traces import (
    blocks_from_datasets,
    blocks_to_datasets,
    weights_from_datasets,
    weights_to_datasets,
)
from ffbm.types import Memberships, Network
from ffbm.types.scores import scores_from_dict
from ffbm.types.tree import Tree

TYPES = "types"  # the group with one group for each type of vertices, which only fits with types have
_LABELS = {"/block_posterior": {"labels": {"zlib": True, "complevel": 2, "shuffle": False}}}


def to_tree(parts: FitParts) -> xr.DataTree:
    """Return the parts as sibling groups, with metadata as JSON text in the attributes of the root.

    ``/posterior`` weights (chain, draw, block, feature), ``/sample_stats``, ``/block_posterior`` labels (chain,
    block_draw, node), ``/block_sample_stats``, ``/constant_data`` the network, memberships and split, ``/ranking``,
    ``/modes`` if the partitions have several, ``/selection`` under the learned prior, ``/imputed`` if cells were
    sampled, ``/reduced_posterior`` with ``/reduced_sample_stats`` if features were left out.
    """
    datasets, scores_and_bits = explanation_to_groups(parts.explanation)
    groups = {f"/{name}": data for name, data in datasets.items()}
    groups["/block_posterior"], groups["/block_sample_stats"] = blocks_to_datasets(
        parts.blocks, parts.memberships, parts.network.node_ids
    )
    groups["/constant_data"] = _constant_data(parts)
    if parts.memberships.n_modes > 1:  # the only mode is the whole
        groups["/modes"] = modes_to_dataset(parts.memberships, groups["/block_posterior"]["node"])
    if parts.reduced is not None:
        drawn = weights_to_datasets(parts.reduced.weights)
        groups["/reduced_posterior"], groups["/reduced_sample_stats"] = drawn
        if parts.reduced.weights.imputed is not None:
            groups["/reduced_imputed"] = imputed_to_dataset(parts.reduced.weights.imputed)
    attributes = {
        "schema": to_json(SCHEMA),
        "config": to_json(parts.config.to_dict()),
        "provenance": to_json(parts.provenance),
        **scores_and_bits,
    }
    if parts.reduced is not None:
        attributes["reduced_scores"] = to_json(parts.reduced.scores.to_dict())
    if parts.hierarchy is not None:
        attributes["hierarchy"] = to_json(parts.hierarchy.to_dict())
    return xr.DataTree.from_dict({"/": xr.Dataset(attrs=attributes), **groups}, name="fit")


def from_tree(tree: xr.DataTree) -> FitParts:
    """Return the parts that ``to_tree`` was given, equal in every array."""
    group = {name: tree[name].to_dataset() for name in tree.children}
    attrs = {str(name): from_json(text) for name, text in tree.attrs.items()}
    constant = group["constant_data"]
    network = network_from_dataset(constant)
    held_out = np.asarray(constant["held_out"]) if "held_out" in constant else None
    whole = explanation_from_groups(network.features, group, attrs, held_out)
    reduced = None
    if "reduced_posterior" in group:
        trace = weights_from_datasets(group["reduced_posterior"], group["reduced_sample_stats"])
        if "reduced_imputed" in group:
            trace = replace(trace, imputed=imputed_from_dataset(group["reduced_imputed"]))
        reduced = Explanation(
            features=keep_features(network.features, whole.ranking),
            weights=trace,
            ranking=rank_features(trace, k=whole.ranking.k, n_kept=whole.ranking.n_kept),  # not in the file
            scores=scores_from_dict(attrs["reduced_scores"]),
        )
    return FitParts(
        network=network,
        config=FitConfig.from_dict({"weight_prior": "fixed"} | attrs["config"]),  # runs of 0.1.0 do not name it
        train=np.asarray(constant["train"]),
        blocks=blocks_from_datasets(group["block_posterior"], group["block_sample_stats"]),
        memberships=members_from_datasets(group),
        explanation=whole,
        reduced=reduced,
        provenance=attrs["provenance"],
        hierarchy=Tree.from_dict(attrs["hierarchy"], np.asarray(constant["labels"])) if "hierarchy" in attrs else None,
    )


def write_tree(tree: xr.DataTree, path: Path) -> None:
    """Write the tree as netCDF."""
    with writing(path) as file:
        tree.to_netcdf(file, engine="h5netcdf", encoding=_LABELS)


def read_tree(path: Path) -> xr.DataTree:
    """Read a tree into memory and close its file."""
    with xr.open_datatree(path, engine="h5netcdf") as tree:
        return tree.load()


def members_to_dataset(net: Network, members: Memberships) -> xr.Dataset:
    """Return the network and the memberships of its vertices."""
    parts = {"memberships": (("node", "block"), members.probs), "labels": ("node", members.labels)}
    return network_to_dataset(net).assign(parts).assign_attrs(agreement=to_json(members.agreement))


def members_from_datasets(group: Mapping[str, xr.Dataset]) -> Memberships:
    """Return the memberships that are in ``constant_data``, ``block_posterior`` and ``modes``, if there are any."""
    constant = group["constant_data"]
    return Memberships(
        probs=np.asarray(constant["memberships"]),
        labels=np.asarray(constant["labels"]),
        agreement=from_json(constant.attrs["agreement"]),
        order=np.asarray(group["block_posterior"]["order"]),
        **(modes_from_dataset(group["modes"]) if "modes" in group else {}),
    )


def _constant_data(parts: FitParts) -> xr.Dataset:
    data = members_to_dataset(parts.network, parts.memberships)
    is_train = np.zeros(parts.network.n_nodes, dtype=bool)
    is_train[parts.train] = True
    if parts.explanation.held_out is not None:
        data = data.assign(held_out=(("node", "block"), parts.explanation.held_out))
    return data.assign({"is_train": ("node", is_train), "train": ("train_row", parts.train)})
