# Every target sets up what it needs: a fresh clone, Python 3.11 or newer and make are enough
# (`make live` also needs node and npm). `make help` lists the targets.

PYTHON ?= python3
# How hard `make test-long` tries: a hypothesis profile of tests/conftest.py.
HYPOTHESIS_PROFILE ?= nightly
VENV := .venv
BIN := $(VENV)/bin
export PIP_DISABLE_PIP_VERSION_CHECK := 1

# Stamps carry the checksum of what they were made from, so a changed file or another branch renews
# the environment and nothing else does.
checksum = $(shell cat $(1) | cksum | cut -d ' ' -f 1)
PINNED := $(VENV)/pinned-$(call checksum,requirements/dev.txt)
READY := $(VENV)/ready-$(call checksum,requirements/dev.txt pyproject.toml guard/__init__.py)

.PHONY: help venv demo test test-clock test-long live live-vscode lint types bench fuzz corpus-table build wheel-check \
	man prices requirements clean
.DELETE_ON_ERROR:

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]*:.*## / {printf "%-14s%s\n", $$1, $$2}' Makefile

venv: $(READY) ## the environment in .venv

demo: $(READY) ## the whole cycle in a scratch home, no agent needed
	$(BIN)/runaway demo

test: $(READY) ## everything but the long and the live tests
	$(BIN)/python -m pytest -q -nauto --dist=loadfile

test-clock: $(READY) ## the same on another day, at midnight, where clocks change, a day ahead of the world
	$(BIN)/python -m tools.clocks $(CLOCKS)

test-long: $(READY) ## the long tests, and the property tests with 10,000 examples each
	HYPOTHESIS_PROFILE=$(HYPOTHESIS_PROFILE) $(BIN)/python -m pytest -q -nauto --dist=worksteal \
		-m '(long or hypothesis) and not live' $(LONG)

live: $(READY) ## the real harness CLIs against the loopback model server
	$(BIN)/python -m tools.live_harnesses
	$(BIN)/python -m pytest -q -nauto --dist=loadfile -m live tests/live

live-vscode: $(READY) ## the chat of the real VS Code; needs node, npm and Chromium, and 600 MB
	$(BIN)/python -m tools.live_vscode
	$(BIN)/python -m pytest -q -m live_vscode tests/live_vscode

lint: $(READY) .types/runaway ## ruff: rules and format; import-linter: floors, no circles
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	PYTHONPATH=.types $(BIN)/lint-imports --no-cache

types: $(READY) .types/runaway ## mypy --strict; the guard also as its oldest checkable Python
	$(BIN)/mypy -p runaway
	$(BIN)/mypy tests tools
	$(BIN)/mypy --python-version 3.10 -p runaway.guard

bench: $(READY) ## what one guarded tool call costs against a bare Python start
	$(BIN)/python -m tools.bench

fuzz: $(READY) ## random and mutated payloads and transcripts against the guard
	$(BIN)/python -m tools.fuzz

corpus-table: $(READY) ## the table of nasty settings files for docs/editing-safely.md
	$(BIN)/python -m tools.corpus_table

build: $(READY) ## wheel and sdist in dist/
	@rm -rf build dist *.egg-info
	$(BIN)/python -m build --quiet --no-isolation --outdir dist
	@rm -rf build *.egg-info

wheel-check: build ## the built wheel in clean environments, alone and beside Poetry
	$(BIN)/python -m tools.wheel_check dist/*.whl

man: $(READY) ## renew docs/runaway.1 and the picture docs/demo.svg
	$(BIN)/python -m tools.make_man
	$(BIN)/python -m tools.make_picture

prices: $(READY) ## renew guard/price_table.py from its two sources
	$(BIN)/python -m tools.make_prices

requirements: ## renew requirements/*.txt from *.in (needs uv)
	cd requirements && for name in runtime dev beside-poetry; do \
		uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header \
			--no-annotate --no-emit-index-url --no-emit-find-links $$name.in -o $$name.txt || exit; \
	done

clean: ## remove everything that make made
	rm -rf $(VENV) .types .cache build dist *.egg-info .mypy_cache .pytest_cache .ruff_cache .hypothesis
	find guard installer tests tools -name __pycache__ -type d -prune -exec rm -rf {} +

$(PINNED):
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { \
		found=$$($(PYTHON) -c 'import sys; print(sys.version.split()[0])' 2>/dev/null); \
		echo "runaway needs Python 3.11 or newer, and '$(PYTHON)' is $${found:-not there};" \
			"name another one: make PYTHON=/path/to/python3.11 $(MAKECMDGOALS)" >&2; exit 1; }
	$(PYTHON) -m venv --clear $(VENV)
	$(BIN)/python -m pip install --quiet --require-hashes -r requirements/dev.txt
	@touch $@

$(READY): $(PINNED)
	$(BIN)/python -m pip install --quiet --no-deps --no-build-isolation --editable .
	@rm -f $(VENV)/ready-*; touch $@

.types/runaway:
	@mkdir -p $@
	@ln -sfn ../../guard $@/guard
	@ln -sfn ../../installer $@/installer
