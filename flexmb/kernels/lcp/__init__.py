"""Linear complementarity problems: contacts without friction."""
