"""The settings of a fit: every keyword of ``ffbm.fit`` that is a plain value, checked, to and from TOML."""

import json
import os
import tomllib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from math import floor
from pathlib import Path
from typing import Any

from ffbm.check import (
    check_bool,
    check_bool_or,
    check_choice,
    check_groups,
    check_int,
    check_int_or,
    check_real,
    check_scale,
    check_seed,
    check_tempering,
)
from ffbm.errors import OptionError, keyword
from ffbm.plain import did_you_mean
from ffbm.run_options import RUN_OPTIONS

READING = "reading"  # the table of a settings file that says how its network was read
TARGETS = ("cut", "joint")
MEMBERSHIPS = ("averaged", "drawn")
PLANNED_SWEEPS = 4000  # of chains that run until they converge: most end there
PLANNED_DRAWS = 1000  # of weight chains, at the first check: most end there
JOINT_SWEEPS = 1000  # of the joint stages, if nothing is said
_USUAL_MINUTES, _LEAST_EFFORT = 10.0, 0.1
_FOLDS, _LEAST_FOLDED, MOST_FOLDED = 5, 10, 5000  # folds="auto", and for how many vertices
WEIGHT_PRIORS = ("learned", "fixed")
MEANT_BY_NONE: dict[str, Any] = {"weight_prior": "learned", "n_kept": "all"}  # the value that None means
_FIXED, _LEARNED = keyword("weight_prior", '"fixed"'), keyword("weight_prior", '"learned"')
_HIERARCHY = keyword("hierarchy", True)
SIGMA_IS_FIXED = f"sigma is of {_FIXED}: give that too, or leave sigma out"
PRESETS: dict[str, dict[str, Any]] = {  # all that the paper does; what the defaults are today does not matter
    "paper": {
        "target": "cut",
        "memberships": "averaged",
        "weight_prior": "fixed",
        "sigma": 1.0,
        "intercept": False,
        "train_fraction": 0.7,
        "folds": 1,
        "k": 1.0,
        "n_kept": 10,
        "n_sweeps": 1000,
        "n_draws": 1000,
        "tempering": False,
        "degree_corrected": True,
        "directed": False,
    }
}


@dataclass(frozen=True)
class FitConfig:
    """What is chosen for a fit; the names and defaults are those of the keywords of ``ffbm.fit``.

    Parameters
    ----------
    n_blocks : int or "auto"
        B; with ``node_type`` a dict of numbers by type, or "auto".
    target : {"cut", "joint"}
        p(b | A) p(theta | X, y), or the model's own posterior p(b, theta | A, X).
    memberships : {"averaged", "drawn"}
        Weights given the averaged memberships y-hat, or given every kept partition in turn.
    sigma : float, list or dict
        Under the fixed prior, the standard deviation of a weight: of all, one for each feature, or by column.
    intercept, sampler : bool, str
        A feature that is 1 everywhere (if left out, under the learned prior), "hmc" or "mala".
    train_fraction : float
        f: floor(f N) vertices train the weights, the others test them.
    folds : int or "auto"
        How many parts vertices are dealt into, each held out once for the scores; 1 or None for the one split.
    columns : int or "all"
        How many columns are tested beyond the others.
    k, n_kept : float, int or "all"
        k of the paper's ranking; how many of its first columns a second fit keeps, features under the fixed prior (D').
        "all", the default, for no second fit.
    n_sweeps, burn_in, thin, moves : int or "auto", float, int, str
        Of the block chains; "auto" runs them until they converge.
    max_minutes : float
        How long a fit with ``n_sweeps="auto"`` or ``n_draws="auto"`` may take, report included.
    tempering : bool, "auto" or list of inverse temperatures
        Replica exchange of the chains of blocks, of hierarchies, or of the joint chains.
    degree_corrected : bool
        Whether vertices of one block may differ in degree.
    directed : "auto" or bool
        Whether edges have a direction: as the network says, or without it.
    edge_weight : text or False, optional
        The column of the edges' weights; False ignores them. None does as the network was read.
    edge_weight_model, edge_weight_prior : text, "microcanonical" or dict, optional
        What weights are taken for; None does as the network was read.
    weight_prior : {"learned", "fixed"}
        One that learns a scale for each column and which columns matter, or the paper's with ``sigma``: see
        ``choose_prior``.
    intercept_sd, fdr, column_groups : float, float, dict
        Under the learned prior: the prior deviation of intercepts, the share of false ones allowed among the columns
        that matter, and columns that are included together.
    hierarchy : bool
        Blocks at every scale: the nested model, and a tree whose splits are explained.
    impute : bool or "independent"
        Whether cells without an answer are sampled with the weights; whether columns are independent a priori.
    preset : "paper", optional
        What is left at its default is that of the paper.
    node_type : text, optional
        The column whose values are types: vertices of different types never share a block.
    n_warmup, n_draws : int, int or "auto"
        Of the weight chains; "auto" runs them until they converge.
    n_chains : int
        C, of both.
    seed : int, optional
        None draws one; the fit records which.

    Examples
    --------
    >>> config = FitConfig(n_blocks=3, seed=7)
    >>> FitConfig.from_toml(config.to_toml()) == config
    True
    >>> FitConfig(n_blocks=0)
    Traceback (most recent call last):
        ...
    ffbm.errors.OptionError: n_blocks must be a whole number, at least 1, or 'auto'; got 0
    """

    n_blocks: Any = "auto"  # a number, or with node_type a dict of them
    target: str = "cut"
    memberships: str = "averaged"
    sigma: float | list[float] | dict[str, float] = 1.0
    intercept: bool | None = None
    sampler: str = "hmc"
    train_fraction: float = 0.7
    k: float = 1.0
    n_kept: int | str | None = None
    n_sweeps: int | str = "auto"
    burn_in: float = 0.2
    thin: int = 5
    n_warmup: int = 500
    n_draws: int | str = "auto"
    n_chains: int = 4
    seed: int | None = None
    folds: int | str | None = "auto"
    moves: str = "default"
    degree_corrected: bool = True
    directed: bool | str = "auto"
    max_minutes: float = 10.0
    tempering: bool | str | list[float] = "auto"
    weight_prior: str | None = None
    intercept_sd: float = 1.28
    fdr: float = 0.1
    column_groups: dict[str, list[str]] | None = None
    preset: str | None = None
    hierarchy: bool = False
    columns: int | str = 12
    edge_weight: str | bool | None = None
    edge_weight_model: str | None = None
    edge_weight_prior: str | dict[str, float] | None = None
    node_type: str | None = None
    impute: bool | str = False

    def __post_init__(self) -> None:
        if self.preset is not None:
            self._take_preset()
        target = check_choice("target", self.target, TARGETS)
        prior = choose_prior(self.weight_prior)
        learns, n_kept = prior == "learned", MEANT_BY_NONE["n_kept"] if self.n_kept is None else self.n_kept
        checked = {
            "n_blocks": self._check_blocks(),
            "target": target,
            "weight_prior": prior,
            "memberships": check_choice("memberships", self.memberships, MEMBERSHIPS),
            "sigma": check_scale("sigma", self.sigma),
            "intercept": learns if self.intercept is None else check_bool("intercept", self.intercept),
            "sampler": check_choice("sampler", self.sampler, ("hmc", "mala")),
            "train_fraction": check_real("train_fraction", self.train_fraction, low=0, high=1, above=True),
            "k": check_real("k", self.k, low=0),
            "n_kept": check_int_or("all", "n_kept", n_kept, low=1),
            "n_sweeps": check_int_or("auto", "n_sweeps", self.n_sweeps, low=1),
            "burn_in": check_real("burn_in", self.burn_in, low=0, high=1),
            "thin": check_int("thin", self.thin, low=1),
            "n_warmup": check_int("n_warmup", self.n_warmup, low=0),
            "n_draws": check_int_or("auto", "n_draws", self.n_draws, low=1),
            "n_chains": check_int("n_chains", self.n_chains, low=1),
            "seed": None if self.seed is None else check_seed(self.seed),
            "folds": 1 if self.folds is None else check_int_or("auto", "folds", self.folds, low=1),
            "columns": check_int_or("all", "columns", self.columns, low=0),
            "moves": check_choice("moves", self.moves, ("default", "single")),
            "degree_corrected": check_bool("degree_corrected", self.degree_corrected),
            "directed": check_bool_or("directed", self.directed, "auto"),
            "max_minutes": check_real("max_minutes", self.max_minutes, low=0, above=True),
            "tempering": check_tempering(self.tempering),
            "intercept_sd": check_real("intercept_sd", self.intercept_sd, low=0, above=True),
            "fdr": check_real("fdr", self.fdr, low=0, high=1),
            "column_groups": _check_groups(self.column_groups),
            "hierarchy": check_bool("hierarchy", self.hierarchy),
            "impute": check_bool_or("impute", self.impute, "independent"),
        }
        for name, value in checked.items():
            object.__setattr__(self, name, value)
        if self.column_groups is not None and not learns:
            raise OptionError(f"column_groups are for {_LEARNED}; got {_FIXED}: leave them out")
        if learns and self.sigma != 1.0:
            raise OptionError(SIGMA_IS_FIXED)
        if self.hierarchy:
            self._check_hierarchy()
        if self.edge_weight is True or not isinstance(self.edge_weight, str | bool | None):
            raise OptionError(
                f"{keyword('edge_weight')} must be the name of a column, False or None; got {self.edge_weight!r}"
            )

    def _check_blocks(self) -> Any:
        """Return the number of blocks, or those of each type."""
        if self.node_type is None or not isinstance(self.n_blocks, Mapping):
            return check_int_or("auto", "n_blocks", self.n_blocks, low=1)
        return {str(value): check_int(f"n_blocks of {value!r}", n, low=1) for value, n in self.n_blocks.items()}

    def _check_hierarchy(self) -> None:
        """Refuse settings that a hierarchy does not take."""
        if self.target == "joint":
            joint = _HIERARCHY + " with " + keyword("target", '"joint"')
            if self.weight_prior != "learned":
                raise OptionError(f"{joint} is for {_LEARNED}; got {_FIXED}: leave one of them out")
            if self.node_type is not None:
                came = keyword("node_type", repr(self.node_type))
                raise OptionError(f"{joint} is for vertices of one type; got {came}: leave one of them out")
        if self.n_blocks != "auto":
            came = keyword("n_blocks", self.n_blocks)
            raise OptionError(f"{_HIERARCHY} finds the number of blocks; got {came}: leave it out")
        if self.impute:
            came = keyword("impute", "")
            raise OptionError(f"{_HIERARCHY} does not sample missing cells; got {came}: leave one of them out")

    def _take_preset(self) -> None:
        """Replace settings that are at their defaults by those of the preset."""
        check_choice("preset", self.preset, tuple(PRESETS))
        defaults = {field.name: field.default for field in fields(self)}
        for name, value in PRESETS[str(self.preset)].items():
            if getattr(self, name) == defaults[name]:
                object.__setattr__(self, name, value)

    def n_folds(self, n_nodes: int) -> int:
        """Return how many folds the scores of N vertices have; 1 is the one split.

        "auto" means 5 folds for 10 to 5,000 vertices. It means the one split for fewer or more, for the joint
        posterior, and where ``train_fraction`` was given.

        >>> FitConfig().n_folds(5000), FitConfig().n_folds(5001), FitConfig(train_fraction=0.5).n_folds(100)
        (5, 1, 1)
        """
        if isinstance(self.folds, int):
            return self.folds
        may_fold = self.target == "cut" and self.train_fraction == FitConfig.train_fraction
        return _FOLDS if may_fold and _LEAST_FOLDED <= n_nodes <= MOST_FOLDED else 1

    @property
    def is_open(self) -> bool:
        """Whether chains run until they converge, and ``max_minutes`` says how long a fit takes at most."""
        return isinstance(self.n_sweeps, str) or isinstance(self.n_draws, str)

    @property
    def effort(self) -> float:
        """How much work a fit does where that is set by sizes and not by the clock: 1 is that of ten minutes.

        It falls in proportion to ``max_minutes``, to a tenth at the least.

        >>> FitConfig(max_minutes=1).effort, FitConfig().effort, FitConfig(max_minutes=1, n_sweeps=9, n_draws=9).effort
        (0.1, 1.0, 1.0)
        """
        return min(max(self.max_minutes / _USUAL_MINUTES, _LEAST_EFFORT), 1.0) if self.is_open else 1.0

    @property
    def countable_sweeps(self) -> int:
        """The number of sweeps; of chains that run until they converge, the number at which most of them end."""
        return self.n_sweeps if isinstance(self.n_sweeps, int) else PLANNED_SWEEPS

    @property
    def countable_draws(self) -> int:
        """The number of draws of a weight chain; of one that runs until it converges, that of the first check."""
        return self.n_draws if isinstance(self.n_draws, int) else PLANNED_DRAWS

    @property
    def known_seed(self) -> int:
        """The seed, which the public functions draw where None was given."""
        if self.seed is None:
            raise AssertionError("a fit records its seed")
        return self.seed

    def to_dict(self) -> dict[str, Any]:
        """Return the settings by name."""
        return asdict(self)

    def pick(self, *names: str) -> dict[str, Any]:
        """Return some settings by name, as keywords of a stage.

        >>> FitConfig().pick("thin", "n_chains")
        {'thin': 5, 'n_chains': 4}
        """
        return {name: getattr(self, name) for name in names}

    def to_toml(self) -> str:
        """Return the settings as TOML, one per line; those that are None are left out, since TOML has no null."""
        return "".join(f"{name} = {toml_of(value)}\n" for name, value in self.to_dict().items() if value is not None)

    @classmethod
    def from_toml(cls, text: str, where: str = "the TOML text") -> "FitConfig":
        """Return the settings that a TOML text holds, the defaults for those it does not."""
        return cls.from_dict(parse_settings(text, where), where)

    @classmethod
    def from_dict(cls, settings: Mapping[str, Any], where: str = "the settings") -> "FitConfig":
        """Return the settings given by name; options that say how a fit is run are dropped, and other names refused."""
        named = check_names(settings, where)
        return cls(**{name: value for name, value in named.items() if name not in RUN_OPTIONS})


def choose_prior(weight_prior: str | None) -> str:
    """Return the prior of the weights: if left out, the learned one.

    >>> choose_prior(None), choose_prior("fixed")
    ('learned', 'fixed')
    """
    if weight_prior is None:
        return str(MEANT_BY_NONE["weight_prior"])
    return check_choice("weight_prior", weight_prior, WEIGHT_PRIORS)


def burn_sweeps(burn_in: float, n_sweeps: int) -> int:
    """Return how many sweeps are dropped as burn-in: that share of them, rounded down.

    >>> burn_sweeps(0.29, 100)  # where 0.29 * 100 is 28.999...
    29
    """
    return floor(burn_in * n_sweeps + 1e-9)


def read_settings(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Read a TOML file of settings; its keys are keywords of ``ffbm.fit``."""
    try:
        text = Path(path).read_text(encoding="utf-8")
    except OSError as error:
        raise OptionError(f"cannot read the settings in {os.fspath(path)} ({error.strerror})") from error
    except UnicodeDecodeError as error:
        raise OptionError(f"{os.fspath(path)} must be a TOML file in UTF-8; byte {error.start} is not") from error
    return parse_settings(text, os.fspath(path))


def parse_settings(text: str, where: str) -> dict[str, Any]:
    """Return the keys and values of a TOML text whose keys are keywords of ``ffbm.fit``.

    >>> parse_settings("n_blocks = 3", "fit.toml")
    {'n_blocks': 3}
    >>> parse_settings("nblocks = 3", "fit.toml")
    Traceback (most recent call last):
        ...
    ffbm.errors.OptionError: fit.toml has an unknown setting 'nblocks'; did you mean 'n_blocks'?
    """
    try:
        settings = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise OptionError(f"{where} must be TOML, as in n_blocks = 3 on a line of its own; {error}") from error
    settings.pop(READING, None)  # how the network was read: see results/settings_file.py
    return check_names(settings, where)


def check_names(settings: Mapping[str, Any], where: str) -> dict[str, Any]:
    """Return ``settings`` if all names in it are settings of a fit, or say how it is run."""
    names = [*(field.name for field in fields(FitConfig)), *RUN_OPTIONS]
    for name in settings:
        if name not in names:
            hint = did_you_mean(name, names) or f"there are {', '.join(names)}"
            raise OptionError(f"{where} has an unknown setting {name!r}; {hint}")
    return dict(settings)


def _check_groups(value: Any) -> dict[str, list[str]] | None:
    if value is None:
        return None
    check_groups(value)
    return {str(name): [str(column) for column in part] for name, part in value.items()}


def toml_of(value: Any) -> str:
    """Write one value as TOML has it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")  # TOML's escapes are JSON's and this
    if isinstance(value, list):
        return f"[{', '.join(map(toml_of, value))}]"
    if isinstance(value, dict):
        return f"{{{', '.join(f'{toml_of(name)} = {toml_of(one)}' for name, one in value.items())}}}"
    return repr(value)
