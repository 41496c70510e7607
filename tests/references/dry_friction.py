"""One sliding mass with Coulomb friction: closed forms and integrations from one change of state to the next."""

from __future__ import annotations

import numpy as np
from scipy.integrate import quad, solve_ivp
from scipy.optimize import brentq

GRAVITY = 9.81
SLOPE = np.deg2rad(20.0)


def incline(times, mu, speed, slope=SLOPE, gravity=GRAVITY):
    """Return distance up the slope (n,), velocity (n,), and (time, distance) of the stop; starts with ``speed``."""
    times = np.asarray(times, dtype=float)
    drive, grip = -gravity * np.sin(slope), mu * gravity * np.cos(slope)
    first = drive - np.sign(speed) * grip  # acceleration of the first slide
    stop = -speed / first if first * speed < 0.0 else np.inf
    t = np.minimum(times, stop)
    s, v = speed * t + 0.5 * first * t**2, speed + first * t
    later = np.maximum(times - stop, 0.0)
    back = drive + grip if abs(drive) > grip else 0.0
    where = 0.5 * speed * stop
    return s + 0.5 * back * later**2, np.where(times > stop, back * later, v), (stop, where)


def potra_block(times, force=8.0, mu=0.8, start=3.0, gravity=GRAVITY):
    """Return position (n,), velocity (n,) and the time of sticking of a unit mass under force cos t, from rest.

    Potra, Anitescu, Gavrea, Trinkle (2006), section 10.2; valid until |force cos t| exceeds mu g again.
    """
    grip = mu * gravity
    stop = brentq(lambda t: force * np.sin(t) - grip * t, 1e-3, np.pi, xtol=1e-16)
    t = np.minimum(np.asarray(times, dtype=float), stop)
    moving = np.asarray(times) < stop
    v = np.where(moving, force * np.sin(t) - grip * t, 0.0)
    return start + force * (1.0 - np.cos(t)) - 0.5 * grip * t**2, v, stop


def oscillator(times, x0=12.0, v0=6.0, grip=1.0, omega=1.0):
    """Return position, velocity, the turning points [(time, position)] and the time of rest; x'' = -omega^2 x -+ grip.

    Between turning points it swings about +-grip / omega^2; it rests at the first turning point within that distance.
    """
    times, half = np.asarray(times, dtype=float), grip / omega**2
    x, v, turns = np.empty(times.size), np.empty(times.size), []
    t, a, b = 0.0, x0, v0
    while True:
        sign = np.sign(b) if b else -np.sign(a)  # of the velocity that follows
        centre = -sign * half
        amplitude, phase = np.hypot(a - centre, b / omega), np.arctan2(-b / omega, a - centre)
        # x = centre + amplitude cos(omega s + phase); it turns where omega s + phase is a multiple of pi
        last = (np.ceil(phase / np.pi + 1e-12) * np.pi - phase) / omega
        now = (times >= t) & (times <= t + last)
        angle = omega * (times[now] - t) + phase
        x[now], v[now] = centre + amplitude * np.cos(angle), -amplitude * omega * np.sin(angle)
        t, a, b = t + last, centre + amplitude * np.cos(omega * last + phase), 0.0
        turns.append((t, a))
        if abs(a) <= half:
            x[times > t], v[times > t] = a, 0.0
            return x, v, turns, t


def coulomb_belt(times, k=100.0, limit=3.0, belt=0.5, mass=1.0):
    """Return position and velocity of a mass on a belt and a spring, sticking at x = 0 at first; constant friction.

    It slips when k x reaches the limit, and then swings about that place with the speed of the belt as its amplitude:
    it touches the belt's speed once in a period and does not stick.
    """
    times, omega = np.asarray(times, dtype=float), np.sqrt(k / mass)
    slip, where = limit / k / belt, limit / k
    s = omega * np.maximum(times - slip, 0.0)
    on = times < slip
    x = np.where(on, belt * times, where + belt / omega * np.sin(s))
    return x, np.where(on, belt, belt * np.cos(s))


def falling_belt(times, coefficient, k, normal, belt, mass=1.0, rtol=1e-12, atol=1e-13):
    """Return position, velocity and [(time, "slip" or "stick")] of a mass on a belt, friction falling with slip.

    Parameters
    ----------
    coefficient : function of the slip speed >= 0; its value at 0 holds the mass while it sticks.
    """
    times = np.asarray(times, dtype=float)
    out, changes = np.empty((times.size, 2)), []
    t, y, sticks = times[0], np.array([0.0, belt]), True
    limit = coefficient(0.0) * normal / k

    def slide(_, y):
        return [y[1], (coefficient(abs(belt - y[1])) * normal * np.sign(belt - y[1]) - k * y[0]) / mass]

    def caught(_, y):
        return y[1] - belt

    caught.terminal, caught.direction = True, 1
    while t < times[-1]:
        if sticks:
            stop = t + (limit - y[0]) / belt
            now = (times >= t) & (times <= stop)
            out[now] = np.column_stack([y[0] + belt * (times[now] - t), np.full(now.sum(), belt)])
            t, y, sticks = stop, np.array([limit, belt]), False
            changes.append((t, "slip"))
            continue
        # the slip begins with slip speed zero: a first small step by hand, x'' = (mu'(0+) ...) is of higher order
        y = y - np.array([0.0, 1e-12])
        run = solve_ivp(slide, (t, times[-1]), y, "DOP853", rtol=rtol, atol=atol, events=caught, dense_output=True)
        stop = run.t_events[0][0] if run.t_events[0].size else times[-1]
        now = (times >= t) & (times <= stop)
        out[now] = run.sol(times[now]).T
        t, y, sticks = stop, run.sol(stop), True
        if stop < times[-1]:
            y[1] = belt
            changes.append((t, "stick"))
    return out[:, 0], out[:, 1], changes


def rolling(times, speed=(2.0, 0.0), spin=(0.0, 0.0), radius=0.1, mu=0.2, gravity=GRAVITY):
    """Return position (n, 2), velocity (n, 2), angular velocity (n, 2) about x and y, and when a ball begins to roll.

    A solid ball on a plane z = 0; slip of the touching point u = v + omega x (-R e_z) = (v_x - R w_y, v_y + R w_x). Its
    direction is fixed, friction -mu m g u/|u| takes 7/2 mu g per second from its size, so the centre runs on a parabola
    until t = 2 |u| / (7 mu g), and straight on with v - 2 u / 7 after that. Coriolis (1835).
    """
    times = np.asarray(times, dtype=float)
    v0, w0 = np.asarray(speed, dtype=float), np.asarray(spin, dtype=float)
    u = v0 + radius * np.array([-w0[1], w0[0]])
    size = np.hypot(*u)
    way = u / size if size else u
    start = 2.0 * size / (7.0 * mu * gravity) if size else 0.0
    t = np.minimum(times, start)[:, None]
    v = v0 - mu * gravity * t * way
    x = v0 * t - 0.5 * mu * gravity * t**2 * way + v * np.maximum(times - start, 0.0)[:, None]
    return x, v, _turned(w0, way, t, mu * gravity, radius), start


def _turned(w0, way, t, grip, radius):
    """Return the angular velocity: I w' = r x f with r = -R e_z, f = -m grip way, I = 2 m R^2 / 5."""
    # (-R e_z) x (-grip (a, b, 0)) = R grip e_z x (a, b, 0) = R grip (-b, a, 0)
    return w0 + 2.5 * grip / radius * t * np.array([-way[1], way[0]])


def work_on_incline(mu, speed, slope=SLOPE, mass=2.0, gravity=GRAVITY):
    """Return the work of friction until the first stop, by quadrature of force times speed."""
    _, _, (stop, _) = incline([0.0], mu, speed, slope, gravity)
    grip = mu * mass * gravity * np.cos(slope)
    return -quad(lambda t: grip * abs(incline([t], mu, speed, slope, gravity)[1][0]), 0.0, stop, epsabs=1e-13)[0]
