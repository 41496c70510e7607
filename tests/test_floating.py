"""Flexible bodies in a floating frame: kernels against points and differences, free flight, and a textbook rod."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.linalg import eigh

from flexmb.assembly.builder import Builder
from flexmb.errors import InputError
from flexmb.fem.beam_points import beam_points
from flexmb.fem.floating_integrals import floating_integrals
from flexmb.kernels.geometry.rotation import axes_of, turn
from flexmb.kernels.geometry.tables import CLASSES, CONSERVATIVE, DAMPING, EXTERNAL, FLOATING, INERTIA, JOINT, Floating
from flexmb.kernels.multibody import floating as kernels
from flexmb.parts.bodies.beam import Beam
from flexmb.parts.bodies.floating_beam import FloatingBeam
from flexmb.parts.bodies.floating_data import FloatingData

FLAT = {"area": 0.02, "inertia_y": 3.0e-5, "inertia_z": 5.0e-5, "torsion": 4.0e-5}
MATERIAL = {"young": 2.0e5, "density": 3.0, "poisson": 0.25}
OBLIQUE = {"direction": (1.0, 2.0, 2.0), "orientation": (0.3, 1.0, -0.4), "position": (1.0, -2.0, 0.5)}
GRAVITY = np.array([0.3, -2.0, 9.0])


class Bench:
    """The kernels on the floating bodies of a builder, called from Python."""

    def __init__(self, builder: Builder) -> None:
        self.data: Floating = builder.build().floating
        self.q0, self.v0 = np.array(builder.q0), np.array(builder.v0)
        n = 6 + int(self.data.modes.max())
        self.scratch = np.full(64 + 40 * (n - 6) + 8 * n * n, np.nan)

    def axes(self, q: np.ndarray) -> np.ndarray:
        A = np.empty((self.data.modes.size, 3, 3))
        for b, i in enumerate(self.data.frame_q):
            axes_of(q, i + 3, A[b])
        return A

    def momentum(self, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        p = np.zeros_like(v)
        kernels.momentum(self.data, self.axes(q), v, q, p, self.scratch)
        return p

    def forces(self, q: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, float]:
        F = np.zeros((CLASSES, v.size))
        return F, kernels.forces(self.data, self.axes(q), q, v, F, self.scratch)

    def tangents(self, b: int, q: np.ndarray, v: np.ndarray) -> list[np.ndarray]:
        n = 6 + int(self.data.modes[b])
        out = [np.full((n, n), np.nan) for _ in range(4)]
        kernels.tangents(self.data, b, self.axes(q), q, v, *out, self.scratch)
        return out

    def unknowns(self, b: int) -> np.ndarray:
        return np.concatenate(
            [self.data.frame_v[b] + np.arange(6), self.data.mode_v[b] + np.arange(self.data.modes[b])]
        )

    def moved(self, b: int, q: np.ndarray, j: int, h: float) -> np.ndarray:
        """Return q with increment j of body b."""
        out, i = q.copy(), int(self.data.frame_q[b])
        if j < 3:
            out[i + j] += h
        elif j < 6:
            turn(q, i + 3, *(h * np.eye(3)[j - 3]), out)
        else:
            out[self.data.mode_q[b] + j - 6] += h
        return out


class Points:
    """A random body of point masses with spinning sections: the long way round to all its quantities."""

    def __init__(self, rng: np.random.Generator, m: int) -> None:
        g = 7
        self.s, self.shapes = rng.normal(size=(g, 3)), rng.normal(size=(g, 3, m))
        self.mass, self.spin = rng.uniform(0.1, 1.0, g), rng.uniform(0.1, 1.0, g)
        self.turns = rng.normal(size=(g, m))
        self.K, self.C = (X @ X.T for X in rng.normal(size=(2, m, m)))

    def add_to(self, builder: Builder, rng: np.random.Generator) -> None:
        m = self.K.shape[0]
        p = rng.normal(size=4)
        iq, iv = builder.add_frame(
            rng.normal(size=3), p / np.linalg.norm(p), rng.normal(size=3), rng.normal(size=3), "b"
        )
        mq, mv = builder.add_plain(rng.normal(size=m), rng.normal(size=m), [f"mode({k})" for k in range(m)])
        data = floating_integrals(self.s, self.mass, self.shapes, self.spin, self.turns)._asdict()
        builder.add_floating(frame_q=iq, frame_v=iv, mode_q=mq, mode_v=mv, modes=m, K=self.K, C=self.C, **data)

    def motion(self, A: np.ndarray, q: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return places and velocities of the points in space and the spin about x; q, v of this body alone."""
        u, rate, omega = self.s + self.shapes @ q[7:], self.shapes @ v[6:], v[3:6]
        return q[:3] + u @ A.T, v[:3] + (np.cross(omega, u) + rate) @ A.T, omega[0] + self.turns @ v[6:]


SIZES = (3, 0, 5)


@pytest.fixture(scope="module")
def crowd() -> tuple[Bench, list[Points]]:
    rng = np.random.default_rng(3)
    builder = Builder(GRAVITY, 0.0)
    bodies = [Points(rng, m) for m in SIZES]
    for body in bodies:
        body.add_to(builder, rng)
    return Bench(builder), bodies


def test_momentum_and_energy_are_those_of_the_points(crowd: tuple[Bench, list[Points]]) -> None:
    bench, bodies = crowd
    q, v = bench.q0, bench.v0
    p, A = bench.momentum(q, v), bench.axes(q)
    F, stored = bench.forces(q, v)
    kinetic = potential = 0.0
    for b, body in enumerate(bodies):
        iq, rows = int(bench.data.frame_q[b]), bench.unknowns(b)
        q_b, v_b = q[iq : iq + 7 + SIZES[b]], v[rows]
        r, w, spin = body.motion(A[b], q_b, v_b)
        kinetic += 0.5 * body.mass @ (w**2).sum(axis=1) + 0.5 * body.spin @ spin**2
        potential += 0.5 * q_b[7:] @ body.K @ q_b[7:] - body.mass @ (r @ GRAVITY)
        linear, x_axis = body.mass @ w, A[b][:, 0]
        angular = body.mass @ np.cross(r - q_b[:3], w) + (body.spin @ spin) * x_axis
        assert p[rows[:3]] == pytest.approx(linear, rel=1e-12, abs=1e-12)
        assert A[b] @ p[rows[3:6]] == pytest.approx(angular, rel=1e-12, abs=1e-12)
        assert F[CONSERVATIVE, rows[:3]] == pytest.approx(body.mass.sum() * GRAVITY, rel=1e-13)
        torque = np.cross(body.mass @ (r - q_b[:3]), GRAVITY)
        assert A[b] @ F[CONSERVATIVE, rows[3:6]] == pytest.approx(torque, rel=1e-12, abs=1e-12)
        assert F[DAMPING, rows[6:]] == pytest.approx(-body.C @ v_b[6:], rel=1e-13)
        assert A[b] @ F[INERTIA, rows[3:6]] == pytest.approx(-np.cross(v_b[:3], linear), rel=1e-12, abs=1e-12)
    assert 0.5 * v @ p == pytest.approx(kinetic, rel=1e-13)
    assert stored == pytest.approx(potential, rel=1e-12)
    assert not F[[EXTERNAL, JOINT]].any()
    assert not F[INERTIA, rows[:3]].any()


def difference(f: Callable[[float], np.ndarray]) -> np.ndarray:
    h = 1e-4
    return np.asarray((8.0 * (f(h) - f(-h)) - (f(2 * h) - f(-2 * h))) / (12.0 * h))


@pytest.mark.parametrize("b", range(len(SIZES)))
def test_tangents_are_the_derivatives(crowd: tuple[Bench, list[Points]], b: int) -> None:
    bench, _ = crowd
    q, v, rows = bench.q0, bench.v0, bench.unknowns(b)
    M, N, K, C = bench.tangents(b, q, v)
    F, _ = bench.forces(q, v)
    for j in range(rows.size):
        e = np.zeros_like(v)
        e[rows[j]] = 1.0

        def by_rate(h: float, e: np.ndarray = e) -> np.ndarray:
            return np.concatenate(
                [bench.momentum(q, v + h * e)[rows], -bench.forces(q, v + h * e)[0].sum(axis=0)[rows]]
            )

        def by_increment(h: float, j: int = j) -> np.ndarray:
            q_h = bench.moved(b, q, j, h)
            F_h, stored = bench.forces(q_h, v)
            kinetic = 0.5 * v @ bench.momentum(q_h, v)
            return np.concatenate([bench.momentum(q_h, v)[rows], -F_h.sum(axis=0)[rows], [stored, kinetic]])

        n = rows.size
        assert np.concatenate([M[:, j], C[:, j]]) == pytest.approx(difference(by_rate), abs=1e-9)
        slope = difference(by_increment)
        assert np.concatenate([N[:, j], K[:, j]]) == pytest.approx(slope[: 2 * n], abs=1e-9)
        assert F[CONSERVATIVE, rows[j]] == pytest.approx(-slope[2 * n], abs=1e-9)
        if j >= 6:
            assert F[INERTIA, rows[j]] == pytest.approx(slope[2 * n + 1], abs=1e-9)
    assert np.array_equal(M[6:, 6:], M[6:, 6:].T)
    assert np.linalg.eigvalsh(M).min() > 0.0


def flight(bench: Bench, t_end: float, q0: np.ndarray, v0: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Integrate a single free body; return q and v at the output times, one row each."""
    nq = q0.size

    def rate(_: float, z: np.ndarray) -> np.ndarray:
        q, v = z[:nq].copy(), z[nq:].copy()
        M, N, _, _ = bench.tangents(0, q, v)
        F = bench.forces(q, v)[0].sum(axis=0)
        f = F - N @ v
        f[3:6] -= np.cross(v[3:6], M[3:6] @ v)
        a, w = q[3:7], v[3:6]
        spin = 0.5 * np.concatenate([[-a[1:] @ w], a[0] * w + np.cross(a[1:], w)])
        return np.concatenate([v[:3], spin, v[6:], np.linalg.solve(M, f)])

    start = np.concatenate([q0, v0])
    z = solve_ivp(rate, (0.0, t_end), start, "DOP853", rtol=1e-12, atol=1e-13, t_eval=np.linspace(0, t_end, 9)).y.T
    return np.ascontiguousarray(z[:, :nq]), np.ascontiguousarray(z[:, nq:])


def beam(**kw: object) -> FloatingBeam:
    kw = {"length": 2.0, "elements": 6, "section": FLAT, "material": MATERIAL, "modes": 3, **OBLIQUE, **kw}
    return FloatingBeam("b", **kw)


def built(body: FloatingBeam | FloatingData, gravity: object = (0.0, 0.0, 0.0)) -> tuple[Builder, Bench]:
    builder = Builder(np.asarray(gravity, dtype=np.float64), 0.0)
    body.add_to(builder)
    return builder, Bench(builder)


@pytest.mark.parametrize("gravity", [(0.0, 0.0, 0.0), (0.4, -1.0, 3.0)])
def test_free_flight_keeps_energy_and_momenta(gravity: tuple[float, ...]) -> None:
    body = beam(
        velocity=(1.0, -0.5, 0.3),
        angular_velocity=(2.0, 9.0, -5.0),
        interface=["first"],
        max_frequency=20.0,
        material={**MATERIAL, "young": 2.0e4},
    )
    t = np.linspace(0.0, 0.4, 9)
    _, bench = built(body, gravity)
    rng = np.random.default_rng(0)
    m, g = bench.v0.size - 6, np.array(gravity)
    assert m >= 3
    q0, v0 = bench.q0, bench.v0
    q0[7:] = 0.05 * rng.normal(size=m)
    v0[6:] = rng.normal(size=m)
    Q, V = flight(bench, t[-1], q0, v0)
    energy, linear, angular = [], [], []
    for q, v in zip(Q, V, strict=True):
        p = bench.momentum(q, v)
        energy.append(0.5 * v @ p + bench.forces(q, v)[1])
        linear.append(p[:3])
        angular.append(np.cross(q[:3], p[:3]) + bench.axes(q)[0] @ p[3:6])
    mass = 3.0 * 0.02 * 2.0
    assert np.abs(Q[:, 7:]).max() > 0.02
    assert np.linalg.norm(Q[-1, 3:7] - Q[0, 3:7]) > 0.5
    assert energy == pytest.approx(np.full(9, energy[0]), rel=1e-9)
    assert np.array(linear) == pytest.approx(linear[0] + mass * t[:, None] * g, rel=1e-9, abs=1e-10)
    # the modes carry no first moment: the frame's origin stays the centre of mass
    x = q0[:3] + t[:, None] * v0[:3] + 0.5 * t[:, None] ** 2 * g
    assert Q[:, :3] == pytest.approx(x, rel=1e-9, abs=1e-10)
    if not g.any():
        assert np.array(angular) == pytest.approx(np.tile(angular[0], (9, 1)), rel=1e-9, abs=1e-10)


def test_points_of_the_beam_carry_its_mass_matrix() -> None:
    whole = Beam("b", length=2.0, elements=7, grading=2.5, section=FLAT, material=MATERIAL, bending="spatial")
    points = beam_points(whole._line.x)
    N, T, w = points.displacement, points.torsion, points.weight
    M = 3.0 * 0.02 * (N.T * np.repeat(w, 3)) @ N + 3.0 * 8e-5 * (T.T * w) @ T
    exact = whole.parts().M.toarray()
    assert pytest.approx(exact, abs=1e-14 * exact.max()) == M.toarray()


def test_beam_at_rest_has_its_mass_inertia_and_frequencies() -> None:
    body = beam()
    _, bench = built(body)
    M, _, K, C = bench.tangents(0, bench.q0, bench.v0)
    modes = body.flexible_modes()
    m, J = 0.12, 0.12 * 4.0 / 12.0
    expected = np.concatenate([[m, m, m, 3.0 * 8e-5 * 2.0, J, J], np.ones(modes.omega.size)])
    assert pytest.approx(np.diag(expected), abs=1e-13) == M
    w = np.sqrt(np.abs(eigh(K, M, eigvals_only=True)))
    assert w[:6] == pytest.approx(np.zeros(6), abs=1e-9)
    assert w[6:] == pytest.approx(modes.omega, rel=1e-12)
    assert not C.any()


def test_damping_acts_on_the_modes() -> None:
    body = beam(damping={"alpha": 0.3, "beta": 0.01})
    _, bench = built(body)
    C = bench.tangents(0, bench.q0, bench.v0)[3]
    assert pytest.approx(np.diag(0.3 + 0.01 * body.flexible_modes().omega ** 2), rel=1e-12) == C[6:, 6:]
    assert not C[:6].any()


def test_no_modes_make_a_rigid_rod() -> None:
    body = beam(modes=0, interface=[], angular_velocity=(2.0, 9.0, -5.0), velocity=(1.0, 0.0, 0.0))
    _, bench = built(body)
    assert bench.v0.size == 6
    Q, V = flight(bench, 1.0, bench.q0, bench.v0)
    # a slender body turns about its axis at a constant rate, the cross-axis part turns in body axes at a constant rate
    A, J, Jx = bench.axes(bench.q0)[0], 0.04, 4.8e-4
    w0 = A.T @ [2.0, 9.0, -5.0]
    assert bench.v0[3:] == pytest.approx(w0, rel=1e-12)
    angle = np.linspace(0.0, 1.0, 9) * w0[0] * (J - Jx) / J
    exact = np.column_stack(
        [
            np.full(9, w0[0]),
            w0[1] * np.cos(angle) + w0[2] * np.sin(angle),
            w0[2] * np.cos(angle) - w0[1] * np.sin(angle),
        ]
    )
    assert V[:, 3:6] == pytest.approx(exact, rel=1e-9)
    assert pytest.approx(np.tile([1.0, 0.0, 0.0], (9, 1)), abs=1e-12) == V[:, :3]
    assert Q[-1, :3] == pytest.approx(bench.q0[:3] + [1.0, 0.0, 0.0], rel=1e-12)


def test_spinning_beam_stretches_as_the_exact_rod() -> None:
    # (E A u')' + rho A w^2 (x + u) = 0, free ends: x + u = sin(k x) / (k cos(k L/2)), k = w sqrt(rho / E)
    body = beam(elements=40, modes=4 * 39 + 2 * 39, angular_velocity=(0.0, 0.0, 0.0))
    builder, bench = built(body)
    spin, L = 60.0, 2.0
    v = bench.v0.copy()
    v[5] = spin
    K = bench.tangents(0, bench.q0, v)[2]
    F = bench.forces(bench.q0, v)[0].sum(axis=0)
    eta = np.linalg.solve(K[6:, 6:], F[6:])
    last = builder.bodies["b"].named["last"]
    tip = last.local + eta @ last.D[6:, :3]
    k = spin * np.sqrt(3.0 / 2.0e5)
    exact = np.tan(0.5 * k * L) / k
    assert exact - 0.5 * L > 0.01
    assert tip[0] - 0.5 * L == pytest.approx(exact - 0.5 * L, rel=1e-3)
    assert tip[1:] == pytest.approx([0.0, 0.0], abs=1e-9)
    assert bench.forces(np.concatenate([bench.q0[:7], eta]), v)[0].sum(axis=0)[6:] == pytest.approx(
        np.zeros(eta.size), abs=1e-8 * np.abs(F).max()
    )


def test_nodes_of_the_beam_are_places_and_a_picture() -> None:
    body = beam(points={"probe": "node(2)"})
    builder, bench = built(body)
    info, modes = builder.bodies["b"], body.flexible_modes()
    m = modes.omega.size
    free = Beam("b", length=2.0, elements=6, section=FLAT, material=MATERIAL, bending="spatial", **OBLIQUE)
    parts, A = free.parts(), np.column_stack(free.frame())
    assert len(info.nodes) == 7
    assert info.named["probe"] is info.nodes[2]
    assert info.named["mid"] is info.nodes[3]
    assert bench.axes(bench.q0)[0] == pytest.approx(A, abs=1e-14)
    for i, place in enumerate(info.nodes):
        assert place.kind == FLOATING
        assert place.position == pytest.approx(parts.points[i], abs=1e-13)
        assert place.axes @ place.local + bench.q0[:3] == pytest.approx(parts.points[i], abs=1e-13)
        rows = slice(3 * i, 3 * i + 3)
        assert pytest.approx(parts.displacement[rows] @ modes.shapes, abs=1e-13) == A @ place.D[6:, :3].T
        assert pytest.approx(parts.rotation[rows] @ modes.shapes, abs=1e-13) == A @ place.D[6:, 3:].T
        assert not place.D[:6].any()
        assert np.array_equal(place.dof, np.arange(6 + m))
        assert np.array_equal(place.qdof, [0, 1, 2, -1, -1, -1, *range(7, 7 + m)])
    picture = info.picture
    assert picture is not None
    D = np.zeros((6 * 7, m))
    np.add.at(D, (picture.row, picture.vdof - 6), picture.value)
    assert np.array_equal(D.reshape(7, 6, m), np.array([p.D[6:].T for p in info.nodes]))
    assert np.array_equal(picture.qdof - picture.vdof, np.ones(picture.row.size))
    assert np.array_equal(picture.lines, [[i, i + 1] for i in range(6)])
    assert builder.dof_names[6:8] == ["b.mode(1)", "b.mode(2)"]
    assert np.array_equal(info.momentum_rows, [[0, 1, 2]])
    assert info.mass == pytest.approx(0.12)


def test_wrong_beams_are_refused() -> None:
    with pytest.raises(InputError, match=r"bodies\.b\.interface = 'tip'.*node.*node\(0\)"):
        beam(interface=["tip"])
    with pytest.raises(InputError, match="interface = 'first'.*list"):
        beam(interface="first")
    with pytest.raises(InputError, match=r"bodies\.b\.modes = 31.*0.*30"):
        beam(modes=31).flexible_modes()
    with pytest.raises(InputError, match="modes = -1.*least 0"):
        beam(modes=-1)
    with pytest.raises(InputError, match="max_frequency = 0.*positive"):
        beam(max_frequency=0)
    with pytest.raises(InputError, match=r"angular_velocity"):
        beam(angular_velocity=(1.0, 2.0))
    with pytest.raises(InputError, match="spatial beam.*torsion"):
        beam(section={"area": 0.02, "inertia": 1e-5})


# the connecting rod of the flexible slider crank: B. Simeon, Test Set for IVP Solvers, problem "crank" (1998)
PI, RHO, SIDE, L1, L2, M2, J2, E = 3.1415927, 7870.0, 0.008, 0.15, 0.30, 0.151104, 0.0045339259, 0.20e12
FACM, FACK, FACB = RHO * SIDE**2 * L2, E * SIDE**2 / L2, SIDE**2 * L2
MQ = FACM * np.array([[0.5, 0, 0, 0], [0, 0.5, 0, 0], [0, 0, 8.0, 1.0], [0, 0, 1.0, 2.0]])
KQ = FACK * np.array(
    [
        [PI**4 / 24 * (SIDE / L2) ** 2, 0, 0, 0],
        [0, PI**4 * 2 / 3 * (SIDE / L2) ** 2, 0, 0],
        [0, 0, 16 / 3, -8 / 3],
        [0, 0, -8 / 3, 7 / 3],
    ]
)
BQ = np.zeros((4, 4))
BQ[0, 2], BQ[0, 3], BQ[1, 3] = -16 / PI**3, 8 / PI**3 - 1 / PI, 0.5 / PI
BQ = FACB * (BQ - BQ.T)
C1, C2 = FACB * np.array([0, 0, 2 / 3, 1 / 6]), FACB * np.array([2 / PI, 0, 0, 0])
C12, C21 = L2 * FACB * np.array([0, 0, 1 / 3, 1 / 6]), L2 * FACB * np.array([1 / PI, -0.5 / PI, 0, 0])
DQ = np.diag([5.0, 25.0, 115.0, 210.0])


def rod(**kw: object) -> FloatingData:
    data = {
        "mass": M2,
        "inertia": J2,
        "center": L2 / 2,
        "mass_modes": MQ.tolist(),
        "stiffness_modes": KQ.tolist(),
        "damping_modes": DQ.tolist(),
        "gyro_modes": (RHO * BQ).tolist(),
        "first_x": (RHO * C1).tolist(),
        "first_y": (RHO * C2).tolist(),
        "moment_x": (RHO * C12).tolist(),
        "moment_y": (RHO * C21).tolist(),
        "points": {"end": {"at": [L2, 0.0], "shape_x": [0.0, 0.0, 0.0, 1.0]}},
    }
    return FloatingData("rod", **{**data, **kw})


def printed_equations(p1: float, p2: float, v1: float, v2: float, q: np.ndarray, qd: np.ndarray) -> tuple:
    """Mass matrix and forces over (phi1, phi2, q) as printed, of the rod alone: without J1, m3 and loads."""
    s, c = np.sin(p1 - p2), np.cos(p1 - p2)
    M = np.zeros((6, 6))
    M[0, 0] = M2 * L1**2
    M[0, 1] = M[1, 0] = 0.5 * L1 * L2 * M2 * c + RHO * L1 * (s * (C2 @ q) + c * (C1 @ q))
    M[1, 1] = J2 + q @ MQ @ q + 2 * RHO * (C12 @ q)
    M[0, 2:] = M[2:, 0] = RHO * L1 * (-s * C1 + c * C2)
    M[1, 2:] = M[2:, 1] = RHO * C21 + RHO * (q @ BQ)
    M[2:, 2:] = MQ
    f = np.zeros(6)
    f[0] = (
        -0.5 * L1 * L2 * M2 * v2**2 * s
        + RHO * L1 * v2**2 * (-s * (C1 @ q) + c * (C2 @ q))
        - 2 * RHO * L1 * v2 * (c * (C1 @ qd) + s * (C2 @ qd))
    )
    f[1] = (
        0.5 * L1 * L2 * M2 * v1**2 * s
        + RHO * L1 * v1**2 * (s * (C1 @ q) - c * (C2 @ q))
        - 2 * RHO * v2 * (C12 @ qd)
        - 2 * v2 * (qd @ MQ @ q)
        - RHO * (qd @ BQ @ qd)
    )
    f[2:] = (
        v2**2 * (MQ @ q) + RHO * (v2**2 * C12 + L1 * v1**2 * (c * C1 + s * C2) + 2 * v2 * (BQ @ qd)) - KQ @ q - DQ @ qd
    )
    return M, f


@pytest.mark.parametrize("seed", range(3))
def test_rod_given_by_numbers_has_the_printed_equations(seed: int) -> None:
    rng = np.random.default_rng(seed)
    p1, p2, v1, v2 = rng.normal(size=4) * [1.0, 1.0, 150.0, 70.0]
    q, qd = 1e-2 * rng.normal(size=4), 3.0 * rng.normal(size=4)
    crank = np.array([-np.sin(p1), np.cos(p1), 0.0])
    _, bench = built(
        rod(
            position=L1 * np.array([np.cos(p1), np.sin(p1), 0.0]),
            angle=p2,
            velocity=L1 * v1 * crank,
            angular_velocity=v2,
            modal_position=q,
            modal_velocity=qd,
        )
    )
    M, N, _, _ = bench.tangents(0, bench.q0, bench.v0)
    # v of the frame and the modes by (phi1', phi2', q'), and its own rate
    J = np.zeros((10, 6))
    J[:3, 0], J[5, 1], J[6:, 2:] = L1 * crank, 1.0, np.eye(4)
    bias = np.zeros(10)
    bias[:3] = -L1 * v1**2 * np.array([np.cos(p1), np.sin(p1), 0.0])
    assert J @ [v1, v2, *qd] == pytest.approx(bench.v0, rel=1e-14)
    F = bench.forces(bench.q0, bench.v0)[0].sum(axis=0)
    exact_M, exact_f = printed_equations(p1, p2, v1, v2, q, qd)
    assert pytest.approx(exact_M, rel=1e-12, abs=1e-13 * exact_M.max()) == J.T @ M @ J
    got = J.T @ (F - N @ bench.v0 - M @ bias)
    assert got == pytest.approx(exact_f, rel=1e-12, abs=1e-12 * np.abs(exact_f).max())


def test_points_of_a_body_given_by_numbers() -> None:
    builder, bench = built(rod(angle=np.pi / 2, position=(1.0, 2.0, 0.0), modal_position=[0.0, 0.0, 0.0, 0.01]))
    info = builder.bodies["rod"]
    end, origin = info.named["end"], builder.place("rod", "test")
    assert origin.position == pytest.approx([1.0, 2.0, 0.0])
    assert end.position == pytest.approx([1.0, 2.0 + L2 + 0.01, 0.0])
    assert end.local == pytest.approx([L2, 0.0, 0.0])
    assert end.D[9] == pytest.approx([1.0, 0.0, 0.0, 0.0, 0.0, 0.0])
    assert not end.D[:9].any()
    assert info.picture is not None
    assert np.array_equal(info.picture.lines, [[0, 1]])
    assert bench.q0[10] == 0.01


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"mass_modes": [[1.0, 0.0]]}, r"mass_modes = .*must be 1 x 1 numbers"),
        ({"mass_modes": 3.0}, "mass_modes = 3.0.*square table"),
        ({"first_x": [1.0]}, r"first_x = .*must be 4 numbers"),
        ({"gyro_modes": np.eye(4).tolist()}, r"gyro_modes = .*must be skew"),
        ({"stiffness_modes": np.triu(np.ones((4, 4))).tolist()}, r"stiffness_modes = .*must be symmetric"),
        ({"moment_y": [1.0, 0.0, 0.0, 0.0]}, "mass matrix.*positive definite"),
        ({"center": 0.3}, r"inertia = .*larger than mass times center"),
        ({"points": {"end": {"at": [1.0]}}}, r"bodies\.rod\.points\.end\.at = .*must be 2 numbers"),
        ({"points": {"end": {"shape_x": [0, 0, 0, 1]}}}, r"bodies\.rod\.points\.end.*needs at"),
        ({"points": {"first": {"at": [0.0, 0.0]}}}, r"points\.first.*reserved"),
        ({"modal_position": ["a", "b", "c", "d"]}, r"modal_position = .*must be 4 numbers"),
    ],
)
def test_wrong_numbers_are_refused(change: dict, words: str) -> None:
    with pytest.raises(InputError, match=words):
        rod(**change)
