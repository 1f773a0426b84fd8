"""About how long a fit takes, before it is begun: the order of magnitude, not the minute."""

import numpy as np

from ffbm.theta.cost import seconds_of_moves
from ffbm.types import Network

# seconds of one core, from fits of the paper's three networks
_OVERHEAD = 2.0
_START_PER_EDGE = 15e-6
_CHOICE_PER_EDGE = 0.5e-3  # the search for the number of blocks
_VISIT, _VISIT_PER_BLOCK = 450e-9, 45e-9
_STEP, _VISITS, _VISITS_PER_BLOCK, _MOVES = 0.2e-3, 300e-9, 45e-9, 0.75  # of a joint chain, for the evidence
_HOT, _PILOT, _BURN = 8, 200, 100  # hot chains beside those at values of t; steps of short runs, and of a burn-in
_STEP_PER_COLUMN, _STEP_PER_WEIGHT, _MOST_COLUMNS = 0.2e-3, 8e-6, 12  # more of it under the learned prior


def guess_blocks(n_nodes: int) -> int:
    """Return about how many blocks a network has, where their number is still to be found: sqrt(N).

    >>> guess_blocks(105), guess_blocks(747)
    (10, 27)
    """
    return max(1, round(n_nodes**0.5))


def estimate_range(net: Network, n_blocks: int | str = "auto", **lengths: int) -> tuple[float, float]:
    """Return about how many seconds ``fit`` takes, at least and at most: the same where the number of blocks is given.

    Else it counts N^(1/4) and sqrt(N) blocks, between which most networks have them.

    >>> import ffbm
    >>> low, high = estimate_range(ffbm.load_dataset("polbooks"))
    >>> 1 < low < high < 10
    True
    """
    seconds = estimate_seconds(net, n_blocks, **lengths)
    if isinstance(n_blocks, int):
        return seconds, seconds
    return estimate_seconds(net, n_blocks, n_found=max(2, round(net.n_nodes**0.25)), **lengths), seconds


def seconds_of_draws(net: Network, n_blocks: int, n_draws: int) -> float:
    """Return about how many seconds of one core so many draws of the weights take.

    >>> import ffbm
    >>> 0 < seconds_of_draws(ffbm.load_dataset("polbooks"), 3, 100) < 0.1
    True
    """
    cells = int(np.asarray(net.features.support).sum()) + net.n_nodes
    return seconds_of_moves(cells, n_blocks, n_draws)


def estimate_seconds(
    net: Network,
    n_blocks: int | str = "auto",
    n_sweeps: int = 1000,
    n_warmup: int = 500,
    n_draws: int = 1000,
    n_chains: int = 4,
    workers: int = 1,
    n_found: int | None = None,
) -> float:
    """Return about how many seconds ``fit`` takes with kernels already compiled.

    With ``n_blocks="auto"`` it counts the search for their number, and ``n_found`` blocks, sqrt(N) if left out.

    >>> import ffbm
    >>> 1 < estimate_seconds(ffbm.load_dataset("polbooks"), n_blocks=3) < 10
    True
    """
    is_open = not isinstance(n_blocks, int)
    most = n_blocks if isinstance(n_blocks, int) else n_found or guess_blocks(net.n_nodes)
    n_blocks = min(most, max(net.n_nodes, 1))
    start = _START_PER_EDGE * net.n_edges
    blocks = n_sweeps * net.n_nodes * (_VISIT + _VISIT_PER_BLOCK * n_blocks)
    weights = seconds_of_draws(net, n_blocks, n_warmup + n_draws)
    rounds = -(-n_chains // min(workers, n_chains))
    choice = is_open * _CHOICE_PER_EDGE * net.n_edges
    return _OVERHEAD + choice + rounds * (start + blocks + weights)


def estimate_evidence(
    net: Network, n_blocks: int, n_chains: int, workers: int, learned: bool = False
) -> tuple[float, float]:
    """Return about how many seconds ``evidence`` takes, at least and at most, with kernels already compiled.

    Short runs at 8 values of t, or 16 under the learned prior, and then at least as many values and 200 steps of every
    ladder, at most four (three) times as many and 800 steps; hot chains come on top. Steps are longer under the learned
    prior.

    >>> import ffbm
    >>> low, high = estimate_evidence(ffbm.load_dataset("polbooks"), 3, n_chains=4, workers=2)
    >>> 1 < low < high < 60
    True
    """
    step = _STEP + net.n_nodes * (_VISITS + _VISITS_PER_BLOCK * n_blocks) + _MOVES * seconds_of_draws(net, n_blocks, 1)
    values, most_values = 8, 32
    if learned:
        columns, features = len(net.features.column_names), len(net.features.names)
        step += _STEP_PER_COLUMN * min(columns, _MOST_COLUMNS) + _STEP_PER_WEIGHT * features * n_blocks
        values, most_values = 16, 48
    rounds = -(-n_chains // min(workers, n_chains))
    start = _START_PER_EDGE * net.n_edges
    short = (values + _HOT) * (start + _PILOT * step)
    low, high = ((n + _HOT) * (start + (_BURN + steps) * step) for n, steps in ((values, 200), (most_values, 800)))
    return _OVERHEAD + rounds * (short + low), _OVERHEAD + rounds * (short + high)
