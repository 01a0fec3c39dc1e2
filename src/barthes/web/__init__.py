"""The local web page: stories in, interactive reports out; one job at a time, scored in a worker process.

::

    browser ──HTTP──▶ SecurityMiddleware ──▶ api ──▶ JobQueue ──pipe──▶ worker (reads, loads models, scores)
            ◀──SSE──               JobProgress ◀────────┘     ◀──────── phases, progress, scores
                                        │
                                 JobStore (on disk)
"""
