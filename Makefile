# `make run` and `make test` are all one needs; `make help` lists the rest.
#
# Needs Python 3.11 or newer, make, and, the first time, a package registry. PYTHON=… chooses the interpreter.

CANDIDATES = $(or $(PYTHON),python3.13 python3.12 python3.11 python3)
CHOSEN = $(shell for each in $(CANDIDATES); do \
	"$$each" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && { echo "$$each"; break; }; done)
PIP = .venv/bin/python -m pip --disable-pip-version-check install --quiet --only-binary :all: --require-hashes

# Some programs look for others of the same environment on PATH.
export PATH := $(CURDIR)/.venv/bin:$(PATH)
SHELL := /bin/sh
.DELETE_ON_ERROR:
.PHONY: help run test check lint bench audit lock clean

help: ## list these commands
	@sed -n 's/^\([a-z]*\):[^#]*## /  make \1\t/p' Makefile | expand -t 16

run: .venv/run ## install if needed, start everything, serve on http://127.0.0.1:8000
	@exec .venv/bin/python serve.py

test: lint ## everything: lint, types, arrows between rooms, every test
	.venv/bin/pytest -n auto --maxprocesses 4

check: lint ## the quick part: lint, types, arrows, tests of rules
	HYPOTHESIS_PROFILE=quick .venv/bin/pytest -n auto --maxprocesses 4 -m "not slow and not servers"

lint: .venv/dev
	.venv/bin/ruff check .
	.venv/bin/ruff format --check .
	.venv/bin/mypy .
	.venv/bin/lint-imports

bench: .venv/bench ## speed, as ratios against a peer measured in the same run
	.venv/bin/python -m bench

audit: .venv/audit ## every locked package: licence, newer versions, known weaknesses
	@.venv/bin/python audit_lock.py

lock: .venv/dev ## choose exact versions again, after editing a requirements*.in
	for each in requirements requirements-dev requirements-bench requirements-audit; do \
		.venv/bin/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes $$each.in -o $$each.txt || exit; \
	done

clean: ## remove what was installed and cached (never the data folder)
	rm -rf .venv build .pytest_cache .hypothesis .mypy_cache .ruff_cache .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# Each stamp is a file in .venv, renewed when the list it was installed from changes.

.venv/made:
	@chosen="$(CHOSEN)"; \
	test -n "$$chosen" || { echo "Pontual precisa do Python 3.11 ou mais novo; procurei: $(CANDIDATES)." \
		"Instale-o, ou indique-o: make run PYTHON=/caminho/python3.12" >&2; exit 1; }; \
	"$$chosen" -c 'import ensurepip, venv' 2>/dev/null || { echo "Falta a $$chosen o módulo venv." \
		"No Debian e no Ubuntu: apt install python3-venv" >&2; exit 1; }; \
	.venv/bin/python -c 'import pip' 2>/dev/null || "$$chosen" -m venv --clear .venv
	@touch $@

.venv/run: .venv/made requirements.txt
	@echo "Instalando o que o Pontual usa (só na primeira vez)…"
	@$(PIP) -r requirements.txt
	@touch $@

.venv/dev: .venv/run requirements-dev.txt
	@$(PIP) -r requirements-dev.txt
	@touch $@

.venv/bench: .venv/dev requirements-bench.txt
	@$(PIP) -r requirements-bench.txt
	@touch $@

.venv/audit: .venv/dev requirements-audit.txt
	@$(PIP) -r requirements-audit.txt
	@touch $@
