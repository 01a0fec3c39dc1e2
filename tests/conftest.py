"""One thread for the tests: the tiny models are too small for two, and other work may be going on."""

from __future__ import annotations

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")  # before torch is imported, and for the commands we start
