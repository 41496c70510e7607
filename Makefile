# Two commands:  make run   (set up, run the impacting bar, say where to look)
#                make test  (set up, check style and types, run the tests; with FLEXMB_FUZZ=5000 so many mutated
#                            case files instead of 300)
# and:           make docs  (set up, run all cases and studies, build the site with the galleries)
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
OUT := results/impacting_bar
SITE := build/site

.PHONY: run test docs setup clean

run: $(STAMP)
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

# a case or study that fails is shown as such on its page, and the exit code says so
docs: $(STAMP)
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict
	@echo
	@echo "Open in a browser:  $(SITE)/index.html"

setup: $(STAMP)

# the set-up is repeated only when pyproject.toml changes
$(STAMP): pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "flexmb needs Python 3.11 or later; try make PYTHON=python3.11")'
	@echo "setting up $(VENV); this downloads packages and takes a few minutes ..."
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable ".[dev]"
	touch $(STAMP)

clean:
	rm -rf $(VENV) results build *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis
