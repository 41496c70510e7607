"""Time-stepping schemes, one family per file; modules of this package are found automatically.

Every public class with a non-empty ``name`` defined in a module of this package is a scheme; other packages add schemes
by entry points (``checks.plugins``).
"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from typing import TYPE_CHECKING, Any

from flexmb.checks.keywords import answer_unknown_keywords
from flexmb.checks.plugins import Registry, scheme_word

if TYPE_CHECKING:  # what type checkers and editors know; a scheme that is missing here runs all the same
    from flexmb.schemes.alpha import HHT as HHT
    from flexmb.schemes.alpha import GeneralizedAlpha as GeneralizedAlpha
    from flexmb.schemes.alpha import NaiveHHT as NaiveHHT
    from flexmb.schemes.alpha import Newmark as Newmark
    from flexmb.schemes.euler_linearized import EulerLinearized as EulerLinearized
    from flexmb.schemes.explicit_runge_kutta import Dopri5 as Dopri5
    from flexmb.schemes.explicit_runge_kutta import Rkf45 as Rkf45
    from flexmb.schemes.half_explicit import Hem5 as Hem5
    from flexmb.schemes.half_explicit import Phem56 as Phem56
    from flexmb.schemes.hybrid import Hybrid as Hybrid
    from flexmb.schemes.implicit_runge_kutta import LobattoIIIA2 as LobattoIIIA2
    from flexmb.schemes.implicit_runge_kutta import LobattoIIIA4 as LobattoIIIA4
    from flexmb.schemes.implicit_runge_kutta import LobattoIIIA6 as LobattoIIIA6
    from flexmb.schemes.implicit_runge_kutta import LobattoIIIC4 as LobattoIIIC4
    from flexmb.schemes.implicit_runge_kutta import RadauIIA3 as RadauIIA3
    from flexmb.schemes.implicit_runge_kutta import RadauIIA5 as RadauIIA5
    from flexmb.schemes.moreau_jean import MoreauJean as MoreauJean
    from flexmb.schemes.moreau_jean import MoreauJeanDissipative as MoreauJeanDissipative
    from flexmb.schemes.potra import Potra as Potra
    from flexmb.schemes.schatzman_paoli import SchatzmanPaoli as SchatzmanPaoli
    from flexmb.schemes.stormer_verlet import StormerVerlet as StormerVerlet


def _discover() -> dict[str, type[Any]]:
    found: dict[str, type[Any]] = {}
    for info in pkgutil.iter_modules(__path__):
        module = importlib.import_module(f"{__name__}.{info.name}")
        for cls in vars(module).values():
            own = inspect.isclass(cls) and cls.__module__ == module.__name__
            if own and isinstance(getattr(cls, "name", None), str) and cls.name:
                found[cls.name] = cls
                answer_unknown_keywords(cls)
    return found


_found = _discover()
_classes = {cls.__name__: cls for cls in _found.values()}
globals().update(_classes)

SCHEMES = Registry(_found, "schemes", scheme_word, lambda item: item[0])
"""Scheme classes by the name used in case files."""

__all__ = sorted([*_classes, "SCHEMES"])  # noqa: PLE0605  names of files are not known here
