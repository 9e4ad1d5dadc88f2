# dream: each target sets up what it needs on a fresh machine (Python 3.11 or later, make, a package index).
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.ready
DEV := $(VENV)/.dev-ready
PIP := $(BIN)/python -m pip --disable-pip-version-check -q

.DEFAULT_GOAL := dream
.PHONY: dream help test lint bench judge baseline questions answers lasting eval year torture wheel clean team-demo bench-team

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "dream needs Python 3.11 or later; set PYTHON=python3.12 or the like")'
	@echo "making $(VENV) …"
	@$(PYTHON) -m venv $(VENV)

# torch goes first: from an index that offers several builds, the pinned one is then already there.
$(STAMP): $(BIN)/python pyproject.toml config/constraints.txt
	@echo "installing torch (a few minutes the first time; all of it takes some 2 GB) …"
	@$(PIP) install -c config/constraints.txt torch==2.13.0
	@echo "installing dream and its other libraries …"
	@$(PIP) install -c config/constraints.txt -e '.[mcp,web]'
	@$(BIN)/python -m compileall -q daemon
	@touch $@

$(DEV): $(STAMP)
	@$(PIP) install -c config/constraints.txt -e '.[dev,docs,mcp,llm,anthropic,web,team]'
	@touch $@

dream: $(STAMP) ## set up, then one real dream
	@if $(BIN)/dream sources --json 2>/dev/null | grep -q '"path"'; then \
	  $(BIN)/dream consolidate; \
	else \
	  echo "no transcripts or memory directories found on this machine: dreaming over the sample in config/sample"; \
	  rm -rf .sample; $(BIN)/dream --home .sample --config config/sample/dream.toml consolidate && \
	  echo "this was the sample. To see it again: $(BIN)/dream --home .sample diff; to take it back: $(BIN)/dream --home .sample undo"; \
	fi

help: ## what there is to make
	@sed -n 's/^\([a-z-]*\):.*## /\1	/p' Makefile | expand -t 12

test: $(DEV) ## the whole suite
	@$(BIN)/python -m compileall -q daemon tests
	@$(BIN)/python -m pytest -n 2 --dist worksteal -q -m "not slow"

lint: $(DEV) ## style and types
	@$(BIN)/ruff check daemon tests
	@$(BIN)/mypy

IDLE_MINUTES ?= 1

bench: $(DEV) ## speed and memory, with the command and the machine
	@$(BIN)/python tests/bench/bench.py
	@$(BIN)/python tests/bench/idle.py --minutes $(IDLE_MINUTES)

DATA ?= $(DREAM_EVAL_DATA)

judge: $(DEV) ## train the pair judge anew: DATA=folder with pairs/, EXTRA=files of more labelled pairs, FIT=1 to fit without training
	@test -n "$(DATA)" || { echo "make judge needs DATA=FOLDER with pairs/ (see tests/bench/judge_make.py)"; exit 2; }
	@$(BIN)/python tests/bench/judge_make.py --data "$(DATA)" --parts build/judge $(if $(EXTRA),--extra $(EXTRA)) $(if $(FIT),--fit-only)

baseline: $(DEV) ## write anew the floors that the suite holds the judge to
	@$(BIN)/python tests/bench/claims_figures.py --write-baseline

questions: $(DEV) ## train anew how questions are read
	@OMP_NUM_THREADS=1 $(BIN)/python tests/bench/question_train.py \
	  --model-dir "$$($(BIN)/python -c 'from dreamd.models.model_files import find_model; print(find_model())')"

answers: $(DEV) ## train anew what reads whether a statement answers a question
	@$(BIN)/python tests/bench/answer_train.py --threads 2

lasting: $(DEV) ## train anew what hears whether a sentence of a person is meant to last
	@$(BIN)/python tests/bench/lasting_train.py --threads 2

eval: $(DEV) ## figures of the judge on labelled pairs, and of recall: DATA=folder with pairs/
	@mkdir -p build
	@test -n "$(DATA)" || { echo "make eval needs DATA=FOLDER with pairs/"; exit 2; }
	@$(BIN)/python tests/bench/judge_eval.py --pairs "$(DATA)/pairs/memory_pairs_dev.jsonl" --json build/judge.json
	@$(BIN)/dream eval

year: $(DEV) ## two simulated years of dreams, with a plot in build/
	@mkdir -p build
	@$(BIN)/python tests/bench/year.py --plot build/year.png --json build/year.json

team-demo: $(DEV) ## a team's memory with a database of its own, two workers and three members; leaves nothing behind
	@$(BIN)/python tests/team_demo.py

TEAM_SIZES ?= --memories 3000 15000 --large 2000 --new 60

bench-team: $(DEV) ## what a team's store costs as it grows, with a plot in build/: TEAM_SIZES="--memories 100000 1000000 --large 50000"
	@$(BIN)/python tests/bench/team_store.py $(TEAM_SIZES)

torture: $(DEV) ## the slow crash, fault and fuzz tests
	@$(BIN)/python -m pytest -q -m slow
	@$(BIN)/python -m pytest -q --hypothesis-profile=torture tests/property tests/unit/extraction/test_any_text.py tests/store/test_masked_records.py

wheel: $(DEV) ## build the wheel into dist/
	@$(BIN)/python -m build --wheel

clean:
	@rm -rf $(VENV) build dist
