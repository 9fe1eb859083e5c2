# Everything runs in .venv, made with uv where it is there and with pip alone where it is not.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
SOURCES := helio_dagster tests benchmarks pictures
INSTALLED := $(VENV)/.installed-dev
# Test modules and what tests start are compiled once, also where the surroundings ask Python to write no bytecode.
export PYTHONDONTWRITEBYTECODE :=
# Two processes of tests more than there are cores: many tests wait for processes that they start, or for servers.
WORKERS = $(shell expr $$(nproc) + 2)
.PHONY: demo quick test rest coverage nightly night fuzz pythons dagsters wheel lint format ui bench docs terminal pictures clean

demo: $(VENV)/.installed
	$(BIN)/helio demo

quick: $(INSTALLED)
	@$(BIN)/python -m compileall -q helio_dagster
	HELIO_TEST_TIER=quick $(BIN)/pytest tests/unit -n auto -m quick

ifdef CI
test: $(INSTALLED) # each test by day once: the unit tests with all their cases and their coverage, then the others
	HELIO_TEST_TIER=test $(MAKE) coverage
	$(MAKE) rest
else
test: $(INSTALLED) # each test by day once; what they cover is measured in CI: it doubles the time of the unit tests
	@$(BIN)/python -m compileall -q helio_dagster
	$(BIN)/pytest -n $(WORKERS) --dist loadgroup -m day
endif

rest: $(INSTALLED)
	@$(BIN)/python -m compileall -q helio_dagster # read by the many processes that tests start, also where none writes it
	$(BIN)/pytest -n $(WORKERS) --dist loadgroup -m day --ignore tests/unit

coverage: $(INSTALLED) # of the unit tests; fails under the floor in pyproject.toml
	HELIO_TEST_TIER=$${HELIO_TEST_TIER:-quick} COVERAGE_CORE=ctrace $(BIN)/pytest tests/unit -n auto -m "not nightly" --cov --cov-report=

nightly: night coverage fuzz wheel pythons dagsters # about two hours; `make -k nightly` continues with the others where one fails

night: $(INSTALLED) # every test with all its cases, and fifty times the examples of `make test`: some take many minutes
	@$(BIN)/python -m compileall -q helio_dagster
	HELIO_TEST_TIER=nightly $(BIN)/pytest -n $(WORKERS) --dist loadgroup --timeout 3600

fuzz: $(INSTALLED)
	$(BIN)/python -m tests.fuzz --cases 5000

wheel: $(INSTALLED)
	.ci/wheel

dagsters: $(INSTALLED) # the contract with Dagster's private parts, with the oldest and the newest one we allow
	.ci/dagsters

pythons: # those of the newer Pythons that are here, each in an environment of its own
	.ci/pythons

lint: $(INSTALLED)
	$(BIN)/ruff format --check $(SOURCES)
	$(BIN)/ruff check $(SOURCES)
	$(BIN)/lint-imports --no-cache
	$(BIN)/mypy

format: $(INSTALLED)
	$(BIN)/ruff format $(SOURCES)
	$(BIN)/ruff check --fix $(SOURCES)

ui: $(VENV)/.installed
	$(BIN)/helio ui

bench: $(INSTALLED)
	$(BIN)/python -m benchmarks.fetch
	$(BIN)/python -m benchmarks.checking
	$(BIN)/python -m benchmarks.replay
	$(BIN)/python -m benchmarks.loading
	$(BIN)/python -m benchmarks.catalog_search
	$(BIN)/helio eval --planner offline
	$(BIN)/python -m benchmarks.backfill
	$(BIN)/python -m benchmarks.kills
	$(BIN)/python -m benchmarks.nd_slices
	$(BIN)/python -m benchmarks.pitch_angles
	$(BIN)/python -m benchmarks.hapi_out
	$(BIN)/python -m benchmarks.sandbox
	$(BIN)/python -m benchmarks.sandbox --soak 20000
	$(BIN)/python -m benchmarks.prompt_size

docs: $(INSTALLED)
	$(BIN)/typer helio_dagster.cli.app utils docs --name helio --title Commands --output docs/commands.md
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --strict --quiet --site-dir dist/docs

terminal: $(INSTALLED) # the README's picture, after docs/transcripts.md was written anew
	$(BIN)/python -m pictures.terminal

pictures: $(INSTALLED) # those of the page in docs/; look at them before you keep them
	$(BIN)/python -m pictures.page

clean:
	rm -rf $(VENV) .coverage .mypy_cache .pytest_cache .ruff_cache .hypothesis

$(VENV)/.made:
	@$(PYTHON) -c 'import sys; sys.exit("helio_dagster needs Python 3.11 or newer; run: make PYTHON=python3.11 ...") if sys.version_info < (3, 11) else None'
	@if command -v uv >/dev/null; then uv venv -q --python $(PYTHON) $(VENV); else $(PYTHON) -m venv $(VENV); fi
	@touch $@

define install
	@if command -v uv >/dev/null; then uv pip install -q --compile-bytecode --python $(BIN)/python -c constraints.txt -e '$(1)'; \
	else $(BIN)/python -m pip install -q --disable-pip-version-check -c constraints.txt -e '$(1)'; fi
	@touch $@
endef

$(VENV)/.installed: $(VENV)/.made pyproject.toml constraints.txt
	@echo "Installing helio_dagster into $(VENV) (the first time takes a minute or two) ..."
	$(call install,.)

$(INSTALLED): $(VENV)/.made pyproject.toml constraints.txt
	@echo "Installing helio_dagster and its test tools into $(VENV) ..."
	$(call install,.[dev])
	@touch $(VENV)/.installed
