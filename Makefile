# Everything a developer does, by name. `make test` on a fresh machine sets all up by itself.

# The first interpreter that runs and is new enough; override with `make PYTHON=…`.
PYTHON ?= $(shell for p in python3 python3.14 python3.13 python3.12 python3.11 python; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1 && echo $$p && break; done)
VENV ?= .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready

# Sizes of the long runs.
LAWS ?= 20000
FUZZ ?= 10000
SOAK ?= 100000
ATTACKS ?= 2000
SEED ?= 1
BENCH ?= --targets
LOAD ?= 20
KILLS ?= 4
RATES ?= 2000000
MINUTES ?= 5
PROGRAMS ?= 200
BATCHES ?= 1000

.PHONY: help pictures setup demo test check format docs bench laws soak fuzz attack serve-load spark-latency spark-rates test-changes test-cluster test-connect test-endurance test-pauses test-recovery test-servers test-spark clean

help:            ## list what can be made
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## */\t/' | expand -t 12

setup: $(READY)  ## create .venv and install everything into it

# The stamp is newer than the lock and the project file exactly when the environment fits them.
$(READY): requirements-dev.lock pyproject.toml
	@test -n "$(PYTHON)" || { echo "Python 3.11 or newer is needed: make PYTHON=/path/to/python"; exit 1; }
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet -r requirements-dev.lock
	$(BIN)/python -m pip install --quiet --no-deps --no-build-isolation --editable .
	@touch $(READY)

pictures: setup  ## draw the pictures of the documents again (needs Chromium)
	$(BIN)/python tools/pictures.py

demo: setup      ## dozens of cooling machines, hours of readings, through Spark to a timeline of alarms
	$(BIN)/python -m laser.spark.demo

test: setup      ## run all tests
	$(BIN)/python -m pytest

check: setup     ## format, lint, types, layers, tests
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python -m pytest

format: setup    ## format the code
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

docs: setup      ## build the site of the documents in build/site
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --quiet
	@echo "build/site/index.html"

bench: setup     ## measure, and check the aims (BENCH="--quick --targets")
	$(BIN)/laser bench $(BENCH)

laws: setup      ## check the laws on many random programs (LAWS=20000 SEED=1)
	$(BIN)/python -m tests.laws $(LAWS) --seed $(SEED)

soak: setup      ## run bounded programs for long, and compare memory (SOAK=100000)
	$(BIN)/python -m tests.soak $(SOAK)

fuzz: setup      ## feed mutated programs and streams (FUZZ=10000 SEED=1)
	$(BIN)/python -m tests.fuzz $(FUZZ) --seed $(SEED)

attack: setup    ## input that is made to break something, each kind so often (ATTACKS=2000 SEED=1)
	$(BIN)/python -m tests.attack $(ATTACKS) --seed $(SEED)

serve-load: setup  ## 50 clients follow one live stream of 1,000 facts/s (LOAD=20)
	$(BIN)/python -m tests.serve.load --clients 50 --rate 1000 --seconds $(LOAD)

test-spark: setup  ## the long tests of Spark, then random programs through it, against the definition (PROGRAMS=200 SEED=1)
	$(BIN)/python -m pytest tests/spark -m long
	$(BIN)/python -m tests.spark.programs $(PROGRAMS) --seed $(SEED)

test-connect: setup  ## random programs over Spark Connect, which needs grpcio and grpcio-status (PROGRAMS=200 SEED=1)
	$(BIN)/python -m tests.spark.programs $(PROGRAMS) --seed $(SEED) --only batch --connect

test-recovery: setup  ## kill -9 the driver of a stream, several times, and compare (KILLS=4)
	$(BIN)/python -m tests.spark.recovery --victim driver --times $(KILLS)

test-cluster: setup  ## kill a worker of a standalone cluster in mid-stream, and compare; then workers without the package
	$(BIN)/python -m tests.spark.recovery --victim worker
	$(BIN)/python -m tests.spark.shipping

test-servers: setup  ## from Kafka to Kafka, PostgreSQL and Delta, with real servers and a killed driver (KILLS=4)
	$(BIN)/python -m tests.spark.production --kills $(KILLS)

test-changes: setup  ## change the rules of a running stream five times under load, and compare with fresh runs
	$(BIN)/python -m tests.spark.changes

test-pauses: setup  ## a stream that pauses again and again, by the wall clock, and a killed driver (MINUTES=5)
	$(BIN)/python -m tests.spark.pauses --minutes $(MINUTES)

test-endurance: setup  ## many small micro-batches: memory, checkpoint and state stay bounded (BATCHES=1000)
	$(BIN)/python -m tests.spark.endurance $(BATCHES)

spark-latency: setup  ## what a micro-batch costs, of a few rows and at 1,000 and 20,000 facts/s, and what of it is ours
	$(BIN)/python -m laser.bench.spark_latency

spark-rates: setup  ## rates on Spark, of histories next to SQL by hand, of streams next to an operator that does nothing (RATES=2000000)
	$(BIN)/python -m laser.bench.spark_rates --facts $(RATES)

clean:           ## remove what was made
	rm -rf $(VENV) build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis .import_linter_cache
