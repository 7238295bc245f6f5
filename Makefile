# Everything is installed into .venv by `make install`; the other targets call it themselves.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
STAMP  := $(VENV)/.installed

.DEFAULT_GOAL := help

help:  ## show what there is
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  %-10s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

install: $(STAMP)  ## make .venv with everything that is needed, by hash

$(STAMP): requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; v = sys.version_info; sys.exit(0 if v >= (3, 11) else f"Interlock needs Python 3.11 or newer; this is {v[0]}.{v[1]}. Try: make PYTHON=python3.12 install")'
	@echo "installing into $(VENV) (a minute or two the first time)"
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-build-isolation --no-deps -e .
	@touch $@

demo: install  ## run the shipped bundle on a real Temporal server, kill the worker half-way, and clean up
	@$(BIN)/python -m demo

test: install  ## all tests that Python alone can run
	@$(BIN)/python -m pytest -n 2 --dist loadfile --no-loadscope-reorder

check: lint types  ## lint, types, layers, and the shipped specs
	@$(BIN)/interlock check specs

lint: install
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/lint-imports --no-logo 2>/dev/null || $(BIN)/lint-imports

types: install
	@$(BIN)/mypy

fmt: install  ## format the Python code
	@$(BIN)/ruff check --fix-only .
	@$(BIN)/ruff format .

golden: install  ## write the golden files anew; read the diff before you commit it
	@INTERLOCK_UPDATE_GOLDEN=1 $(BIN)/python -m pytest tests/compiler tests/docs

docs: install  ## write the generated reference pages anew
	@$(BIN)/python -m docs.generate

bench: install  ## measure against named rivals, in one run
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements-bench.lock
	@$(BIN)/python -m benchmarks

faults: install  ## the long fault and attack runs (CI runs a short form of each)
	@INTERLOCK_FAULTS=long $(BIN)/python -m pytest tests/faults

lock: install  ## resolve the requirements anew (needs uv)
	@uv pip compile --quiet --universal --generate-hashes --no-header --no-annotate --python-version 3.11 --extra dev pyproject.toml -o requirements.lock
	@uv pip compile --quiet --universal --generate-hashes --no-header --no-annotate --python-version 3.11 --extra bench -c requirements.lock pyproject.toml -o requirements-bench.lock

clean:  ## remove what make and the tests left
	@rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis .interlock dist

.PHONY: help install demo test check lint types fmt golden docs bench faults lock clean
