"""Show profiles, and write them for other tools.

::

    Profile ─┬─ tables, terminal, exports   formats of `barthes score`, found by entry points   ─▶ output
             ├─ page       document (a plain dict) ─▶ Jinja template with scripts ─▶ one HTML file
             ├─ figures    curves, strips, matrices (matplotlib)
             └─ comparison two profiles: alignment ─▶ pairs ─▶ page, figures

    wording, scale       the words and shades that all of them share
    escaping             no text becomes markup, a control sequence or a path

A new format is one module with a `barthes.formats.FileFormat` and its entry point in pyproject.toml.
"""
