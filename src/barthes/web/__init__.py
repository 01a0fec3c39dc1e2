"""The local web page: stories in, interactive reports out.

::

    browser ──HTTP──▶ SecurityMiddleware ──▶ api ──▶ JobQueue ──▶ jobs.Runner ──▶ worker process
                                              └────▶ JobStore (on disk)
"""
