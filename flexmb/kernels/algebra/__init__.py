"""Banded, enveloped and sparse matrices: products, factorizations, solves."""
