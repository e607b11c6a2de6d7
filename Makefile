# Everything sets itself up in .venv; only Python >= 3.11, git and make are needed.
# PYTHON=... chooses another Python, PYTEST=... gives options to pytest.

PYTHON ?= $(shell for python in python3 python3.14 python3.13 python3.12 python3.11; do \
	$$python -c 'import ensurepip, sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$python && break; done)
VENV := .venv
BIN := $(VENV)/bin
INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check
LOCK := $(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header

.PHONY: demo test lint check docs venv binaries lock clean

# A whole turn over the embedded default: commit, plan, status branch, apply, a taint, the moved replicas.
demo: $(VENV)/.runtime
	$(BIN)/gitops-karmada demo

# All tests; kube-apiserver and its companions are built once where they are absent.
test: binaries
	$(BIN)/python -m pytest $(PYTEST)

# What can be said without running anything.
lint: $(VENV)/.dev
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

check: lint test

# Write the pages that follow from the program.
docs: $(VENV)/.dev
	$(BIN)/python docs/generate.py

venv: $(VENV)/.dev

binaries: $(VENV)/.dev
	$(BIN)/python -m tests.envtest.binaries

$(VENV)/.python:
	@test -n "$(PYTHON)" || { echo "No Python >= 3.11 with venv found; install one, or say PYTHON=/path/to/python."; exit 1; }
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@touch $@

$(VENV)/.runtime: $(VENV)/.python requirements/runtime.txt requirements/build.txt pyproject.toml
	$(INSTALL) --require-hashes -r requirements/runtime.txt -r requirements/build.txt
	$(INSTALL) --no-deps --no-build-isolation --editable .
	@touch $@

$(VENV)/.dev: $(VENV)/.runtime requirements/dev.txt
	$(INSTALL) --require-hashes -r requirements/dev.txt
	@touch $@

# Renew the lock files from pyproject.toml. UPGRADE=--upgrade takes newer versions of everything.
lock: $(VENV)/.dev
	$(LOCK) $(UPGRADE) --extra dev --group build pyproject.toml -o requirements/dev.txt
	$(LOCK) --constraint requirements/dev.txt pyproject.toml -o requirements/runtime.txt
	$(LOCK) --constraint requirements/dev.txt --group build -o requirements/build.txt
	$(LOCK) $(UPGRADE) --group go -o requirements/go.txt

clean:
	rm -rf $(VENV) build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
