"""Many narratives: what is scored, where results are kept, who computes them, and the table at the end."""
