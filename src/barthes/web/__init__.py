"""The local web page: stories in, interactive reports out; one scoring at a time, in a process of its own.

::

    browser ──HTTP──▶ guard ──▶ routes ──▶ Jobs ──pipe──▶ worker (reads, loads models, scores)
            ◀──SSE──           Course ◀────┘   ◀──────── phases, progress, scores as they come
                                 │
                              Results on disk
"""
