"""What is promised to users is there: names, arguments, attributes, options, and their places in the reference."""

import dataclasses
import inspect
import re
from pathlib import Path

import pytest

import ffbm
from ffbm.types.network import Features, Graph
from ffbm.types.selection import SelectionTrace

REFERENCE = (Path(__file__).parents[2] / "docs" / "api.md").read_text(encoding="utf-8")
ARGUMENTS = {
    "align_blocks": "",
    "as_network": "",
    "compare": "",
    "description_length": "n_blocks prior degree_corrected node_type",
    "evidence": "n_blocks columns",
    "fit": "n_blocks target memberships sigma intercept sampler train_fraction k n_kept n_sweeps burn_in thin n_warmup"
    " n_draws n_chains seed workers blocks out resume progress weight_prior intercept_sd fdr column_groups max_minutes"
    " tempering folds degree_corrected hierarchy directed node_type edge_weight impute preset nodes",
    "load_dataset": "",
    "load_fit": "",
    "permutation_test": "columns n_permutations within seed workers",
    "rank_features": "k n_kept rule",
    "read_network": "nodes",
    "reproduce": "runs",
    "sample_blocks": "n_blocks n_sweeps burn_in thin n_chains seed moves",
    "sample_weights": "rows sigma intercept weight_prior sampler n_draws n_warmup n_chains seed",
    "simulate": "",
    "verify": "",
}
ATTRIBUTES = {
    ffbm.Network: "n_nodes n_edges n_features node_ids graph notes features",
    Features: "values names columns support",
    Graph: "is_directed",
    ffbm.BlockTrace: "labels entropy best_labels best_entropy candidates",
    ffbm.Memberships: "probs labels agreement modes",
    ffbm.WeightTrace: "weights energy selected column_names",
    SelectionTrace: "inclusion scales",
    ffbm.Ranking: "order kept cutoff mean sd table by_column",
    ffbm.Evidence: "nats error curve",
    ffbm.Fit: "network config train blocks memberships weights ranking scores reduced diagnostics converged summary"
    " predict effects to_datatree to_networkx save plot report column_table block_table to_frame explanation tree level"
    " check sentence imputed link_scores link_probabilities to_inference_data",
}
OPTIONS = (
    "--nodes --blocks --target --keep --chains --workers --seed --out --resume --config --json --quiet --strict --id"
    " --source-column --target-column --include --exclude --drop --missing --categorical --multiplicity --min-support"
    " --weight-prior --no-intercept --preset --max-minutes --directed --undirected --edge-weight --node-type"
    " --hierarchy --no-degree-correction --impute --evidence --columns --verbose --numeric --merge --encoding"
)


def test_every_public_name_is_in_the_reference():
    shown = set(re.findall(r"^::: ffbm\.(\w+)$", REFERENCE, re.MULTILINE))
    assert set(ffbm.__all__) - {"__version__"} <= shown
    assert "`ffbm.__version__`" in REFERENCE


@pytest.mark.parametrize("name", ARGUMENTS)
def test_functions_take_what_is_promised(name):
    assert name in ffbm.__all__
    parameters = inspect.signature(getattr(ffbm, name)).parameters
    assert set(ARGUMENTS[name].split()) <= set(parameters)


@pytest.mark.parametrize("kind", ATTRIBUTES, ids=lambda kind: kind.__name__)
def test_results_have_what_is_promised(kind):
    fields = {field.name for field in dataclasses.fields(kind)} if dataclasses.is_dataclass(kind) else set()
    assert {name for name in ATTRIBUTES[kind].split() if name not in fields and not hasattr(kind, name)} == set()


def test_the_command_line_has_what_is_promised():
    from typer.main import get_command

    from ffbm.cli import app

    options = {name for one in get_command(app).commands["fit"].params for name in (*one.opts, *one.secondary_opts)}
    assert set(OPTIONS.split()) <= options
    assert {
        "fit",
        "describe",
        "test",
        "check",
        "links",
        "report",
        "reproduce",
        "verify",
        "datasets",
        "simulate",
    } <= set(get_command(app).commands)
