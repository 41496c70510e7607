"""Time-stepping schemes, one family per file. A scheme is listed here because its file exists.

Every public class with a non-empty ``name`` that a module of this package defines is a scheme.
"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from typing import Any

from flexmb.schemes.alpha import HHT, GeneralizedAlpha, NaiveHHT, Newmark
from flexmb.schemes.euler_linearized import EulerLinearized
from flexmb.schemes.moreau_jean import MoreauJean, MoreauJeanDissipative
from flexmb.schemes.potra import Potra
from flexmb.schemes.schatzman_paoli import SchatzmanPaoli
from flexmb.schemes.stormer_verlet import StormerVerlet


def _discover() -> dict[str, type[Any]]:
    found: dict[str, type[Any]] = {}
    for info in pkgutil.iter_modules(__path__):
        module = importlib.import_module(f"{__name__}.{info.name}")
        for cls in vars(module).values():
            own = inspect.isclass(cls) and cls.__module__ == module.__name__
            if own and isinstance(getattr(cls, "name", None), str) and cls.name:
                found[cls.name] = cls
    return dict(sorted(found.items()))


SCHEMES: dict[str, type[Any]] = _discover()
"""Scheme classes by the name used in case files."""

__all__ = [
    "HHT",
    "SCHEMES",
    "EulerLinearized",
    "GeneralizedAlpha",
    "MoreauJean",
    "MoreauJeanDissipative",
    "NaiveHHT",
    "Newmark",
    "Potra",
    "SchatzmanPaoli",
    "StormerVerlet",
]
