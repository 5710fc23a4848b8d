# What a developer does often. `make` alone lists it.
PYTHON ?= python3
BIN = .venv/bin

.PHONY: help setup test quick lint types docs lock formula ci train

help:
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## /: /'

setup: ## a virtual environment with everything for development
	$(PYTHON) -m venv .venv
	$(BIN)/pip install -q -c constraints.txt -e '.[test]'

test: ## all tests, on all cores
	$(BIN)/python -m pytest -n auto

quick: ## the tests without the slow ones
	$(BIN)/python -m pytest -n auto -m "not slow"

lint: ## style, format and floors
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports

# mypy wants the package under its own name, whatever the checkout is called.
types: ## types, strictly
	link=$$(mktemp -d) && ln -s "$(CURDIR)" "$$link/verifytui" && cd "$$link" && \
	"$(CURDIR)/$(BIN)/mypy" --config-file verifytui/pyproject.toml -p verifytui; code=$$?; rm -r "$$link"; exit $$code

docs: ## the pages as a site, in build/site
	$(BIN)/python -m mkdocs build --strict --site-dir build/site

# Nothing younger than seven days enters it: most malicious releases are found by then.
BEFORE = $(shell date -u -d '7 days ago' +%Y-%m-%dT%H:%M:%SZ 2>/dev/null || date -u -v-7d +%Y-%m-%dT%H:%M:%SZ)
lock: ## requirements.lock at the versions of constraints.txt (needs uv)
	grep '^#' requirements.lock >requirements.new
	uv pip compile pyproject.toml -c constraints.txt --exclude-newer $(BEFORE) --generate-hashes \
	  --universal --python-version 3.11 --no-annotate --no-header --quiet >>requirements.new
	mv requirements.new requirements.lock

formula: ## packaging/verifytui.rb from requirements.lock (needs uv); SDIST=FILE sets its hash
	uv pip compile pyproject.toml -c requirements.lock --format pylock.toml --universal \
	  --python-version 3.11 --no-annotate --no-header --quiet >pylock.new.toml
	$(PYTHON) packaging/homebrew.py $(SDIST) <pylock.new.toml >verifytui.new
	rm pylock.new.toml && mv verifytui.new packaging/verifytui.rb

ci: ## everything that must hold before a change lands
	.ci/run

train: ## the tests that need torch, in an environment of their own
	.ci/train
