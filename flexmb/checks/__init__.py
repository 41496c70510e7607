"""Checks of what users give: values, keys, and the memory that it takes."""
