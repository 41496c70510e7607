"""Second-order cone complementarity problems: contacts with friction."""
