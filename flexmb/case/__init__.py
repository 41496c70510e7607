"""Case files: TOML in, a checked ``Case`` out."""

from flexmb.case.case import Case, load_case
from flexmb.case.shipped import shipped_cases

__all__ = ["Case", "load_case", "shipped_cases"]
