"""Solvers of contact problems, one file each; ``registry.py`` has them by name."""
