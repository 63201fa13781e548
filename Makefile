# Nothing is needed but make and Python 3.10 or newer; another interpreter than python3: make demo PYTHON=python3.12
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# What is installed there: the package with its sandbox; what contributors need; what the long tests, and the site, need.
PACKAGE := $(VENV)/.package
STAMP := $(VENV)/.complete
BROWSERS := $(VENV)/.browsers
DOCS := $(VENV)/.docs
PIP := $(BIN)/python -m pip install --disable-pip-version-check --no-input
LOWEST := .cache/lowest
# Twice the two processors this is measured on: a third of the tests' time is waits. Each worker collects all tests.
WORKERS ?= 4
TESTS := tests:tests/provider:tests/tools:tools
LANGUAGES ?= dotnet go java nodejs python
export REPOSITORY_URL
# One by one: each has a module of the same name.
TYPED_EXAMPLES := fleet golden-signals key-rotation observability organization self-service

# Every worker imports all tests, and asserts in them are rewritten: with bytecode kept, in a third of the time.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help env demo docs test test-thing test-all resource lint types layers generated tests long-tests coverage lowest simulate faults cli-kills generate description acceptance bench performance trace state-of-release dist sbom audit sdks clean

help: ## Show the targets
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1|\2/p' $(MAKEFILE_LIST) | awk -F'|' '{ printf "%-18s%s\n", $$1, $$2 }'

env: $(STAMP) ## Make the environment of contributors in .venv, once

$(PACKAGE): setup.py
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 10) and "Python 3.10 or newer is needed; choose one: make PYTHON=...")'
	@echo "Making the environment in $(VENV); this takes a minute, once."
	$(PYTHON) -m venv $(VENV)
	$(PIP) -e '.[sandbox]'
	@touch $@

$(STAMP): $(PACKAGE)
	@echo "Adding what contributors need; this takes a minute or two, once."
	$(PIP) -e '.[dev]'
	@touch $@

$(DOCS): $(PACKAGE)
	@echo "Adding what the site needs; this takes a minute, once."
	$(PIP) -e '.[docs]'
	@touch $@

$(BROWSERS): $(STAMP)
	@echo "Adding what the long tests need; this takes a minute, once."
	$(PIP) -e '.[dev,browsers]'
	@touch $@

demo: $(PACKAGE) ## Watch a program create, preview, change, drift, repair and destroy
	@$(BIN)/python -m examples.demo

test: env ## Run what a change needs: style, types, layers, generated files, quick tests
	$(MAKE) --jobs 2 lint types layers generated
	$(MAKE) tests

test-all: test long-tests ## Run the tests that take long, too

lint: env ## Look for faults of style
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: env ## Check the types
	$(BIN)/mypy
	$(BIN)/mypy -p examples.demo
	MYPYPATH=examples/quickstart $(BIN)/mypy examples/quickstart
	$(BIN)/mypy examples/policy-pack
	MYPYPATH=examples/own-rules $(BIN)/mypy examples/own-rules
	for example in $(TYPED_EXAMPLES); do $(BIN)/mypy examples/$$example || exit 1; done

layers: env ## Check that imports point downwards
	$(BIN)/lint-imports

generated: env ## Check that the generated files are those of today's models
	PYTHONPATH=tools $(BIN)/python -m codegen --check

# HALF=provider or HALF=tools runs the tests of one package.
tests: env ## Run the tests, but for those that take long
	$(BIN)/pytest -n $(WORKERS) --dist worksteal -m 'not slow' $(if $(HALF),tests/$(HALF))

# `-k` knows each test of a table by its resource, too (tests/conftest.py).
test-thing: env ## Run the quick tests of one resource: NAME=SavedQuery
	$(BIN)/pytest -m 'not slow' -k '$(NAME) or test_each_rule'

resource: env ## Start a resource from another one: NAME=IpAccessList LIKE=Role
	PYTHONPATH=tools $(BIN)/python -m codegen.start $(NAME) --like $(LIKE) $(if $(PLURAL),--plural $(PLURAL))

# Matrices, interleavings, examples in each language, browsers, round trips of exports, hosts, the real CLI.
long-tests: $(BROWSERS) ## Run the tests that take long
	$(BIN)/pytest -n $(WORKERS) --dist worksteal -m slow

# A simulation's processes are greenlets. Measured as such, a test that starts threads does not end (coverage 7.17).
coverage: $(BROWSERS) ## Run the tests and measure what they reach of the provider, in every process
	$(BIN)/coverage erase
	$(BIN)/coverage run -m pytest -n $(WORKERS) --dist worksteal --ignore tests/simulation --ignore tests/package
	$(BIN)/coverage run --concurrency greenlet -m pytest -n $(WORKERS) --dist worksteal tests/simulation
	$(BIN)/coverage combine --quiet
	$(BIN)/coverage report

# uv reads the versions from setup.py; tests of tools and examples need no old ones. Warnings of old versions are no fault.
lowest: ## Run the tests of the package with the lowest versions that setup.py allows
	$(PYTHON) -m venv --clear $(LOWEST)
	$(LOWEST)/bin/python -m pip install --disable-pip-version-check --no-input uv
	$(LOWEST)/bin/uv pip install --python $(LOWEST)/bin/python --resolution lowest-direct -e '.[dev]'
	$(LOWEST)/bin/pytest -W default -n $(WORKERS) --dist worksteal tests/provider/contract tests/provider/resources/test_lives.py \
		tests/provider/client tests/tools/sandbox tests/tools/commands/export/test_import_file.py tests/tools/commands/gitops tests/provider/policy

simulate: env ## Play lives of stacks under a virtual clock: LIVES=20000, SEED=1234 for one, or EXHAUSTIVE=1
	@PYTHONPATH=$(TESTS) $(BIN)/python -m simulation.run $(if $(SEED),--seed $(SEED)) $(if $(LIVES),--lives $(LIVES)) $(if $(EXHAUSTIVE),--exhaustive) $(if $(AGAIN),--again)

# ONLY='ApiKey-.*-lose' plays the cases whose ids match; ALL=1 each in both dialects and front ends; DEBUG=1 at debug level.
faults: env ## Combine every fault with every request, then check the result of one run without faults
	PYTHONPATH=$(TESTS) $(BIN)/python -m faults $(if $(ONLY),--only '$(ONLY)') $(if $(ALL),--all) $(if $(DEBUG),--debug) \
		$(if $(SAMPLE),--sample $(SAMPLE)) --seed $(or $(SEED),0) --workers $(or $(AT_A_TIME),8)
	$(if $(ONLY),,RUNS=$(or $(RUNS),5) $(BIN)/pytest -q -n $(WORKERS) tests/faults/test_together.py)

# ONLY='dynamic.*Ctrl-C twice' skips the seeds whose runs are named otherwise; SEED=17 RUNS=1 plays one run again.
cli-kills: env ## Interrupt the real CLI RUNS times, in every way and at every stage, then check the result of one command
	@PATH=$(CURDIR)/$(BIN):$$PATH PYTHONPATH=$(TESTS) $(BIN)/python -m cli_kills --runs $(or $(RUNS),100) --seed $(or $(SEED),1) \
		$(if $(ONLY),--only '$(ONLY)') $(if $(AT_A_TIME),--at-a-time $(AT_A_TIME))

# With the commit that gets the tag of a release, once: tests/data/state/README.md.
state-of-release: env ## Make the state that this version leaves, which every later version must read
	PYTHONPATH=$(TESTS) $(BIN)/python -m released

# setuptools takes the files that an old egg-info names. TAG=v0.1.0 fails if that is not the version in setup.py.
dist: env ## Build what a release has into dist/: wheel, sdist, an archive of the plugin for each platform, SHA256SUMS
	rm -rf dist build provider/*.egg-info
	$(BIN)/python tools/build_release.py dist
	@test -z "$(TAG)" -o -f dist/pulumi_clouddb-$(TAG:v%=%)-py3-none-any.whl || { echo "$(TAG) is not v and the version in setup.py"; exit 1; }

# What a machine gets today that installs the wheel of dist/ with what its users may choose.
sbom: env ## Add the list of all dependencies with versions and licenses to dist/, as CycloneDX; needs the network
	$(BIN)/uv venv --quiet --clear --python $(BIN)/python .cache/installed
	$(BIN)/uv pip install --quiet --python .cache/installed/bin/python "$$(ls dist/*.whl)[sandbox,policy,bucket]"
	rm .cache/installed/lib/python*/site-packages/pulumi_clouddb-*.dist-info/direct_url.json # it has the path of dist/
	$(BIN)/uv tool run --from cyclonedx-bom==7.5.0 cyclonedx-py environment --output-reproducible \
		-o dist/pulumi-clouddb.cdx.json .cache/installed
	PYTHONPATH=tools $(BIN)/python -c 'import build_release, pathlib; build_release.write_sums(pathlib.Path("dist"))'

# --strict: a version that the index of advisories does not have is a failure, too, which names it.
audit: env ## Look for known vulnerabilities in the newest and the lowest versions of what it needs; needs the network
	@mkdir -p .cache/audit
	for versions in highest lowest-direct; do \
		$(BIN)/uv pip compile --quiet --generate-hashes --resolution $$versions --extra sandbox --extra policy --extra bucket \
			--output-file .cache/audit/$$versions.txt setup.py && \
		$(BIN)/uv tool run pip-audit==2.10.1 --strict --require-hashes --disable-pip \
			--requirement .cache/audit/$$versions.txt || exit 1; \
	done

# REPOSITORY_URL=https://github.com/OWNER/NAME goes into the wheel of `make dist`, too. An SDK for Node.js that is not
# `--local` lacks what compiles it when npm installs its archive.
sdks: env ## Generate an SDK for each of LANGUAGES into dist/; needs the pulumi CLI with its languages
	rm -rf .cache/sdks && mkdir -p dist .cache/sdks
	$(BIN)/python tools/released_schema.py '$(REPOSITORY_URL)' .cache/sdks/schema.json
	for language in $(LANGUAGES); do \
		pulumi package gen-sdk .cache/sdks/schema.json --language $$language --out .cache/sdks \
			$$(test $$language != nodejs || echo --local) && \
		$(BIN)/python tools/build_release.py dist .cache/sdks/$$language || exit 1; \
	done

generate: env ## Write schema.json, the classes, docs/reference and tables from the models
	PYTHONPATH=tools $(BIN)/python -m codegen

docs: $(DOCS) ## Build the documentation site in .cache/site; a warning is a failure
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet
	@echo "Open .cache/site/index.html through a web server: $(BIN)/python -m http.server --directory .cache/site"

# ONLY=requests measures one part (ONLY=help names all); SAMPLES=3, JSON=new.json keeps figures, BESIDE=old.json compares.
bench: env ## Measure requests, time, size and processor time beside their floors
	@PYTHONPATH=$(TESTS) $(BIN)/python -m benchmarks $(if $(ONLY),--only $(ONLY)) $(if $(SAMPLES),--samples $(SAMPLES)) \
		$(if $(JSON),--json $(JSON)) $(if $(BESIDE),--beside $(BESIDE))

# FROM=FILE_OR_ADDRESS is an OpenAPI description; WRITE=1 keeps its facts, JSON=1 prints the changes for machines.
description: env ## Compare the vendor's description with the facts that are kept of it
	@PYTHONPATH=$(TESTS) $(BIN)/python -m description '$(FROM)' $(if $(WRITE),--write) $(if $(JSON),--json)

# With credentials in CLOUDDB_* and ACCEPTANCE_ORGANIZATION; it prints its plan, and starts with YES=1.
# SERVER=observability, ONLY=role, ALL=1, NEEDS=FILE, SWEEP=1, PART=requests: docs/acceptance.md explains them.
acceptance: env ## Prove on a real account what this package believes of its servers
	@PYTHONPATH=$(TESTS) $(BIN)/python -m acceptance \
		$(if $(SERVER),--server $(SERVER)) $(if $(ONLY),--only '$(ONLY)') $(if $(ALL),--all) \
		$(if $(NEEDS),--needs '$(NEEDS)') $(if $(YES),--yes) $(if $(SWEEP),--sweep) $(if $(WRITE),--write) \
		$(if $(PART),--part $(PART)) $(if $(SEED),--seed $(SEED)) $(if $(COUNT),--count $(COUNT))

performance: env ## Measure everything again, and write the figures and tables of docs/measurements.md
	$(MAKE) bench JSON=benchmarks/figures.json
	$(MAKE) generate

# JSON=1 prints the counts for machines.
trace: env ## Count the files, functions and moves between files that a create goes through
	@$(BIN)/python -m benchmarks.trace $(if $(JSON),--json)

clean: ## Remove everything that was made here
	rm -rf $(VENV) .pulumi-cli .cache .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache build dist .coverage .coverage.*
	rm -rf provider/*.egg-info
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
