"""Salience: methods, the coherence they measure, the profiles they give, and their combination."""
