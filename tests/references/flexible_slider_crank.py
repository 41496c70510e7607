"""Flexible slider-crank of Simeon (1996), problem "crank" of the Test Set for IVP Solvers.

Unknowns p = (phi1, phi2, x3, q1 .. q4): angles of crank and rod, slider, two sine modes of bending, mid and end
displacement along the rod. ``correct=True`` puts the factor 1/15 back that the test set's longitudinal mass lacks. Its
optional nonlinear stiffness is left out: without the term of fourth order in the bending it softens what it should not.
``exact_rod`` has a geometrically exact beam for a rod.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from references.ode import solve
from references.planar_beam import Beam, simulate

M1, M2, M3, L1, L2, J1, J2 = 0.36, 0.151104, 0.075552, 0.15, 0.30, 0.002727, 0.0045339259
PI, YOUNG, SIDE, RHO, OMEGA = 3.1415927, 0.20e12, 0.0080, 7870.0, 150.0
FACM, FACK, FACB = RHO * SIDE**2 * L2, YOUNG * SIDE**2 / L2, SIDE**2 * L2
B13, B14, B24 = -16 / PI**3, 8 / PI**3 - 1 / PI, 1 / (2 * PI)
BQ = FACB * np.array([[0, 0, B13, B14], [0, 0, 0, B24], [-B13, 0, 0, 0], [-B14, -B24, 0, 0]])
C1, C2 = FACB * np.array([0, 0, 2 / 3, 1 / 6]), FACB * np.array([2 / PI, 0, 0, 0])
C12, C21 = L2 * FACB * np.array([0, 0, 1 / 3, 1 / 6]), L2 * FACB * np.array([1 / PI, -1 / (2 * PI), 0, 0])
_SLIM = PI**4 / 24 * (SIDE / L2) ** 2
KQ = FACK * np.array([[_SLIM, 0, 0, 0], [0, 16 * _SLIM, 0, 0], [0, 0, 16 / 3, -8 / 3], [0, 0, -8 / 3, 7 / 3]])

SMOOTH = (
    np.array([0, 0, 0.450016933, 0, 0, 0.103339863e-4, 0.169327969e-4]),
    np.array([150, -0.749957670e2, -0.268938672e-5, 0.444896105, 0.463434311e-2, -0.178591076e-5, -0.268938672e-5]),
)
"""Printed initial values close to the smooth motion: p, v."""
RIGID = (np.array([0, 0, 0.45, 0, 0, 0, 0.0]), np.array([150.0, -75.0, 0, 0, 0, 0, 0]))
"""Initial values of the rod moving rigidly."""


@dataclass(frozen=True)
class Model:
    """The equations of motion M(p) a + G(p)^T lam = f(p, v)."""

    correct: bool = False
    MQ: np.ndarray = field(init=False)

    def __post_init__(self):
        axial = np.array([[8.0, 1.0], [1.0, 2.0]]) / (15.0 if self.correct else 1.0)
        MQ = np.zeros((4, 4))
        MQ[0, 0] = MQ[1, 1] = 0.5
        MQ[2:, 2:] = axial
        object.__setattr__(self, "MQ", FACM * MQ)

    def mass(self, p):
        q, s, c = p[3:], np.sin(p[0] - p[1]), np.cos(p[0] - p[1])
        M = np.zeros((7, 7))
        M[0, 0] = J1 + M2 * L1**2
        M[0, 1] = M[1, 0] = 0.5 * L1 * L2 * M2 * c + RHO * L1 * (s * (C2 @ q) + c * (C1 @ q))
        M[1, 1] = J2 + q @ self.MQ @ q + 2 * RHO * (C12 @ q)
        M[2, 2] = M3
        M[0, 3:] = M[3:, 0] = RHO * L1 * (-s * C1 + c * C2)
        M[1, 3:] = M[3:, 1] = RHO * (C21 + q @ BQ)
        M[3:, 3:] = self.MQ
        return M

    def force(self, p, v):
        q, u, (w1, w2) = p[3:], v[3:], v[:2]
        s, c = np.sin(p[0] - p[1]), np.cos(p[0] - p[1])
        f = np.zeros(7)
        c1q, c2q = C1 @ q, C2 @ q
        f[0] = -0.5 * L1 * L2 * M2 * w2**2 * s + RHO * L1 * w2**2 * (-s * c1q + c * c2q)
        f[0] -= 2 * RHO * L1 * w2 * (c * (C1 @ u) + s * (C2 @ u))
        f[1] = 0.5 * L1 * L2 * M2 * w1**2 * s + RHO * L1 * w1**2 * (s * c1q - c * c2q)
        f[1] -= 2 * RHO * w2 * (C12 @ u) + 2 * w2 * (u @ self.MQ @ q) + RHO * (u @ BQ @ u)
        f[3:] = w2**2 * (self.MQ @ q) - KQ @ q
        f[3:] += RHO * (w2**2 * C12 + L1 * w1**2 * (c * C1 + s * C2) + 2 * w2 * (BQ @ u))
        return f

    def accelerations(self, p, v):
        """Return (a, lam)."""
        G = jacobian(p)
        w1, w2, far = v[0], v[1], L2 + p[6]
        s1, c1, s2, c2 = np.sin(p[0]), np.cos(p[0]), np.sin(p[1]), np.cos(p[1])
        turn = np.array(
            [
                -L1 * s1 * w1**2 - far * s2 * w2**2 + 2 * c2 * w2 * v[6],
                L1 * c1 * w1**2 + far * c2 * w2**2 + 2 * s2 * w2 * v[6],
                0.0,
            ]
        )
        KKT = np.zeros((10, 10))
        KKT[:7, :7], KKT[:7, 7:], KKT[7:, :7] = self.mass(p), G.T, G
        x = np.linalg.solve(KKT, np.concatenate([self.force(p, v), -turn]))
        return x[:7], x[7:]


def gap(p, t):
    """Return the constraints (3,)."""
    far = L2 + p[6]
    return np.array(
        [L1 * np.sin(p[0]) + far * np.sin(p[1]), p[2] - L1 * np.cos(p[0]) - far * np.cos(p[1]), p[0] - OMEGA * t]
    )


def jacobian(p):
    """Return dg/dp (3, 7)."""
    G, far = np.zeros((3, 7)), L2 + p[6]
    G[0, 0], G[0, 1], G[0, 6] = L1 * np.cos(p[0]), far * np.cos(p[1]), np.sin(p[1])
    G[1, 0], G[1, 1], G[1, 2], G[1, 6] = L1 * np.sin(p[0]), far * np.sin(p[1]), 1.0, -np.cos(p[1])
    G[2, 0] = 1.0
    return G


def project(model, p, v, t=0.0):
    """Return the nearest consistent (p, v) in the metric of the mass."""
    p, v = p.copy(), v.copy()
    inverse = np.linalg.inv(model.mass(p))
    for _ in range(5):
        G = jacobian(p)
        p -= inverse @ G.T @ np.linalg.solve(G @ inverse @ G.T, gap(p, t))
    G = jacobian(p)
    v -= inverse @ G.T @ np.linalg.solve(G @ inverse @ G.T, G @ v - [0.0, 0.0, OMEGA])
    return p, v


def trajectory(times, model=None, start=SMOOTH, rtol=1e-11, atol=1e-14):
    """Return p (n, 7), v (n, 7), lam (n, 3) from projected initial values; ``atol`` is that of q3, q4 in m.

    Integrated in the minimal coordinates q1 .. q4: the crank's angle is given, rod and slider follow from q4.
    """
    model = Model() if model is None else model
    p, v = project(model, *start, times[0])
    tolerances = atol * np.array([10, 10, 1, 1, 1e4, 1e4, 1e4, 1e4])
    y = solve(_minimal(model), np.concatenate([p[3:], v[3:]]), times, rtol=rtol, atol=tolerances)
    p, v = np.array([_whole(t, row) for t, row in zip(times, y, strict=True)]).transpose(1, 0, 2)
    lam = np.array([model.accelerations(*both)[1] for both in zip(p, v, strict=True)])
    return p, v, lam


def _whole(t, y):
    """Return (p, v) of the minimal coordinates y = (q, q')."""
    far, first = L2 + y[3], OMEGA * t
    second = -np.arcsin(L1 * np.sin(first) / far)
    p = np.array([first, second, L1 * np.cos(first) + far * np.cos(second), *y[:4]])
    v = np.array([OMEGA, 0.0, 0.0, *y[4:]])
    G = jacobian(p)
    v[1] = -(G[0] @ v) / G[0, 1]
    v[2] = -(G[1] @ v)
    return p, v


def _minimal(model):
    """Return y' = rhs(t, y) for y = (q, q'), with every acceleration written as A + B q4''.

    Plain numbers instead of arrays: the longitudinal vibration asks for some 1e5 evaluations.
    """
    m, m33, m34, m44 = (float(model.MQ[i, j]) for i, j in ((0, 0), (2, 2), (2, 3), (3, 3)))
    (k1, k2, k33), (k34, k44) = (float(KQ[i, i]) for i in range(3)), (float(KQ[2, 3]), float(KQ[3, 3]))
    b13, b14, b24 = RHO * FACB * B13, RHO * FACB * B14, RHO * FACB * B24
    c13, c14, c21 = RHO * float(C1[2]), RHO * float(C1[3]), RHO * float(C2[0])
    d3, d4, e1, e2 = RHO * float(C12[2]), RHO * float(C12[3]), RHO * float(C21[0]), RHO * float(C21[1])

    def rhs(t, y):
        q1, q2, q3, q4, u1, u2, u3, u4 = y.tolist()
        a, w1, far = OMEGA * t, OMEGA, L2 + q4
        sa, ca = math.sin(a), math.cos(a)
        s2 = -L1 * sa / far
        c2 = math.sqrt(1.0 - s2 * s2)
        s, c = sa * c2 - ca * s2, ca * c2 + sa * s2
        w2 = -(L1 * ca * w1 + s2 * u4) / (far * c2)
        turn1 = -L1 * sa * w1**2 - far * s2 * w2**2 + 2 * c2 * w2 * u4
        turn2 = L1 * ca * w1**2 + far * c2 * w2**2 + 2 * s2 * w2 * u4
        # phi2'' = A2 + B2 x,  x3'' = A3 + B3 x,  x = q4''
        A2, B2 = -turn1 / (far * c2), -s2 / (far * c2)
        A3, B3 = -turn2 - far * s2 * A2, c2 - far * s2 * B2
        # second row of the mass matrix, and the forces
        a1, a2, a3, a4 = e1 - b13 * q3 - b14 * q4, e2 - b24 * q4, b13 * q1, b14 * q1 + b24 * q2
        mq3, mq4 = m33 * q3 + m34 * q4, m34 * q3 + m44 * q4
        quad = m * (q1 * q1 + q2 * q2) + q3 * mq3 + q4 * mq4
        M22 = J2 + quad + 2 * (d3 * q3 + d4 * q4)
        c1q, c2q = c13 * q3 + c14 * q4, c21 * q1
        f2 = 0.5 * L1 * L2 * M2 * w1**2 * s + L1 * w1**2 * (s * c1q - c * c2q) - 2 * w2 * (d3 * u3 + d4 * u4)
        f2 -= 2 * w2 * (m * (u1 * q1 + u2 * q2) + u3 * mq3 + u4 * mq4)
        lift, push = L1 * w1**2 * s, L1 * w1**2 * c
        F1 = w2**2 * m * q1 - k1 * q1 + lift * c21 + 2 * w2 * (b13 * u3 + b14 * u4)
        F2 = w2**2 * m * q2 - k2 * q2 + 2 * w2 * b24 * u4
        F3 = w2**2 * (mq3 + d3) - k33 * q3 - k34 * q4 + push * c13 - 2 * w2 * b13 * u1
        F4 = w2**2 * (mq4 + d4) - k34 * q3 - k44 * q4 + push * c14 - 2 * w2 * (b14 * u1 + b24 * u2)
        G1, H1 = (F1 - a1 * A2) / m, -a1 * B2 / m
        G2, H2 = (F2 - a2 * A2) / m, -a2 * B2 / m
        G3, H3 = (F3 - a3 * A2) / m33, -(m34 + a3 * B2) / m33
        # multipliers: second and third row of M a + G^T lam = f
        lam2, slope2 = -M3 * A3, -M3 * B3
        lam1 = (f2 - M22 * A2 - a1 * G1 - a2 * G2 - a3 * G3 - far * s2 * lam2) / (far * c2)
        slope1 = -(M22 * B2 + a1 * H1 + a2 * H2 + a3 * H3 + a4 + far * s2 * slope2) / (far * c2)
        rest = F4 - m34 * G3 - a4 * A2 - s2 * lam1 + c2 * lam2
        x = rest / (m34 * H3 + m44 + a4 * B2 + s2 * slope1 - c2 * slope2)
        return [u1, u2, u3, u4, G1 + H1 * x, G2 + H2 * x, G3 + H3 * x, x]

    return rhs


def mid_point(p):
    """Return the place of the rod's middle (n, 2)."""
    along, up = 0.5 * L2 + p[:, 5], p[:, 3]
    c, s = np.cos(p[:, 1]), np.sin(p[:, 1])
    return np.column_stack([L1 * np.cos(p[:, 0]) + along * c - up * s, L1 * np.sin(p[:, 0]) + along * s + up * c])


def exact_rod(end, steps, elements=2, order=5, poisson=0.3):
    """Return times, slider's x (n,), rod's middle (n, 2): exact beam, undeformed start, pin led on its circle."""
    area, bending = SIDE**2, SIDE**4 / 12
    shear = 5 / 6 * YOUNG / (2 * (1 + poisson)) * area
    beam = Beam(L2, YOUNG * area, shear, YOUNG * bending, RHO * area, RHO * bending, elements=elements, order=order)
    q0 = beam.straight((L1, 0.0), 0.0)
    v0 = np.column_stack([0 * beam.s, L1 * OMEGA - 75.0 * beam.s, np.full(beam.n, -75.0)]).ravel()

    def pin_x(t):
        c, s = np.cos(OMEGA * t), np.sin(OMEGA * t)
        return L1 * c, -L1 * OMEGA * s, -L1 * OMEGA**2 * c

    def pin_y(t):
        c, s = np.cos(OMEGA * t), np.sin(OMEGA * t)
        return L1 * s, L1 * OMEGA * c, -L1 * OMEGA**2 * s

    last = 3 * (beam.n - 1)
    t, q, _ = simulate(beam, q0, v0, end, steps, held=[last + 1], drives=[(0, pin_x), (1, pin_y)], masses=[(last, M3)])
    middle = 3 * (beam.n // 2)
    return t, q[:, last], q[:, middle : middle + 2]
