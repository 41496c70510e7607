"""Elastic bars: wave solutions."""

from __future__ import annotations

import numpy as np

import flexmb as fm
from validation.comparison import Curve, compared, component

TITLE = "Bars"
DOYEN = "Doyen, Ern, Piperno (2011)"


@compared("impacting_bar", "Bar thrown against a wall", f"{DOYEN}; Acary (2019)", "waves, closed form")
def thrown_bar(result: fm.Result) -> list[Curve]:
    """The bar arrives at 10 m/s, stays at the wall for $2 L / c$ = 2/3 s and leaves undeformed.

    Wave fronts are smeared over some elements: the force is compared in the mean.
    """
    t = result.time
    tip = np.maximum(np.maximum(10.0 * (0.5 - t), 10.0 * (t - 7 / 6)), 0.0)
    force = np.where((t > 0.5) & (t < 7 / 6), 300.0, 0.0)
    return [
        Curve("end at the wall [m]", t, component(result, "rod.first.position", 0), tip, 2e-2),
        Curve("contact force [N]", t, result.contacts["wall"].force.ravel(), force, 1e-2, mean=True),
    ]


@compared("bouncing_bar", "Bar bouncing under gravity", DOYEN, "waves, closed form")
def bouncing_bar(result: fm.Result) -> list[Curve]:
    """Dropped from 5 m: contact on [1, 5/3) and [11/3, 13/3), with the period 16/3 s."""
    from references.bar_waves import BouncingBar

    t = result.time
    ends = [("lower end [m]", "first", 0.0, 4e-2), ("upper end [m]", "last", 10.0, 2e-2)]
    return [
        Curve(label, t, component(result, f"bar.{node}.position", 2), x + BouncingBar.displacement(x, t), most)
        for label, node, x, most in ends
    ] + [
        Curve(
            "force of the floor [N]", t, result.contacts["floor"].force.ravel(), BouncingBar.force(t), 2e-2, mean=True
        )
    ]


@compared("two_bars", "Bar that hits an equal one at rest", "Saint-Venant (1867)", "waves, closed form")
def two_bars(result: fm.Result) -> list[Curve]:
    """After the waves have returned, the second bar has all of the momentum."""
    from references.bar_waves import two_bars as exact

    t = result.time
    hammer, anvil = exact(0.0, t - 0.3, 10.0)
    force = np.where((t > 0.3) & (t < 0.3 + 2.0 / 3.0), 150.0, 0.0)
    return [
        Curve("end of the hammer [m]", t, component(result, "hammer.last.position", 0), hammer, 2e-2),
        Curve("end of the anvil [m]", t, component(result, "anvil.first.position", 0), anvil, 2e-2),
        Curve("force between them [N]", t, result.contacts["faces"].force.ravel(), force, 1e-2, mean=True),
    ]


@compared(
    "bar_on_rough_floor",
    "Bar on a rough floor, pushed at one end",
    "wave equation with Coulomb friction along the bar",
    "waves, closed form",
    'output.signals=["bar.node(0).displacement", "bar.node(20).displacement", "bar.node(40).displacement"]',
)
def rough_floor(result: fm.Result) -> list[Curve]:
    """Friction stops the wave before it reaches the far end, and locks the strain in."""
    from references import rough_bar

    t = result.time
    return [
        Curve(
            f"displacement at {0.1 * k:g} m [m]",
            t,
            component(result, f"bar.node({k}).displacement", 0),
            rough_bar.displacement(0.1 * k, t),
            3e-2,
        )
        for k in (0, 20, 40)
    ]


@compared("bar_with_frictional_support", "Bar caught by a frictional support", "waves, dry support", "closed form")
def frictional_support(result: fm.Result) -> list[Curve]:
    """In successive intervals of $2 L / c$ the supported end moves at 23/30 and 3/10 m/s; then it sticks."""
    t, T = result.time, 2.0 / 3.0
    exact = np.where(t < T, 23.0 / 30.0, np.where(t < 2.0 * T, 0.3, 0.0))
    return [
        Curve("velocity at the support [m/s]", t, component(result, "bar.first.velocity", 0), exact, 3e-2, mean=True)
    ]
