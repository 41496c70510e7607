"""Compiled loops: arrays in, arrays out. Nothing here knows a body, a scheme or a file."""
