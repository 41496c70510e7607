"""Beams: geometrically exact beams of high order, test sets, quasi-static solutions."""

from __future__ import annotations

import numpy as np

import flexmb as fm
from validation.comparison import Curve, compared, component

TITLE = "Beams"


@compared(
    "spin_up_beam",
    "Spin-up of a flexible beam",
    "Simo, Vu-Quoc (1986), part II",
    "exact beam of high order",
)
def spin_up(result: fm.Result) -> list[Curve]:
    """The tip lags behind the hub by up to 0.6 m and recovers when the speed is constant.

    The reference is a plane exact beam of three elements of fourth order; the published curve has its largest lag of
    about 0.6 m near 7 s.
    """
    from references import spin_up as beam

    angle = np.array([beam.drive(t)[0] for t in result.time])
    x, y = (component(result, "beam.last.position", k) for k in (0, 1))
    lag = np.cos(angle) * y - np.sin(angle) * x
    times, tip = beam.trajectory(result.time[-1], round(200 * result.time[-1]), elements=3)
    return [Curve("lag of the tip [m]", result.time, lag, np.interp(result.time, times, tip[:, 1]), 1e-2)]


@compared(
    "flexible_slider_crank",
    "Flexible slider-crank",
    "Simeon (1996); Test Set for IVP Solvers",
    "index-1 integration, DOP853",
)
def crank(result: fm.Result) -> list[Curve]:
    """The reference agrees with the published end values to 1e-9."""
    from references import flexible_slider_crank as model

    t = result.time
    thin = slice(None, None, max(1, t.size // 200))
    p = model.trajectory(t[thin], rtol=1e-9, atol=1e-13)[0]
    return [Curve("position of the slider [m]", t[thin], component(result, "slider.position", 0)[thin], p[:, 2], 1e-4)]


@compared(
    "beam_pressed_on_rough_plane", "Bristle on a moving surface", "statics of a propped cantilever", "closed form"
)
def bristle(result: fm.Result) -> list[Curve]:
    """The foot sticks to the moving surface up to the friction limit; then its deflection is $\\mu N L^3 / 3 E I$."""
    x = component(result, "blade.last.displacement", 0)
    exact = np.minimum(0.01 * result.time, 2.0 / 525.0)
    return [Curve("displacement of the foot [m]", result.time, x, exact, 3e-2)]


@compared(
    "peeling_beam", "Strip peeled off a surface", "Raous, Cangémi, Cocu (1999), mode I", "quasi-static finite elements"
)
def peeling(result: fm.Result) -> list[Curve]:
    """The energy release rate is the force times the slope."""
    from references import peeling as strip

    lifts = np.linspace(0.0, 0.01, 81)
    force, slope, work, _ = strip.peel(lifts, elements=50, C=2e4, w=0.02)
    t = lifts / 0.02
    late = t > 0.1
    got = np.interp(t, result.time, result.contacts["lifter"].force.ravel())
    taken = np.interp(t, result.time, result.energy.work_cohesion)
    return [
        Curve("force [N]", t[late], got[late], force[late], 2e-2, mean=True),
        Curve("work of adhesion [J]", t, taken, -work, 2e-2),
    ]
