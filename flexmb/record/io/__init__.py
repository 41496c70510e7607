"""File formats of results: writing and reading."""
