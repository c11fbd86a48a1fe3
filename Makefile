# SPDX-FileCopyrightText: Joint Kinematics developers
# SPDX-License-Identifier: Apache-2.0

# The interpreter that makes the environment may be named: PYTHON=python3.12 make test
RUN := scripts/run
# Python runs what is installed, not the folder it is started in (from Python 3.11 on).
INSTALLED := PYTHONSAFEPATH=1 $(RUN)

.DEFAULT_GOAL := help
.PHONY: help demo test build lint bench clean
MAKEFLAGS += --no-print-directory

help:  ## Lists the targets.
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "make %-6s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

demo: build  ## Shows the package at work; ROBOT=file.urdf CONSTRAINTS=file.yaml takes a robot of yours, EXAMPLE=name one of ours.
	@$(INSTALLED) python3 -m kinematics_node.ros.demo $(if $(ROBOT),--robot '$(ROBOT)') $(if $(CONSTRAINTS),--constraints '$(CONSTRAINTS)') $(if $(EXAMPLE),--example '$(EXAMPLE)')

test: build  ## Runs the tests; TEST_ARGS='-k name -x' is handed to pytest.
	@scripts/setup test
	@$(INSTALLED) python3 -m pytest $(TEST_ARGS)

build:  ## Makes the environment in .venv, and builds the package into .build/install.
	@scripts/setup run
	@scripts/build

lint: build  ## Checks style, types, import layers and the package manifest.
	@scripts/setup lint
	@scripts/lint

bench: build  ## Measures speed; RSP=path compares with a robot_state_publisher, BENCH_ARGS='...' is handed on.
	@scripts/setup test
	@$(RUN) python3 benchmark/run.py $(if $(RSP),--rsp '$(RSP)') $(BENCH_ARGS)

clean:  ## Removes the environment, the build and all caches.
	rm -rf .venv .build .mypy_cache .pytest_cache .ruff_cache .import_linter_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
