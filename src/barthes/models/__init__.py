"""Language models: one protocol, three implementations.

::

    language_model   the protocol: encode, read and rescore, states
      causal           networks of transformers (attention, forward_pass, shared_reading, side_by_side)
      served           models behind a server (served_servers, served_connection)
      counting         a model that counts words, for tests and teaching
    loading          models by name: pretrained by transformers, llama without it, on the best hardware
      embedded         the models that Barthes knows and fetches (fetching, store)
      deferred         a model that is loaded only if the score cache does not have the answer
    windows          texts that are longer than the context
"""
