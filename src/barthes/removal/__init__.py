"""Event removal functions r: what is left of a sentence when its events are gone."""
