# Two commands do everything on a fresh machine:
#   make demo   scores an example story with a real language model and shows the result
#   make test   checks style and types and runs the whole test suite; tests in a browser are skipped where
#               there is no Chromium (apt-get install chromium, or set BARTHES_CHROMIUM)
PYTHON ?= python3
VENV   ?= .venv
BIN    := $(VENV)/bin

.PHONY: demo test check bench soak audit clean

demo: $(VENV)/.installed
	$(BIN)/barthes models fetch
	mkdir -p demo
	$(BIN)/barthes score examples/cinderella.txt --sentences
	$(BIN)/barthes score examples/the_ferrymans_daughter.txt --out demo/report.txt --html demo/report.html
	@head -n 12 demo/report.txt
	@echo "The report on the longer tale is demo/report.html (a page to open in a browser); demo/report.txt has its table"

test: $(VENV)/.installed-dev check
	$(BIN)/barthes models fetch
	$(BIN)/python -m pytest -n 2 --dist loadfile -m "not alone"
	$(BIN)/python -m pytest -m alone

check: $(VENV)/.installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: $(VENV)/.installed-dev
	$(BIN)/python benchmarks/speed.py

# Half an hour or so: runs killed 200 times, 50 clients at the web page, damaged files for five minutes.
soak: $(VENV)/.installed-dev
	$(BIN)/python scripts/soak.py --kills 200
	$(BIN)/python scripts/soak_serve.py --clients 50 --seconds 60
	$(BIN)/python scripts/fuzz.py --minutes 5

# Licences, ages and known weaknesses of all that Barthes needs; asks PyPI.
audit: $(VENV)/.installed-dev
	$(BIN)/python scripts/audit.py --online

$(VENV)/.created:
	$(PYTHON) -m venv $(VENV)
	touch $@

$(VENV)/.installed: $(VENV)/.created pyproject.toml constraints.txt
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable '.[figures,serve]'
	touch $@

$(VENV)/.installed-dev: $(VENV)/.installed
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable '.[dev]'
	touch $@

clean:
	rm -rf $(VENV) demo .pytest_cache .mypy_cache .ruff_cache .hypothesis
