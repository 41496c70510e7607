"""Shipped cases: ``flexmb run NAME`` finds them here from any folder."""
