"""The validation manual: curves that flexmb computes over published figures, closed forms and independent integrations.

Each module holds the comparisons of one family, as functions marked with ``@compared``. The references share no code
with flexmb (``tests/references``).
"""
