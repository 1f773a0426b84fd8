"""The parts of a fit with types of vertices, as one xarray DataTree and back."""

from collections.abc import Callable

import numpy as np
import xarray as xr

from ffbm.config import FitConfig
from ffbm.store.cells import from_json, to_json
from ffbm.store.explanations import explanation_from_groups, explanation_to_groups
from ffbm.store.folder import SCHEMA
from ffbm.store.modes import modes_to_dataset
from ffbm.store.network import network_from_dataset
from ffbm.store.parts import TypedParts
from ffbm.store.traces import blocks_from_datasets, blocks_to_datasets
from ffbm.store.tree import TYPES, members_from_datasets, members_to_dataset
from ffbm.types import Features, Network, NodeTypes
from ffbm.types.tree import Tree


def typed_to_tree(parts: TypedParts) -> xr.DataTree:
    """Return the parts as groups: those of blocks as ``to_tree`` has them, and below ``/types`` one for each type.

    ``/types/0/posterior``, ``/types/0/ranking``, ... are those of the first type in ``types.values``. A type that has
    nothing to explain has no group.
    """
    groups: dict[str, xr.Dataset] = {f"/{TYPES}": xr.Dataset()}
    groups["/block_posterior"], groups["/block_sample_stats"] = blocks_to_datasets(
        parts.blocks, parts.memberships, parts.network.node_ids
    )
    of_vertex = ("node", parts.types.of_vertex)
    groups["/constant_data"] = members_to_dataset(parts.network, parts.memberships).assign(type_of=of_vertex)
    if parts.memberships.n_modes > 1:
        groups["/modes"] = modes_to_dataset(parts.memberships, groups["/block_posterior"]["node"])
    for number, value in enumerate(parts.types.values):
        if value in parts.explanations:
            explanation = parts.explanations[value]
            datasets, attributes_of_type = explanation_to_groups(explanation)
            variables = {"held_out": (("own_node", "own_block"), explanation.held_out)}
            groups[f"/{TYPES}/{number}"] = xr.Dataset(
                variables if explanation.held_out is not None else {}, attrs=attributes_of_type
            )
            groups |= {f"/{TYPES}/{number}/{name}": data for name, data in datasets.items()}
    attributes = {
        "schema": to_json(SCHEMA),
        "config": to_json(parts.config.to_dict()),
        "provenance": to_json(parts.provenance),
        "node_types": to_json({"values": list(parts.types.values), "column": parts.types.column}),
        "trees": to_json({value: tree.to_dict() for value, tree in parts.trees.items()}),
    }
    return xr.DataTree.from_dict({"/": xr.Dataset(attrs=attributes), **groups}, name="fit")


def typed_from_tree(tree: xr.DataTree, features_of_type: Callable[[Network, NodeTypes, int], Features]) -> TypedParts:
    """Return the parts that ``typed_to_tree`` was given; ``features_of_type`` gives those of a type, by its number."""
    group = {name: tree[name].to_dataset() for name in tree.children if name != TYPES}
    attrs = {name: from_json(text) for name, text in tree.attrs.items()}
    network = network_from_dataset(group["constant_data"])
    record = attrs["node_types"]
    types = NodeTypes(tuple(record["values"]), np.asarray(group["constant_data"]["type_of"]), record["column"])
    explanations = {}
    for name, branch in tree[TYPES].children.items():
        number, head = int(name), branch.to_dataset(inherit=False)
        held_out = np.asarray(head["held_out"]) if "held_out" in head else None
        datasets = {part: branch[part].to_dataset() for part in branch.children}
        parts = {part: from_json(text) for part, text in head.attrs.items()}
        features = features_of_type(network, types, number)
        explanations[types.values[number]] = explanation_from_groups(features, datasets, parts, held_out)
    members = members_from_datasets(group)
    trees = {}
    for value, tree_of_type in attrs.get("trees", {}).items():
        datasets = members.labels[types.of_vertex == types.values.index(value)]
        trees[value] = Tree.from_dict(tree_of_type, np.unique(datasets, return_inverse=True)[1])
    return TypedParts(
        network=network,
        types=types,
        blocks=blocks_from_datasets(group["block_posterior"], group["block_sample_stats"]),
        memberships=members,
        explanations=explanations,
        config=FitConfig.from_dict(attrs["config"]),
        provenance=attrs["provenance"],
        trees=trees,
    )
