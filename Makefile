# Everything runs in .venv, which each target makes for itself.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
INSTALLED := $(VENV)/.installed
READY := $(VENV)/.ready
PEERS := .venv-peers

# The paper's data and reference values, where they lie beside the checkout.
SHARED := $(abspath $(CURDIR)/../shared)
ifneq ($(wildcard $(SHARED)/data),)
export FFBM_DATA ?= $(SHARED)/data
endif
ifneq ($(wildcard $(SHARED)),)
export FFBM_SHARED ?= $(SHARED)
endif

PYTEST := $(BIN)/python -m pytest -n auto --dist worksteal

.PHONY: setup demo test test-all lint format docs bench peers clean

setup: $(READY)

$(INSTALLED): pyproject.toml
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@echo "Installing ffbm into $(VENV): a minute or two ..."
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -e .
	@touch $@

$(READY): $(INSTALLED)
	@echo "Installing the development parts into $(VENV): a minute or two ..."
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -e ".[dev]"
	@touch $@

demo: $(INSTALLED)
	@$(BIN)/ffbm describe polbooks
	@echo
	@rm -rf runs/polbooks
	@$(BIN)/ffbm fit polbooks --blocks 3 --seed 1 --out runs/polbooks
	@echo "Beside report.html are ranking.csv, nodes.csv, and network.graphml for Gephi."

test: $(READY)
	$(PYTEST) -m "not slow"

test-all: $(READY)
	$(PYTEST)

lint: $(READY)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: $(READY)
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

# The theme tells of MkDocs 2 at every build; version 1 is asked for in pyproject.toml, so the notice is switched off.
docs: $(READY)
	@NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict
	@echo "Open site/index.html in a browser."

BENCHMARKS := reading diagnostics blocks search hierarchy scale weights reliability
bench: $(READY)
	@for name in $(BENCHMARKS); do echo "== $$name"; $(BIN)/python benchmarks/$$name.py || exit 1; done

# graph-tool comes from the system's package manager (Debian: python3-graph-tool), numpyro into an environment of its own.
peers: $(READY) $(PEERS)/.ready
	@/usr/bin/python3 -c "import graph_tool" 2>/dev/null || { [ "$$(id -u)" = 0 ] && apt-get update -qq && apt-get install -y -qq python3-graph-tool gir1.2-gtk-3.0 python3-cairo python3-matplotlib; } || echo "graph-tool is missing: its comparisons are skipped"
	$(PYTEST) -m peer

$(PEERS)/.ready: Makefile
	@test -x $(PEERS)/bin/python || $(PYTHON) -m venv $(PEERS)
	@$(PEERS)/bin/python -m pip install --quiet --disable-pip-version-check numpyro
	@touch $@

clean:
	rm -rf $(VENV) $(PEERS) build dist site .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis
