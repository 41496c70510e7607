"""Contacts inside the Newton iteration of multibody systems."""
