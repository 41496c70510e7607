"""Time-stepping schemes, one family per file; modules of this package are found automatically.

Every public class with a non-empty ``name`` defined in a module of this package is a scheme; other packages add schemes
by entry points (``checks.plugins``).
"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from typing import Any

from flexmb.checks.plugins import Registry, scheme_word
from flexmb.schemes.alpha import HHT, GeneralizedAlpha, NaiveHHT, Newmark
from flexmb.schemes.euler_linearized import EulerLinearized
from flexmb.schemes.explicit_runge_kutta import Dopri5, Rkf45
from flexmb.schemes.half_explicit import Hem5, Phem56
from flexmb.schemes.hybrid import Hybrid
from flexmb.schemes.implicit_runge_kutta import (
    LobattoIIIA2,
    LobattoIIIA4,
    LobattoIIIA6,
    LobattoIIIC4,
    RadauIIA3,
    RadauIIA5,
)
from flexmb.schemes.moreau_jean import MoreauJean, MoreauJeanDissipative
from flexmb.schemes.potra import Potra
from flexmb.schemes.schatzman_paoli import SchatzmanPaoli
from flexmb.schemes.stormer_verlet import StormerVerlet


def _discover() -> Registry:
    found: dict[str, type[Any]] = {}
    for info in pkgutil.iter_modules(__path__):
        module = importlib.import_module(f"{__name__}.{info.name}")
        for cls in vars(module).values():
            own = inspect.isclass(cls) and cls.__module__ == module.__name__
            if own and isinstance(getattr(cls, "name", None), str) and cls.name:
                found[cls.name] = cls
    return Registry(found, "schemes", scheme_word, lambda item: item[0])


SCHEMES = _discover()
"""Scheme classes by the name used in case files."""

__all__ = [
    "Dopri5",
    "EulerLinearized",
    "GeneralizedAlpha",
    "HHT",
    "Hem5",
    "Hybrid",
    "LobattoIIIA2",
    "LobattoIIIA4",
    "LobattoIIIA6",
    "LobattoIIIC4",
    "MoreauJean",
    "MoreauJeanDissipative",
    "NaiveHHT",
    "Newmark",
    "Phem56",
    "Potra",
    "RadauIIA3",
    "RadauIIA5",
    "Rkf45",
    "SCHEMES",
    "SchatzmanPaoli",
    "StormerVerlet",
]
