# make run    the app on http://localhost:8501
# make test   lint, types, layer contracts, every test (needs no GPU)
#             without torch: make test TEST_REQUIREMENTS=requirements-dev-core.txt
# Works with GNU and BSD make; on Windows use the three plain commands in README.md.

VENV = .venv
REQUIREMENTS = requirements.txt
TEST_REQUIREMENTS = requirements-dev.txt
PORT = 8501
BIN = $(VENV)/bin
PY = $(BIN)/python
RUN_STAMP = $(VENV)/.installed-$(REQUIREMENTS)
TEST_STAMP = $(VENV)/.installed-$(TEST_REQUIREMENTS)

.PHONY: run test lint unit e2e bench screenshots clean help

help:
	@sed -n 's/^# \(make .*\)/\1/p' Makefile

run: $(RUN_STAMP)
	@echo "kvledger: http://localhost:$(PORT)  (Ctrl-C stops it; another port: make run PORT=8600)"
	@exec $(PY) -m streamlit run app.py --server.port=$(PORT)

test: $(TEST_STAMP)
	@sh scripts/check $(BIN) all

lint: $(TEST_STAMP)
	@sh scripts/check $(BIN) lint

unit: $(TEST_STAMP)
	@sh scripts/check $(BIN) unit

e2e: $(TEST_STAMP)
	@sh scripts/check $(BIN) e2e

bench: $(TEST_STAMP)
	@$(PY) -m benchmarks

screenshots: $(TEST_STAMP)
	@$(PY) -m scripts.browser --install
	@$(PY) docs/make_screenshots.py

clean:
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache \
	    .coverage htmlcov build dist test-results *.egg-info
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(VENV)/.installed-requirements.txt: requirements.txt requirements-core.txt requirements-alone.txt
	@sh scripts/make-venv $(VENV) requirements.txt $@

$(VENV)/.installed-requirements-core.txt: requirements-core.txt
	@sh scripts/make-venv $(VENV) requirements-core.txt $@

$(VENV)/.installed-requirements-dev-core.txt: requirements-dev-core.txt requirements-core.txt \
    requirements-dev-alone.txt
	@sh scripts/make-venv $(VENV) requirements-dev-core.txt $@

$(VENV)/.installed-requirements-dev.txt: requirements-dev.txt requirements-dev-core.txt \
    requirements.txt requirements-core.txt requirements-alone.txt requirements-dev-alone.txt
	@sh scripts/make-venv $(VENV) requirements-dev.txt $@
