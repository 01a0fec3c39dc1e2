#!/usr/bin/env python3
"""Install the oldest and the newest versions that pyproject.toml allows, and test Barthes with each.

Usage::

    python scripts/check_bounds.py                      both ends; about 1.5 GB of disk, freed afterwards
    python scripts/check_bounds.py --end lowest-direct  the lower bounds only
    python scripts/check_bounds.py tests/models         other tests than the usual selection

PyTorch keeps the version that runs this script: each of its versions is a large download of its own. The exit
code is 1 if an installation or a test fails.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from importlib import metadata
from pathlib import Path

__all__ = ["install_command", "main"]

ROOT = Path(__file__).parents[1]
ENDS = ("lowest-direct", "highest")
EXTRAS = "figures,mcp,pandas,parquet,serve"
TOOLS = ("hypothesis>=6.100", "pytest>=8.3", "pytest-timeout>=2.3", "uv>=0.5")
TESTS = (  # between them they use nearly every library
    "tests/test_cache.py",
    "tests/annotation/test_pipeline.py",
    "tests/cli/test_score.py",
    "tests/integrations/test_mcp_server.py",
    "tests/models/test_fetching.py",
    "tests/models/test_pretrained.py",
    "tests/reading/test_encoding.py",
    "tests/reading/test_html.py",
    "tests/reading/test_office.py",
    "tests/reading/test_pdf.py",
    "tests/reading/test_source.py",
    "tests/reading/test_tei.py",
    "tests/report/exports/test_parquet.py",
    "tests/report/figures",
    "tests/web/test_api.py",
)


def install_command(uv: str, python: Path, end: str, override: Path) -> list[str]:
    """Return the command that installs Barthes with the versions at one end of the ranges."""
    command = [uv, "pip", "install", "--python", str(python)]
    command += ["--resolution", end, "--override", str(override), "--refresh-package", "barthes"]
    if "+cpu" in metadata.version("torch") and "UV_FIND_LINKS" not in os.environ:
        command += ["--torch-backend", "cpu"]
    return [*command, f"{ROOT}[{EXTRAS}]", *TOOLS]


def check(uv: str, end: str, tests: list[str]) -> str | None:
    """Test an environment at one end of the ranges, delete it, and return the step that failed, if any."""
    with tempfile.TemporaryDirectory(prefix="barthes-bounds-") as folder:
        environment = Path(folder, "env")
        python = environment / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
        override = Path(folder, "override.txt")
        override.write_text(f"torch=={metadata.version('torch')}\n", encoding="utf-8")
        # Without our sources on the path, the installed package is tested. Old libraries may warn.
        variables = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        pytest = [python, "-m", "pytest", "-q", "--tb=short", "-p", "no:cacheprovider"]
        steps = {
            "environment": [uv, "venv", "--quiet", "--python", sys.executable, environment],
            "installation": install_command(uv, python, end, override),
            "tests": [*pytest, "-o", "filterwarnings=ignore", *tests],
        }
        for step, command in steps.items():
            print(f"{end}: {step}", flush=True)
            if subprocess.run(command, cwd=ROOT, env=variables).returncode:
                return step
    return None


def main() -> None:
    """Check one end of the ranges or both."""
    import uv

    if "PIP_FIND_LINKS" in os.environ:
        os.environ.setdefault("UV_FIND_LINKS", os.environ["PIP_FIND_LINKS"])
    parser = argparse.ArgumentParser(description="Test the oldest and the newest versions of dependencies.")
    parser.add_argument("tests", nargs="*", default=TESTS, help="pytest paths; by default a selection")
    parser.add_argument("--end", choices=ENDS, help="by default both")
    options = parser.parse_args()
    ends = [options.end] if options.end else ENDS
    outcomes = {end: check(uv.find_uv_bin(), end, list(options.tests)) for end in ends}
    for end, failed in outcomes.items():
        print(f"{end}: {f'FAILED ({failed}; see above)' if failed else 'passed'}")
    sys.exit(any(outcomes.values()))


if __name__ == "__main__":
    main()
