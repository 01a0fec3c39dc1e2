"""Score stories for clients: one worker process behind `barthes serve` and `barthes mcp`.

::

    web.queue ─────────┐                      ┌──pipe──▶ Worker: reads, loads models, scores
                       ├─▶ Runner.run(task) ──┤          (a process of its own)
    integrations.mcp ──┘   limits, time,      └◀─pipe─── progress, result or error
                           cancellation

A task is a function of the worker that can be pickled: ``task(worker) -> result``. `offer` says what clients
may ask for: how much, and which models.
"""
