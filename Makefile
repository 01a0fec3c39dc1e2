# On a fresh machine:
#   make demo    score an example story with a real language model and write its report
#   make test    ruff, mypy and the whole test suite; browser tests are skipped without Chromium
#                (apt-get install chromium npm, or set BARTHES_CHROMIUM)
# Every day:
#   make check   ruff, mypy and the fast tests
#   make docs    build the documentation site into site/; a broken link is an error
PYTHON ?= python3
VENV   ?= .venv
BIN    := $(VENV)/bin

.PHONY: demo test check lint docs bench soak audit clean

demo: $(VENV)/.installed
	$(BIN)/barthes models fetch
	mkdir -p demo
	$(BIN)/barthes score examples/cinderella.txt --sentences
	$(BIN)/barthes score examples/the_salt_bell.txt --out demo/report.txt --html demo/report.html
	@head -n 12 demo/report.txt
	@echo "Open demo/report.html in a browser for the report on The Salt Bell; demo/report.txt has its table"

test: $(VENV)/.installed-dev lint
	$(BIN)/barthes models fetch
	@if command -v npm >/dev/null; then npm install --silent --prefix tests/browser; fi
	$(BIN)/python -m pytest -n 2 --dist loadfile -m "not alone"
	$(BIN)/python -m pytest -m alone

check: $(VENV)/.installed-dev lint
	$(BIN)/python -m pytest -q -n 2 --dist loadfile -m "not alone and not slow"

lint: $(VENV)/.installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

docs: $(VENV)/.installed-dev
	$(BIN)/python -m pytest -q tests/test_docs_site.py -m "not slow"
	$(BIN)/python scripts/gather_pages.py
	$(BIN)/zensical build --clean --strict
	@echo "Open site/index.html"

bench: $(VENV)/.installed-dev
	$(BIN)/python research/benchmarks/speed.py

# Half an hour: runs killed 200 times, 50 clients of the web server, five minutes of damaged files.
soak: $(VENV)/.installed-dev
	$(BIN)/python scripts/soak.py --kills 200
	$(BIN)/python scripts/soak_serve.py --clients 50 --seconds 60
	$(BIN)/python scripts/fuzz.py --minutes 5

# Known vulnerabilities and licences of all dependencies; tests with their oldest and newest versions; the wheel,
# its installation by uvx and pip, the types, the citation and the container.
audit: $(VENV)/.installed-dev
	$(BIN)/uv tool run pip-audit --requirement constraints.txt --no-deps --disable-pip
	$(BIN)/uv tool run pip-licenses --python $(BIN)/python --partial-match \
		--fail-on "GNU General Public License;GNU Affero General Public License"
	$(BIN)/python scripts/check_bounds.py
	$(BIN)/python scripts/check_release.py --install

$(VENV)/.created:
	$(PYTHON) -m venv $(VENV)
	touch $@

$(VENV)/.installed: $(VENV)/.created pyproject.toml research/pyproject.toml constraints.txt
	@echo "Installing Barthes and the libraries that it needs; this takes a few minutes"
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable '.[figures,serve]' --editable research
	touch $@

$(VENV)/.installed-dev: $(VENV)/.installed
	@echo "Installing what tests and documentation need; this takes a few minutes"
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable '.[dev]' --editable research
	touch $@

clean:
	rm -rf $(VENV) build demo site .cache .pytest_cache .mypy_cache .ruff_cache .hypothesis
