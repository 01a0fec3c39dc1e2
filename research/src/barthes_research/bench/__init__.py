"""Methods and all cheap baselines on several corpora."""
