# Everything a newcomer needs: `make run` serves the sandbox, `make test` proves it.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
# What is installed, in steps: the packages of a server, Gatehouse itself, the rest for developers.
PACKAGES := $(VENV)/.packages
RUN    := $(VENV)/.run
DEV    := $(VENV)/.dev
PORT   ?= 8080
# What a new sandbox begins with: a demo account with a made-up past. PAST= leaves it out.
PAST   ?= --demo-history
ARGS   ?=
COMPILE := $(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-emit-find-links --no-header
DATA   ?=
# Tests wait for servers, disks and time limits: four workers keep two cores busy.
WORKERS ?= 4
PYTEST := $(BIN)/python -m pytest --workers $(WORKERS)
# The commit or branch that `make changed` compares with.
SINCE  ?= HEAD
# Without compiled files, every process would compile the whole program again.
export PYTHONDONTWRITEBYTECODE :=

.DEFAULT_GOAL := help
.PHONY: help setup run test quick changed new-subject format bench faults eval-names eval-sentry eval-alerts webhook-delivery soak chaos docs types editor bins networks browsers places starter demo-past lock clean screenshots release

help: ## Show this list
	@awk -F':.*## ' '/^[a-z-]+:.*## /{printf "  make %-10s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

setup: $(DEV) ## Create .venv with all that checking and training need (used by the others)

$(PACKAGES): requirements/runtime.lock requirements/build.lock
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Gatehouse needs Python 3.11 or newer; try: make $(MAKECMDGOALS) PYTHON=python3.11"; exit 1; }
	@$(PYTHON) -c 'import venv, ensurepip' 2>/dev/null || { echo "This Python cannot create environments; on Debian: apt-get install python3-venv"; exit 1; }
	@echo "Installing what running needs into $(VENV): about 450 MB, once"
	@$(PYTHON) -m venv --clear $(VENV)
	@$(BIN)/python -m pip install --disable-pip-version-check --require-hashes -r requirements/runtime.lock -r requirements/build.lock
	@touch $@

$(RUN): $(PACKAGES) pyproject.toml
	@$(BIN)/python -m pip install --disable-pip-version-check --quiet --no-deps --no-build-isolation --editable .
	@touch $@

$(DEV): $(RUN) requirements/dev.lock requirements/spark.lock clients/python/pyproject.toml
	@echo "Installing what checking and training need on top: about 900 MB, once"
	@$(BIN)/python -m pip install --disable-pip-version-check --require-hashes -r requirements/dev.lock
	@if command -v java >/dev/null; then echo "Installing Spark, because there is a Java: about 500 MB, once"; $(BIN)/python -m pip install --disable-pip-version-check --require-hashes -r requirements/spark.lock; fi
	@$(BIN)/python -m pip install --disable-pip-version-check --quiet --no-deps --no-build-isolation --editable clients/python
	@touch $@

run: $(RUN) ## Serve the sandbox on http://127.0.0.1:8080 with a demo account and the console
	@$(BIN)/gatehouse serve --port $(PORT) --console $(PAST)

test: setup ## Check everything: format, lint, types, import contract, all tests
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	@# Imports and types take a minute on one core: checked beside the tests, and said at the end.
	@{ $(BIN)/lint-imports --no-cache && $(BIN)/mypy; } > $(VENV)/.types 2>&1 & types=$$!; \
	  $(PYTEST) $(ARGS); tests=$$?; \
	  wait $$types; types=$$?; echo $(BIN)/lint-imports, $(BIN)/mypy; cat $(VENV)/.types; exit $$((tests | types))

quick: setup ## Run the tests that need no browser, Node, Spark or page (ARGS="-k ledger" for some)
	@$(PYTEST) -m "not browser and not node and not spark and not documentation" $(ARGS)

new-subject: setup ## Write a new subject of the administration that works (NAME=notes)
	@$(BIN)/python -m scripts.new_subject $(NAME)

changed: setup ## Run the tests that your changes concern (SINCE=main for those of a branch)
	@$(BIN)/python -m scripts.changed_tests --since $(SINCE) --workers $(WORKERS) $(ARGS)

format: setup ## Format the code and fix what can be fixed
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

bench: setup ## Measure speed beside a bare endpoint and the last release (ARGS=--quick, ARGS="--beside REF")
	@$(BIN)/python -m scripts.bench $(ARGS)

faults: setup ## Requests over connectors to hosts that misbehave and are restarted (ARGS="--requests 2000")
	@$(BIN)/python -m scripts.connector_faults $(ARGS)

eval-names: setup ## Measure the name matcher on labelled pairs (DATA=DIR, a folder of CSV files)
	@$(BIN)/python -m scripts.eval_names $(DATA)

eval-sentry: setup ## Measure Sentry on made-up attacks, and on labelled data (DATA=DIR, a folder of the developers' files)
	@$(BIN)/python -m scripts.eval_sentry $(DATA) $(ARGS)

eval-alerts: setup ## Measure how soon attacks show themselves, and how often honest traffic is taken for one
	@$(BIN)/python -m scripts.eval_alerts $(ARGS)

webhook-delivery: setup ## Send 10,000 events to failing webhooks while the server is killed (ARGS="--events 500")
	@$(BIN)/python -m scripts.webhook_delivery $(ARGS)

soak: setup ## Load two servers on PostgreSQL and Valkey, and see that nothing is lost (ARGS="--minutes 2")
	@$(BIN)/python -m scripts.soak $(ARGS)

chaos: setup ## The same while servers and stores are killed, paused and cut off (ARGS="--minutes 2")
	@$(BIN)/python -m scripts.soak --chaos $(ARGS)

docs: setup ## Rewrite the generated pages in docs/, the API reference, and the generated part of the Python client
	@$(BIN)/python -m scripts.generate_docs
	@$(BIN)/python -m scripts.generate_python_client
	@$(BIN)/python -m scripts.reference

types: setup ## Rewrite the types of the TypeScript client from our OpenAPI document
	@$(BIN)/python -m scripts.generate_typescript

editor: ## Rebuild the editor of rules and pipelines for the console (needs npm)
	@npm --prefix scripts/editor ci --ignore-scripts --no-audit --no-fund --loglevel=error
	@npm --prefix scripts/editor run --silent build

bins: setup ## Rebuild the packed BIN table from the package that holds its source
	@$(BIN)/python -m scripts.build_bins

networks: setup ## Rebuild the packed table of networks from the packages that hold its sources
	@$(BIN)/python -m scripts.build_networks

browsers: setup ## Rebuild the packed lists of browsers and their releases
	@$(BIN)/python -m scripts.build_browsers

starter: setup ## Rebuild the programs of the starter rule set and pipelines
	@$(BIN)/python -m scripts.build_starter

demo-past: setup ## Record the made-up past of the demo account anew
	@$(BIN)/python -m scripts.demo_past

places: setup ## Rebuild the packed facts about countries (DATA=DIR, a folder of downloaded packages)
	@$(BIN)/python -m scripts.build_places $(DATA)

screenshots: setup ## Take the pictures in docs/console/ anew (needs chromium)
	@KEEP_SCREENSHOTS=yes $(BIN)/python -m pytest tests/console/browser/test_screenshots.py

release: setup ## Build all that is published of a version into dist/release (URL=https://..., KEY=FILE, ARGS=--draft)
	@$(BIN)/python -m scripts.release $(if $(URL),--url $(URL)) $(if $(KEY),--key $(KEY)) $(ARGS)

# The other locks take their versions from dev.lock, so that one environment can hold them all.
lock: setup ## Resolve the dependencies anew into requirements/*.lock
	$(COMPILE) --upgrade pyproject.toml --extra learning --extra otel --extra s3 --group dev -o requirements/dev.lock
	$(COMPILE) --upgrade pyproject.toml --constraint requirements/dev.lock -o requirements/runtime.lock
	$(COMPILE) --upgrade pyproject.toml --extra learning --constraint requirements/dev.lock -o requirements/learning.lock
	$(COMPILE) --upgrade pyproject.toml --extra otel --constraint requirements/dev.lock -o requirements/otel.lock
	$(COMPILE) --upgrade pyproject.toml --extra s3 --constraint requirements/dev.lock -o requirements/s3.lock
	$(COMPILE) --upgrade pyproject.toml --extra spark --constraint requirements/dev.lock -o requirements/spark.lock
	$(COMPILE) --upgrade --group build --constraint requirements/dev.lock -o requirements/build.lock
	$(COMPILE) --upgrade --group clients -o requirements/clients.lock
	$(COMPILE) --upgrade --group deploy -o requirements/deploy.lock
	$(COMPILE) --upgrade --group release -o requirements/release.lock
	$(COMPILE) --upgrade --no-deps --group invoices -o requirements/invoices.lock
	$(subst 3.11,3.12,$(COMPILE)) --upgrade --no-deps --group helm -o requirements/helm.lock
	$(COMPILE) --upgrade --no-deps --group data -o requirements/data.lock

clean: ## Remove the environment and caches (keeps .gatehouse, the sandbox's data)
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis build dist
