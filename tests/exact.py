"""Exact solutions used as references; sources in each docstring."""

from __future__ import annotations

import numpy as np


def bouncing_ball(t):
    """q'' = -2, q(0) = 1, v(0) = 0, e = 1/2: impacts accumulate at t = 3 (Acary, RR-7151, eq 10)."""
    t = np.asarray(t, dtype=float)
    q, v = 1.0 - t**2, -2.0 * t
    start, speed = 1.0, 1.0
    for _ in range(60):
        s = t - start
        inside = (s >= 0.0) & (s < speed)  # a flight lasts 2 speed / 2
        q, v = np.where(inside, speed * s - s**2, q), np.where(inside, speed - 2.0 * s, v)
        start, speed = start + speed, 0.5 * speed
    rest = t >= 3.0
    return np.where(rest, 0.0, q), np.where(rest, 0.0, v)


def impacting_oscillator(t, m=1.0, c=0.2, k=4.0, q0=1.0, e=0.7):
    """M v' + c v + k q = lam, obstacle at the equilibrium, from (q0, 0); v_n+ = e |v_1-| (e exp(-a pi / w))^n."""
    t = np.asarray(t, dtype=float)
    a, w = c / (2 * m), np.sqrt(k / m - (c / (2 * m)) ** 2)
    t1 = (np.pi - np.arctan2(w, a)) / w

    def free(s, qs, vs):
        A, B = qs, (vs + a * qs) / w
        env = np.exp(-a * s)
        q = env * (A * np.cos(w * s) + B * np.sin(w * s))
        v = env * ((B * w - a * A) * np.cos(w * s) - (A * w + a * B) * np.sin(w * s))
        return q, v

    q, v = free(t, q0, 0.0)
    v_minus = free(t1, q0, 0.0)[1]
    n = np.floor((t - t1) / (np.pi / w))
    after = t >= t1
    plus = e * abs(v_minus) * (e * np.exp(-a * np.pi / w)) ** np.maximum(n, 0)
    s = t - t1 - np.maximum(n, 0) * np.pi / w
    q2, v2 = free(s, 0.0 * s, plus)
    return np.where(after, q2, q), np.where(after, v2, v)


def modal(M, C, K, q0, v0, t):
    """Free linear motion through the matrix exponential of the first-order system."""
    from scipy.linalg import expm

    n = M.shape[0]
    A = np.block([[np.zeros((n, n)), np.eye(n)], [-np.linalg.solve(M, K), -np.linalg.solve(M, C)]])
    x = expm(A * t) @ np.concatenate([q0, v0])
    return x[:n], x[n:]
