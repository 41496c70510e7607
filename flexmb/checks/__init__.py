"""Checks of user input: values, keys and memory requirements."""
