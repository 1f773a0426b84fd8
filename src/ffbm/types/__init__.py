"""The nouns of the package: plain data, no inference."""

from ffbm.types.blocks import BlockTrace, Memberships, Mode
from ffbm.types.edgeweights import EdgeWeights
from ffbm.types.graph import Array, Graph
from ffbm.types.network import Features, Network, Note, check_network
from ffbm.types.node_types import NodeTypes, node_types
from ffbm.types.ranking import Ranking
from ffbm.types.scores import Scores
from ffbm.types.variance import VarianceSplit
from ffbm.types.weights import WeightTrace

__all__ = [
    "Array",
    "BlockTrace",
    "EdgeWeights",
    "Features",
    "Graph",
    "Memberships",
    "Mode",
    "Network",
    "NodeTypes",
    "Note",
    "Ranking",
    "Scores",
    "VarianceSplit",
    "WeightTrace",
    "check_network",
    "node_types",
]
