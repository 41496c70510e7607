"""Short cuts for running a scheme on a hand-made system."""

from __future__ import annotations

import numpy as np

from flexmb.drive.compiled import CompiledEngine, has_compiled_step
from flexmb.drive.engine import Plan
from flexmb.drive.general import GeneralEngine
from flexmb.nonsmooth.solvers import ContactSolver
from flexmb.schemes import (
    HHT,
    SCHEMES,
    GeneralizedAlpha,
    MoreauJean,
    MoreauJeanDissipative,
    NaiveHHT,
    Newmark,
    SchatzmanPaoli,
)

MEMBERS = [
    MoreauJean(),
    MoreauJean(theta=0.8),
    MoreauJean(theta=1.0, gamma=0.0),
    MoreauJeanDissipative(),
    MoreauJeanDissipative(theta=0.5),
    SchatzmanPaoli(),
    SchatzmanPaoli(weighting="theta", theta=0.7),
    Newmark(),
    Newmark(ggl=False),
    Newmark(beta=0.5, gamma=0.8),
    Newmark(beta=0.5, gamma=0.8, ggl=False),
    HHT(),
    HHT(ggl=False),
    HHT(alpha=0.1, beta=0.5, gamma=1.0),
    GeneralizedAlpha(),
    GeneralizedAlpha(ggl=False),
    GeneralizedAlpha(rho_inf=0.0),
    GeneralizedAlpha(rho_inf=1.0),
    NaiveHHT(),
    NaiveHHT(alpha=0.1, level="velocity"),
    SCHEMES["potra"](),
    SCHEMES["potra"](variant="II"),
]
"""Every scheme of the project, with the parameters that take another branch."""
MEMBERS += [
    cls() for cls in SCHEMES.values() if cls.driver == "steps" and cls not in {type(member) for member in MEMBERS}
]
COMPILED = [member for member in MEMBERS if has_compiled_step(member)]


def label(scheme):
    return repr(scheme)


def run(system, scheme, h, steps, engine="compiled", every=1, solver=None, fields_every=10**9):
    """Return (block of all samples, engine); a scheme without a compiled step runs in the general engine."""
    plan = Plan(system, scheme, solver or ContactSolver(), h, 0.0, steps, every, fields_every)
    motor = (CompiledEngine if engine == "compiled" and has_compiled_step(scheme) else GeneralEngine)(plan)
    first, rest = motor.start(), motor.advance(steps)
    for name in vars(first):
        if getattr(first, name) is not None:  # what joints have, small motion has not
            setattr(rest, name, np.concatenate([getattr(first, name), getattr(rest, name)]))
    return rest, motor
