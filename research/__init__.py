"""Makes the tests of the lab importable as `research.tests`, apart from `tests`; not part of any package."""
