"""Shipped meshes: ``mesh = "NAME"`` in a case file finds them here."""
