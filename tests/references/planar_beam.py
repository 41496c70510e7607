"""Geometrically exact beam in a plane (Reissner, Simo), with a few elements of high order.

Unknowns per node: x, y, and the section's angle. Strains: (axial, shear) = R^T r' - e1, curvature = angle'. Mass is
constant. Element order 5 and exact-enough Gauss rules make the error in space negligible beside 2-node elements.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.polynomial import legendre


@dataclass(frozen=True)
class Beam:
    """Length (m), stiffnesses (N, N, N m^2), mass and rotary inertia per length (kg/m, kg m)."""

    length: float
    EA: float
    GA: float
    EI: float
    mass: float
    rotary: float
    elements: int = 4
    order: int = 4
    gravity: float = 0.0
    """Acceleration along -y, m/s^2."""

    def __post_init__(self):
        h, p = self.length / self.elements, self.order
        nodes, (points, weights) = _lobatto(p), legendre.leggauss(p + 1)
        N, D = _lagrange(nodes, points)
        n = self.elements * p + 1
        self.__dict__.update(
            n=n,
            index=np.arange(self.elements)[:, None] * p + np.arange(p + 1),
            N=N,
            D=D * 2.0 / h,
            w=weights * h / 2.0,
            s=np.concatenate([[0.0], *(h * (e + 0.5 * (nodes[1:] + 1.0)) for e in range(self.elements))]),
        )
        shape = np.zeros((n, n))
        for rows in self.index:
            shape[np.ix_(rows, rows)] += (N * self.w[:, None]).T @ N
        self.__dict__.update(shape=shape, weights=shape.sum(axis=1))

    def straight(self, origin, angle):
        """Return q (3 n,) of the straight beam from ``origin`` at ``angle``."""
        c, s = np.cos(angle), np.sin(angle)
        return np.column_stack([origin[0] + c * self.s, origin[1] + s * self.s, np.full(self.n, angle)]).ravel()

    def mass_matrix(self):
        """Return M (3 n, 3 n)."""
        return np.kron(self.shape, np.diag([self.mass, self.mass, self.rotary]))

    def force(self, q):
        """Return -dU/dq (3 n,) of the strain energy and gravity."""
        r = q.reshape(self.n, 3)[self.index]  # (elements, nodes, 3)
        at, slope = self.N @ r, self.D @ r  # (elements, points, 3)
        c, s = np.cos(at[..., 2]), np.sin(at[..., 2])
        x, y = slope[..., 0], slope[..., 1]
        axial, shear = self.EA * (c * x + s * y - 1.0), self.GA * (c * y - s * x)
        # derivatives of the energy by r' and by the angle
        fx, fy = c * axial - s * shear, s * axial + c * shear
        turn = axial * (c * y - s * x) - shear * (c * x + s * y)
        by_slope = np.stack([fx, fy, self.EI * slope[..., 2]], axis=-1) * self.w[:, None]
        by_angle = np.stack([0 * turn, 0 * turn, turn], axis=-1) * self.w[:, None]
        local = self.D.T @ by_slope + self.N.T @ by_angle
        out = np.zeros((self.n, 3))
        for e, rows in enumerate(self.index):
            out[rows] -= local[e]
        out[:, 1] -= self.weights * self.mass * self.gravity
        return out.ravel()

    def tangent(self, q):
        """Return d force / dq (3 n, 3 n)."""
        r = q.reshape(self.n, 3)[self.index]
        at, slope = self.N @ r, self.D @ r
        c, s = np.cos(at[..., 2]), np.sin(at[..., 2])
        x, y = slope[..., 0], slope[..., 1]
        zero, one = np.zeros_like(c), np.ones_like(c)
        # strains by (x', y', angle', angle)
        e1, e2 = c * x + s * y, c * y - s * x
        B = np.stack(
            [
                np.stack([c, s, zero, e2], axis=-1),
                np.stack([-s, c, zero, -e1], axis=-1),
                np.stack([zero, zero, one, zero], axis=-1),
            ],
            axis=-2,
        )
        axial, shear = self.EA * (e1 - 1.0), self.GA * e2
        H = np.einsum("epki,k,epkj->epij", B, np.array([self.EA, self.GA, self.EI]), B)
        cross_x, cross_y = -s * axial - c * shear, c * axial - s * shear
        H[..., 0, 3] += cross_x
        H[..., 3, 0] += cross_x
        H[..., 1, 3] += cross_y
        H[..., 3, 1] += cross_y
        H[..., 3, 3] -= axial * e1 + shear * e2
        m = self.order + 1
        T = np.zeros((len(self.w), 4, m, 3))  # (x', y', angle', angle) by nodal unknowns
        T[:, 0, :, 0], T[:, 1, :, 1], T[:, 2, :, 2], T[:, 3, :, 2] = self.D, self.D, self.D, self.N
        T = T.reshape(len(self.w), 4, 3 * m)
        local = np.einsum("pia,p,epij,pjb->eab", T, self.w, H, T, optimize=True)
        K = np.zeros((3 * self.n, 3 * self.n))
        for e, rows in enumerate(self.index):
            dofs = (3 * rows[:, None] + np.arange(3)).ravel()
            K[np.ix_(dofs, dofs)] -= local[e]
        return K


def _lobatto(p):
    """Return the p + 1 Gauss-Lobatto points on [-1, 1]."""
    inner = legendre.legroots(legendre.legder([0.0] * p + [1.0]))
    return np.concatenate([[-1.0], np.sort(inner), [1.0]])


def _lagrange(nodes, points):
    """Return values and derivatives (len(points), len(nodes)) of the Lagrange polynomials."""
    V = legendre.legvander(nodes, len(nodes) - 1)
    inverse = np.linalg.inv(V)
    slopes = np.column_stack(
        [legendre.legval(points, legendre.legder(np.eye(len(nodes))[k])) for k in range(len(nodes))]
    )
    return legendre.legvander(points, len(nodes) - 1) @ inverse, slopes @ inverse


def simulate(beam, q0, v0, end, steps, *, start=0.0, load=None, held=(), drives=(), masses=(), rho=0.8):
    """Return times (steps + 1,), q (steps + 1, 3 n) and v; Chung and Hulbert's second-order scheme.

    ``load`` is a constant vector (3 n,) or None; ``held`` lists unknowns that stand still; ``drives`` lists
    (unknown, function) with function(t) -> (value, rate, second derivative); ``masses`` lists (unknown, mass) to add.
    Stiff as it is (extension, shear), the problem is no food for Runge-Kutta methods with error control.
    """
    am, af = (2 * rho - 1) / (rho + 1), rho / (rho + 1)
    gamma, h = 0.5 + af - am, (end - start) / steps
    beta = 0.25 * (gamma + 0.5) ** 2
    M, push = beam.mass_matrix(), 0.0 if load is None else load
    for unknown, mass in masses:
        M[unknown, unknown] += mass
    free = np.setdiff1d(np.arange(3 * beam.n), [*held, *(unknown for unknown, _ in drives)])
    pick = np.ix_(free, free)
    q, v, a = np.array(q0, dtype=float), np.array(v0, dtype=float), np.zeros(3 * beam.n)

    def prescribe(t):
        for unknown, function in drives:
            q[unknown], v[unknown], real[unknown] = function(t)

    real = np.zeros(3 * beam.n)  # acceleration that balances the forces; ``a`` is the scheme's own
    prescribe(start)
    f = beam.force(q) + push
    real[free] = np.linalg.solve(M[pick], (f - M @ real)[free])
    a[free] = real[free]
    out = [(q.copy(), v.copy())]
    for n in range(1, steps + 1):
        # a_new = known + r real_new; the first guess of real_new is real
        known, r = (af * real - am * a)[free] / (1 - am), (1 - af) / (1 - am)
        guess = known + r * real[free]
        q[free] += h * v[free] + h * h * ((0.5 - beta) * a[free] + beta * guess)
        v[free] += h * ((1 - gamma) * a[free] + gamma * guess)
        prescribe(start + n * h)
        for _ in range(20):
            rest = (beam.force(q) + push - M @ real)[free]
            d = np.linalg.solve(M[pick] - h * h * beta * r * beam.tangent(q)[pick], rest)
            real[free] += d
            q[free] += h * h * beta * r * d
            v[free] += h * gamma * r * d
            if np.abs(h * h * beta * r * d).max() < 1e-11 * beam.length:
                break
        else:
            raise RuntimeError(f"no convergence at t = {start + n * h}")
        a[free] = known + r * real[free]
        out.append((q.copy(), v.copy()))
    return start + h * np.arange(steps + 1), np.array([pair[0] for pair in out]), np.array([pair[1] for pair in out])
