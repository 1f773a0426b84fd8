"""The exact column of the reproduction against NUTS, on the same memberships and splits of polbooks."""

import numpy as np
import pytest
import scipy.sparse as sp
from tests.peers.test_weights_numpyro import NUTS, PEER, run

from ffbm.diagnostics import ess_mean
from ffbm.reproduction import reproduce

pytestmark = [
    pytest.mark.peer,
    pytest.mark.skipif(not PEER.exists(), reason="needs numpyro in .venv-peers: make peers"),
]


def losses(w, x, y):
    """The loss of each draw (C, T): cross-entropy per vertex."""
    z = np.einsum("nd,ctbd->ctnb", x, w)
    a = z - z.max(axis=3, keepdims=True)
    a -= np.log(np.exp(a).sum(axis=3, keepdims=True))
    return -np.einsum("nb,ctnb->ct", y, a) / len(y)


def test_losses_are_those_of_nuts(tmp_path):
    runs = reproduce("polbooks", runs=2, seed=5, progress=False).datasets["polbooks"]
    x = runs.network.features.values
    x = x.toarray() if sp.issparse(x) else x
    for blocks, exact in zip(runs.blocks, runs.exact, strict=True):
        y = blocks.members.probs
        theirs = run(NUTS, {"x": x[blocks.train], "y": y[blocks.train], "sigma": 1.0}, tmp_path)["w"]
        for name, rows in (("train", blocks.train), ("test", blocks.test)):
            draws = losses(theirs, x[rows], y[rows])
            error = draws.std() / np.sqrt(ess_mean(draws))
            ours = exact.numbers[f"loss_{name}"]
            allowed = 4 * np.hypot(error, getattr(exact.scores, f"loss_mcse_{name}"))
            assert ours == pytest.approx(draws.mean(), abs=allowed)
            assert allowed < 0.02
