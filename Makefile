# Two commands:  make run   (set up, run the impacting bar, say where to look)
#                make test  (set up, check style and types, run the tests; with FLEXMB_FUZZ=5000 so many mutated
#                            case files instead of 300)
# and:           make studies  (set up, run two studies of integrators with events, check what they expect)
#                make docs  (set up, run all cases and studies, build the site with the galleries)
#                make dist-check  (build wheel and sdist, install them into an empty environment, run a case there)
#                make lock  (write the versions of this environment's packages to requirements-test.txt)
# Another Python:  make test PYTHON=python3.12   (in an environment of its own, .venv-python3.12)
# Tested versions: make test LOCK=requirements-test.txt
PYTHON ?= python3
VENV ?= $(if $(filter python3,$(PYTHON)),.venv,.venv-$(notdir $(PYTHON)))
LOCK ?=
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
SHOWN := $(VENV)/.installed-view
OUT := results/impacting_bar
SITE := build/site
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check $(if $(LOCK),--constraint $(LOCK))

.PHONY: run test studies docs setup dist-check lock clean

# what this shows needs the core and the extra "view"; an environment made for tests has them, too
run: $(if $(wildcard $(STAMP)),$(STAMP),$(SHOWN))
	$(BIN)/flexmb run impacting_bar -o $(OUT) --overwrite
	@echo
	@echo "Look at it:   $(BIN)/flexmb view $(OUT)"
	@echo "As a page:    $(BIN)/flexmb report $(OUT)"
	@echo "In ParaView:  $(OUT)/fields.vtkhdf   (Warp By Vector: displacement)"
	@echo "In numbers:   $(OUT)/summary.json"

test: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/flexmb warm
	$(BIN)/pytest -n 2

# takes minutes, and is therefore no part of make test
studies: $(STAMP)
	FLEXMB_STUDIES=1 $(BIN)/pytest -n 2 tests/test_study_expectations.py

# a case or study that fails is shown as such on its page, and the exit code says so
docs: $(STAMP)
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict
	@echo
	@echo "Open in a browser:  $(SITE)/index.html"

setup: $(STAMP)

# the set-up is repeated only when pyproject.toml changes
$(STAMP): pyproject.toml
	$(call environment,dev)
	touch $(STAMP)

$(SHOWN): pyproject.toml
	$(call environment,view)
	touch $(SHOWN)

define environment
$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "flexmb needs Python 3.11 or later; try make PYTHON=python3.11")'
@echo "setting up $(VENV); this downloads packages and takes a few minutes ..."
$(PYTHON) -m venv $(VENV)
$(PIP) --editable ".[$(1)]"
endef

dist-check:
	$(PYTHON) .ci/dist_check.py

lock: $(STAMP)
	$(BIN)/python .ci/lock.py requirements-test.txt

clean:
	rm -rf .venv .venv-* results build *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis
