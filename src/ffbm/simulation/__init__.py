"""The generative model: networks drawn from it exactly, and simple graphs with planted blocks and effects."""

from ffbm.simulation.simulator import simulate
from ffbm.simulation.truth import Simulation

__all__ = ["Simulation", "simulate"]
