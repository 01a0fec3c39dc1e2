"""Methods that score salience, their combinations, and profiles."""
