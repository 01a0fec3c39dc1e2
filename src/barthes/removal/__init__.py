"""Event removal: what replaces a sentence or an event."""
