"""Show profiles: terminal tables, TSV, CSV, JSON, pages, figures, and the formats of other tools."""
