"""Rigid bodies and mechanisms: integrations in minimal coordinates, elliptic functions, published numbers."""

from __future__ import annotations

import numpy as np

import flexmb as fm
from validation.comparison import Curve, compared, component

TITLE = "Rigid bodies and mechanisms"


@compared("four_bar", "Four-bar linkage", "Haddouni (2015), tables 3.2 and 3.3", "three angles, DOP853 at 1e-12")
def four_bar(result: fm.Result) -> list[Curve]:
    """The linkage is driven by a torque of 6 N m for 2 s."""
    from references import four_bar as linkage

    t = result.time
    q, v, _ = linkage.trajectory(t)
    x = 0.3 * np.cos(q[:, 0])
    return [
        Curve("crank pin x [m]", t, component(result, "crank.tip.position", 0), x, 1e-4),
        Curve("velocity of the crank pin x [m/s]", t, component(result, "crank.tip.velocity", 0),
              -0.3 * np.sin(q[:, 0]) * v[:, 0], 1e-3),
    ]  # fmt: skip


@compared(
    "double_pendulum_wall", "Double pendulum at a wall", "Potra et al. (2006), section 10.1", "two angles, events"
)
def double_pendulum(result: fm.Result) -> list[Curve]:
    """Five impacts of two point masses with $e$ = 0.1."""
    from references import double_pendulum_wall

    t = result.time
    x = double_pendulum_wall.trajectory(t)[0]
    return [
        Curve("upper mass x [m]", t, component(result, "upper.position", 0), x[:, 0], 5e-3),
        Curve("lower mass x [m]", t, component(result, "lower.position", 0), x[:, 2], 5e-3),
    ]


@compared("bouncing_pendulum", "Pendulum that bounces on a wall", "Acary (2019)", "one angle, events", "time.step=5e-4")
def bouncing_pendulum(result: fm.Result) -> list[Curve]:
    """Bounces with $e$ = 0.8 accumulate; then the rod rests on the wall.

    GGL takes $O(h)$ of the energy at each bounce.
    """
    from references import pendulum

    theta = pendulum.bouncing(result.time)[0]
    x = component(result, "rod.center.position", 0)
    return [Curve("center of the rod x [m]", result.time, x, np.cos(theta), 3e-2)]


@compared("heavy_top", "Heavy top", "Brüls, Cardona, Arnold (2012)", "elliptic functions")
def heavy_top(result: fm.Result) -> list[Curve]:
    """The height of the center of mass shows the nutation of a fast top."""
    from references import heavy_top as top

    z = component(result, "top.center.position", 2)
    return [Curve("height of the center of mass [m]", result.time, z, top.height(result.time), 1e-3)]


@compared("slider_crank", "Slider-crank", "Flores, Leine, Glocker (2010), without clearance", "crank angle, DOP853")
def slider_crank(result: fm.Result) -> list[Curve]:
    """The crank starts at 150 rad/s and is not driven."""
    from references import slider_crank as crank

    a, v, b, x, _ = crank.trajectory(crank.FLORES, result.time)
    position = component(result, "slider.position", 0)
    return [Curve("position of the slider [m]", result.time, position, x, 1e-3)]


@compared("double_four_bar", "Double four-bar linkage", "IFToMM benchmark A02", "one angle, DOP853")
def double_four_bar(result: fm.Result) -> list[Curve]:
    """The linkage passes ten singular positions, at each of which the solution could change its branch."""
    from references import double_four_bar as bars

    t = result.time
    phi = np.asarray(bars.trajectory(t)[0])
    return [Curve("tip of the crank x [m]", t, component(result, "crank0.tip.position", 0), np.sin(phi), 1e-2)]


@compared("slider_crank_clearance", "Slider with clearance and friction in its guide", "Flores, Leine, Glocker (2010)",
          "three angles, own time stepping at 2e-6 s")  # fmt: skip
def clearance(result: fm.Result) -> list[Curve]:
    """The corners of the slider strike the guide; friction is 0.01, $e$ = 0.4."""
    from references import guide_clearance

    _, y, _ = guide_clearance.trajectory(2e-6, 10_000)
    x, height = guide_clearance.slider(y[::10, :3].T)
    return [
        Curve("slider along the guide [m]", result.time, component(result, "slider.position", 0), x, 1e-3),
        Curve("slider across the guide [m]", result.time, component(result, "slider.position", 1), height, 5e-2),
    ]


@compared("rocking_block", "Rocking block", "Housner (1963)", "closed form between the landings, events")
def rocking(result: fm.Result) -> list[Curve]:
    """Friction holds the corners; each landing reduces the angular rate by Housner's ratio."""
    from references import rocking_block

    tilt = rocking_block.trajectory(result.time)[0]
    angle = component(result, "block.rotation", 2) + rocking_block.TILT
    return [Curve("tilt [rad]", result.time, angle, tilt, 3e-2)]


@compared(
    "painleve_rod", "Painlevé's rod", "Painlevé (1895); Génot, Brogliato (1999)", "impulse in closed form, one angle"
)
def painleve(result: fm.Result) -> list[Curve]:
    """No finite force prevents penetration of the sliding end: an impulse stops it, and the rod tips over its end."""
    from references import painleve_rod

    angle = np.pi / 3.0
    _, after = painleve_rod.jam(angle, -1.0, 0.0)
    a, w, _ = painleve_rod.pivoting(result.time, angle, after[2])
    return [Curve("rotation [rad]", result.time, component(result, "rod.rotation", 2), a - angle, 1e-2)]
