"""Runs: score thousands of texts into a folder, in parallel, and continue after any interruption.

::

    files, folders, tables                         run/
      │ inputs: id, hash                             manifest.jsonl            settings, versions, texts
      ▼                                              results/3f/3f9a….json     one file per text
    corpus_run ── texts without a result ──▶ pool ───▶ worker: read, score every method
      ▲                                        │          (this process, other processes, Ray actors)
      └─────────────── results ◀───────────────┘

Each module has one part: `inputs` lists the texts, `manifest` says what decides their scores, `results` keeps
and reads the result files, `storage` is the folder or address that they are in, `worker` scores one text,
`pool` keeps workers busy and replaces those that die, `process_pool` and `ray_pool` say where they are, and
`corpus_run` puts it all together.
"""
