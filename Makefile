# Legio's commands. `make run` and `make test` need Python 3.11 or later, and nothing installed by hand.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PURE := legio/nuntius.py,legio/events.py,legio/errors.py,legio/mentions.py,legio/context.py
INSTALLED := $(VENV)/.installed
INSTALLED_DEV := $(VENV)/.installed-dev

.PHONY: run test check static format bench scorecard lock clean

run: $(INSTALLED)  ## start Legio: on Telegram if the bot's token is set, else on this machine alone
	@$(BIN)/legio

test: $(INSTALLED_DEV)  ## install what tests need and run them all
	$(BIN)/pytest --numprocesses=auto --maxprocesses=4 --dist=loadfile --cov --cov-report=

check: static test  ## format, lint, types, import contracts, tests with branch coverage
	$(BIN)/coverage report --fail-under=95
	$(BIN)/coverage report --include='$(PURE)' --fail-under=100

static: $(INSTALLED_DEV)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: $(INSTALLED_DEV)
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

bench: $(INSTALLED_DEV)  ## measure against the embedded servers, in one run
	$(BIN)/python -m tests.bench

scorecard: $(INSTALLED_DEV)  ## make every fault, and write docs/scorecard.md; takes up to 40 minutes
	$(BIN)/python -m tests.scorecard

lock:  ## resolve the dependencies anew; the lock files name no host
	$(PYTHON) -m pip install --quiet uv
	$(PYTHON) -m uv pip compile pyproject.toml --universal --python-version 3.11 --generate-hashes \
		--no-emit-index-url --no-emit-find-links --no-header --quiet --upgrade -o .ci/requirements.lock
	$(PYTHON) -m uv pip compile pyproject.toml --extra dev --universal --python-version 3.11 --generate-hashes \
		--no-emit-index-url --no-emit-find-links --no-header --quiet --upgrade -o .ci/requirements-dev.lock

clean:
	rm -rf $(VENV) dist build .coverage* .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(0 if sys.version_info >= (3, 11) else "Legio needs Python 3.11 or later; this is %d.%d. Try: make PYTHON=python3.12" % sys.version_info[:2])'
	$(PYTHON) -m venv $(VENV)

$(INSTALLED): $(VENV)/bin/python .ci/requirements.lock pyproject.toml
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r .ci/requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps -e .
	@touch $@

$(INSTALLED_DEV): $(INSTALLED) .ci/requirements-dev.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r .ci/requirements-dev.lock
	@touch $@
