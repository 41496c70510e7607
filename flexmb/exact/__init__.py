"""Closed solutions of impact problems, by name; a case file claims one in its table ``[exact]``."""

from flexmb.exact.choose import SOLUTIONS, exact_solution
from flexmb.exact.solution import Exact

__all__ = ["SOLUTIONS", "Exact", "exact_solution"]
