"""How well features explain blocks: losses, bits explained, accuracies, and what each is to be compared with."""

from dataclasses import dataclass, fields
from math import nan
from typing import Any

import numpy as np

from ffbm.plain import EACH_WAY, count_of, finite, with_interval
from ffbm.types.graph import Array
from ffbm.types.html import notes_html, table_html
from ffbm.types.network import Note

_LOSSES = (
    ("loss of the averaged prediction, nats", "predictive_loss"),
    ("loss of the base rate, nats", "base_rate_loss"),
)


@dataclass(frozen=True, eq=False)
class Scores:
    """How well weights predict the memberships y of N vertices in B blocks, on training and on test vertices.

    G is the set of training or of test vertices, n their number, W(t) draw t of the weights, T the number of draws,
    a_ij(t) = softmax_j(W(t) x_i) and p_ij = (1/T) sum_t a_ij(t) the averaged prediction. Losses are in nats, and NaN
    where there is no vertex.

    Parameters
    ----------
    loss_train, loss_test : float
        The paper's loss, averaged over draws: (1/T) sum_t (1/n) sum_{i in G} sum_j y_ij ln 1/a_ij(t).
    predictive_loss_train, predictive_loss_test : float
        The loss of the averaged prediction: (1/n) sum_{i in G} sum_j y_ij ln 1/p_ij. By Jensen it is the lower one.
    base_rate_loss_train, base_rate_loss_test : float
        The loss of a prediction that knows no features: (1/n) sum_{i in G} sum_j y_ij ln 1/q_j, with q_j the mean of
        y_ij over *training* vertices. A block with less than 1/B of a vertex there counts as 1/B of one (and a note
        says so), so that the loss is finite: q_j = max(m_j, 1/B) / sum_l max(m_l, 1/B), m_j = sum_{i in training} y_ij.
    uniform_loss : float
        ln B, the loss of a prediction that knows nothing.
    bits_train, bits_test : float
        What the features explain over the base rate, a vertex: (base_rate_loss - predictive_loss) / ln 2. The mean of
        bits_i = sum_j y_ij log2(p_ij / q_j). Negative where features mislead.
    bits_se_train, bits_se_test : float
        Its standard error over vertices, sd(bits_i) / sqrt(n) with ddof 1, weights and base rate taken as given; NaN
        for fewer than 2 vertices.
    bits_by_block_train, bits_by_block_test, bits_se_by_block_train, bits_se_by_block_test : (B,) float64
        The same over the vertices of one block, G(j) = {i in G : argmax_l y_il = j}; NaN where there is none.
    n_by_block_train, n_by_block_test : (B,) int64
        The size of G(j).
    accuracy_train, accuracy_test : (B,) float64
        The paper's block accuracy: the share of vertices of block j and draws in which block j is the most likely,
        (1 / (T |G(j)|)) sum_{i in G(j)} sum_t [argmax_l a_il(t) = j]; the first of equal ones; NaN where there is none.
    loss_mcse_train, loss_mcse_test : float
        The Monte Carlo standard error of ``loss``, by batch means; NaN for fewer than 2.
    description_length, description_length_without_partition : float, or None
        The mean over block draws of S(b) / (N + E) in nats, with and without the partition's own N ln B.
    notes : tuple of Note
        What could not be given, and why.
    """

    loss_train: float
    loss_test: float
    predictive_loss_train: float
    predictive_loss_test: float
    base_rate_loss_train: float
    base_rate_loss_test: float
    uniform_loss: float
    bits_train: float
    bits_test: float
    bits_se_train: float
    bits_se_test: float
    bits_by_block_train: Array
    bits_by_block_test: Array
    bits_se_by_block_train: Array
    bits_se_by_block_test: Array
    n_by_block_train: Array
    n_by_block_test: Array
    accuracy_train: Array
    accuracy_test: Array
    loss_mcse_train: float
    loss_mcse_test: float
    description_length: float | None = None
    description_length_without_partition: float | None = None
    notes: tuple[Note, ...] = ()

    @property
    def n_blocks(self) -> int:
        """B."""
        return len(self.accuracy_train)

    @property
    def n_train(self) -> int:
        """The number of training vertices."""
        return int(self.n_by_block_train.sum())

    @property
    def n_test(self) -> int:
        """The number of test vertices."""
        return int(self.n_by_block_test.sum())

    @property
    def misleads(self) -> Note | None:
        """What to say if features mislead, by two standard errors: they predict unseen vertices worse than none."""
        bits, error = self.bits_test, self.bits_se_test
        if not self.n_test or not bits < -EACH_WAY * error:
            return None
        message = f"features mislead: on held-out vertices they lose {with_interval(-bits, error)} bits per vertex"
        return Note("misleading", message, self.n_test)

    def to_dict(self) -> dict[str, Any]:
        """Return numbers, lists and text alone, ready for strict JSON: what is not finite is None.

        >>> import numpy as np
        >>> nobody = np.zeros(2, dtype=np.int64)
        >>> scores = Scores(*[0.5] * 11, *[np.zeros(2)] * 4, nobody, nobody, *[np.array([1.0, np.nan])] * 2, 0.1, 0.1)
        >>> record = scores.to_dict()
        >>> record["loss_test"], record["accuracy_test"], record["n_test"]
        (0.5, [1.0, None], 0)
        """
        record = {field.name: finite(getattr(self, field.name)) for field in fields(self) if field.name != "notes"}
        record |= {"n_train": self.n_train, "n_test": self.n_test}
        record["notes"] = [note.to_dict() for note in self.notes]
        return record

    def _repr_html_(self) -> str:
        sides = [("train", "training", self.n_train), ("test", "held out", self.n_test)]
        sides = [side for side in sides if side[2]]
        rows = [["vertices", *(f"{n:,}" for _, _, n in sides)]]
        bits = [with_interval(getattr(self, f"bits_{side}"), getattr(self, f"bits_se_{side}")) for side, _, _ in sides]
        rows.append(["bits explained, per vertex", *bits])
        for label, name in _LOSSES:
            rows.append([label, *(f"{getattr(self, f'{name}_{side}'):.3f}" for side, _, _ in sides)])
        head = ["", *(title for _, title, _ in sides)]
        table = table_html(head, rows, "What features explain of the blocks", range(1, len(head)))
        return table + notes_html(self.notes)

    def __repr__(self) -> str:
        part, n = ("test", self.n_test) if self.n_test else ("train", self.n_train)
        vertices = (
            count_of(n, "held-out vertex", "held-out vertices")
            if self.n_test
            else f"{n:,} training vertices, none held out"
        )
        bits, error, loss = (getattr(self, f"{name}_{part}") for name in ("bits", "bits_se", "predictive_loss"))
        base = getattr(self, f"base_rate_loss_{part}")
        return (
            f"<Scores: features explain {with_interval(bits, error)} bits per vertex"
            f" (loss {loss:.3f} against {base:.3f} of the base rate) on {vertices}>"
        )


def scores_from_dict(record: dict[str, Any]) -> Scores:
    """Return the scores of a record, NaN where JSON has null."""
    values = {
        field.name: _score_from(field.name, record[field.name]) for field in fields(Scores) if field.name != "notes"
    }
    return Scores(**values, notes=tuple(Note(**note) for note in record["notes"]))


def _score_from(name: str, value: Any) -> Any:
    if name.startswith("n_by_block"):
        return np.array(value, dtype=np.int64)
    if isinstance(value, list):
        return np.array([nan if x is None else x for x in value], dtype=np.float64)
    if value is None and not name.startswith("description_length"):
        return nan
    return value
