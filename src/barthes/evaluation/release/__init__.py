"""What the authors' release computes where it departs from the paper's formula: ``--as paper``."""
