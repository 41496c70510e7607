"""Particles, blocks and balls: impacts and friction in closed form."""

from __future__ import annotations

import numpy as np

import flexmb as fm
from validation.comparison import Curve, compared, component

TITLE = "Particles, blocks and balls"
SLIDING = "Coulomb friction, any textbook"


@compared("bouncing_ball", "Bouncing ball", "Acary, RR-7151, eq 10", "closed form")
def ball(result: fm.Result) -> list[Curve]:
    """Infinitely many impacts up to $t$ = 3 s, then rest."""
    from exact import bouncing_ball

    q, v = bouncing_ball(result.time)
    return [
        Curve("height [m]", result.time, component(result, "ball.position", 2), q, 5e-3),
        Curve("velocity [m/s]", result.time, component(result, "ball.velocity", 2), v, 1e-3, mean=True),
    ]


@compared("impact_oscillator", "Damped oscillator at an obstacle", "Acary, RR-7151, example 2", "closed form")
def oscillator(result: fm.Result) -> list[Curve]:
    """Impacts are half a period apart; the rebound speed is reduced by $e$ and by damping from one to the next."""
    from exact import impacting_oscillator

    q, v = impacting_oscillator(result.time, m=1.0, c=0.2, k=4.0, q0=1.0, e=0.7)
    return [
        Curve("position [m]", result.time, component(result, "ball.position", 0), q, 5e-3),
        Curve("velocity [m/s]", result.time, component(result, "ball.velocity", 0), v, 2e-3, mean=True),
    ]


@compared(
    "chain_of_balls", "Column of three balls on a floor", "Haddouni (2015), section 4.3.1", "events, closed flights"
)
def chain(result: fm.Result) -> list[Curve]:
    """Impacts accumulate at several contacts of the falling column."""
    from references import chain_of_balls

    t = result.time
    z = np.asarray(chain_of_balls.trajectory(t)[0])
    return [
        Curve(f"height, {name} ball [m]", t, component(result, f"{name}.position", 2), z[:, k], 2e-2)
        for k, name in enumerate(("low", "middle", "high"))
    ]


@compared("block_on_incline", "Block on an incline that stops and sticks", SLIDING, "closed form")
def incline(result: fm.Result) -> list[Curve]:
    """The block starts upward at 2 m/s with $\\mu$ = 0.5, stops and sticks."""
    from references import dry_friction

    s, v, _ = dry_friction.incline(result.time, 0.5, 2.0)
    down = np.cos(dry_friction.SLOPE)
    return [
        Curve("displacement along the slope [m]", result.time, component(result, "block.position", 0) / down, s, 5e-3),
        Curve("velocity [m/s]", result.time, component(result, "block.velocity", 0) / down, v, 1e-2),
    ]


@compared("potra_block", "Block driven by 8 cos t", "Potra et al. (2006), section 10.2", "closed form")
def driven_block(result: fm.Result) -> list[Curve]:
    """The block slides, slows down and sticks at $t$ = 0.3386 s."""
    from references import dry_friction

    q, v, _ = dry_friction.potra_block(result.time)
    return [
        Curve("position [m]", result.time, component(result, "block.position", 0), q, 5e-3),
        Curve("velocity [m/s]", result.time, component(result, "block.velocity", 0), v, 1e-2),
    ]


@compared("dry_friction_oscillator", "Oscillator with dry friction", SLIDING, "closed form, half period by half period")
def dry_oscillator(result: fm.Result) -> list[Curve]:
    """Each half period reduces the amplitude by the same amount; the mass comes to rest away from the center."""
    from references import dry_friction

    x = dry_friction.oscillator(result.time)[0]
    return [Curve("position [m]", result.time, component(result, "mass.position", 0), x, 5e-3)]


@compared(
    "stick_slip_belt", "Stick-slip on a belt", "constant and decreasing friction; Stribeck's curve", "events, DOP853"
)
def belt(result: fm.Result) -> list[Curve]:
    """One mass has constant friction, the other friction that decreases with the slip velocity."""
    from references import dry_friction

    t = result.time
    constant = dry_friction.coulomb_belt(t)[0]
    falling = dry_friction.falling_belt(t, lambda s: 0.2 + 0.1 * np.exp(-((s / 0.5) ** 2)), 100.0, 10.0, 0.5)[0]
    return [
        Curve("constant friction: position [m]", t, component(result, "coulomb.position", 0), constant, 5e-3),
        Curve("decreasing friction: position [m]", t, component(result, "stribeck.position", 0), falling, 3e-2),
    ]


@compared("sphere_sliding_to_rolling", "Ball that slides, then rolls", SLIDING, "closed form")
def sliding_ball(result: fm.Result) -> list[Curve]:
    """Finally the ball rolls at 5/7 of its initial speed."""
    from references import dry_friction

    x, v, _, _ = dry_friction.rolling(result.time, (2.0, 0.0), (0.0, 0.0))
    return [Curve("velocity [m/s]", result.time, component(result, "ball.velocity", 0), v[:, 0], 1e-2)]


@compared("billiard_ball", "Draw shot of a billiard ball", "Coriolis (1835)", "closed form: a parabola, then a line")
def billiard(result: fm.Result) -> list[Curve]:
    """The direction of slip is constant while the ball slides, so its path is a parabola."""
    from references import dry_friction

    x, v, _, _ = dry_friction.rolling(result.time, (1.5, 0.4), (20.0, -60.0))
    return [
        Curve(f"position {name} [m]", result.time, component(result, "ball.position", k), x[:, k], 5e-3)
        for k, name in enumerate("xy")
    ]
