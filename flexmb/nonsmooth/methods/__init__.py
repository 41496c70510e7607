"""Solvers of contact problems, one file each; ``registry.py`` knows them by their names."""
