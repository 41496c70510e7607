"""Unit quaternions over whole arrays, for evaluations after a run (the compiled loops have ``geometry.rotation``).

Quaternions p are (..., 4), first number the cosine of half the angle; vectors are (..., 3). Leading axes broadcast.
"""

from __future__ import annotations

import numpy as np

from flexmb.state import Array

SMALL = 1e-2
"""Squared angle, rad^2, below which a series replaces a formula that suffers from cancellation."""


def turned(p: Array, s: Array) -> Array:
    """Return A(p) s."""
    u = p[..., 1:]
    c = 2.0 * np.cross(u, s)
    return np.asarray(s + p[..., :1] * c + np.cross(u, c))


def product(p: Array, r: Array) -> Array:
    """Return the quaternion of A(p) A(r)."""
    first = p[..., 0] * r[..., 0] - np.sum(p[..., 1:] * r[..., 1:], axis=-1)
    rest = p[..., :1] * r[..., 1:] + r[..., :1] * p[..., 1:] + np.cross(p[..., 1:], r[..., 1:])
    return np.concatenate([first[..., None], rest], axis=-1)


def inverse(p: Array) -> Array:
    """Return the inverse rotation."""
    return np.asarray(p * np.array([1.0, -1.0, -1.0, -1.0]))


def from_vector(t: Array) -> Array:
    """Return the quaternion of the rotation vector t."""
    half = 0.5 * np.linalg.norm(t, axis=-1, keepdims=True)
    return np.concatenate([np.cos(half), 0.5 * np.sinc(half / np.pi) * t], axis=-1)


def to_vector(p: Array) -> Array:
    """Return the rotation vector of p, of length at most pi."""
    p = np.where(p[..., :1] < 0.0, -p, p)
    sine = np.linalg.norm(p[..., 1:], axis=-1, keepdims=True)
    angle = 2.0 * np.arctan2(sine, p[..., :1])
    return np.asarray(np.where(sine > 0.0, angle / np.where(sine > 0.0, sine, 1.0), 2.0) * p[..., 1:])


def spun(t: Array, rate: Array) -> Array:
    """Return the angular velocity of exp(t) for the rate of t, in the axes before the rotation."""
    s2 = np.sum(t * t, axis=-1, keepdims=True)
    s = np.sqrt(s2)
    b = 0.5 * np.sinc(0.5 * s / np.pi) ** 2
    series = (1.0 - s2 / 20.0 * (1.0 - s2 / 42.0 * (1.0 - s2 / 72.0 * (1.0 - s2 / 110.0)))) / 6.0
    c = np.where(s2 < SMALL, series, (1.0 - np.sinc(s / np.pi)) / np.where(s2 < SMALL, 1.0, s2))
    first = np.cross(t, rate)
    return np.asarray(rate + b * first + c * np.cross(t, first))
