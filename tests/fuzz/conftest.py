"""These tests limit processor time and memory by means that Windows does not have."""

import sys

collect_ignore_glob = ["test_*.py"] if sys.platform == "win32" else []
