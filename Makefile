# make demo   set up, judge the drawn scenes with the tiny critic, show its scores beside those of judges that do not look
# make test   set up, then lint, types, layers and all tests
# make test-fast   the tests that start no processes: under two minutes
# make lint   ruff, mypy and the import contracts

VENV := .venv
BIN := $(VENV)/bin
PYTHON ?= python3
READY := $(VENV)/.ready

.PHONY: demo test test-fast lint format clean

$(READY): pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[transformers,dev]'
	touch $@

demo: $(READY)
	PATH="$(CURDIR)/$(BIN):$$PATH" bash examples/demo.sh

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/vlrb validate

test-fast: $(READY)
	$(BIN)/python -m pytest -n auto --dist worksteal -m "not slow" --ignore tests/conformance

test: lint
	$(BIN)/python -m pytest -n auto --dist worksteal --ignore tests/conformance

format: $(READY)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

clean:
	rm -rf $(VENV) build dist results .pytest_cache .mypy_cache .ruff_cache .import_linter_cache
