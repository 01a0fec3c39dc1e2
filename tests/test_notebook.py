"""The notebook of the tutorial runs and prints what it shows.

After a change, execute it again: jupyter execute --inplace docs/tutorial/notebook.ipynb
"""

from __future__ import annotations

from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

PATH = Path(__file__).parent.parent / "docs" / "tutorial" / "notebook.ipynb"


def collect_texts(notebook):
    """Return the texts that each code cell printed or returned; pictures differ between machines."""
    cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    return [
        [output.get("text") or output.get("data", {}).get("text/plain") for output in cell.outputs]
        for cell in cells
    ]


@pytest.mark.slow
def test_the_notebook_prints_what_it_shows():
    notebook = nbformat.read(PATH, as_version=4)
    shown = collect_texts(notebook)
    NotebookClient(notebook, timeout=300, resources={"metadata": {"path": str(PATH.parent)}}).execute()
    assert collect_texts(notebook) == shown
