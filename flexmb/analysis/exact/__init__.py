"""Closed-form solutions of impact problems, by name; a case file refers to one in its table ``[exact]``."""

from flexmb.analysis.exact.by_name import SOLUTIONS, exact_solution
from flexmb.analysis.exact.solution import Exact

__all__ = ["SOLUTIONS", "Exact", "exact_solution"]
