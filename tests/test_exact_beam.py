"""Geometrically exact beam: the element (kernel), static reference solutions, and the body."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from marker_states import acted, blocks, differences, forces, marker_state, random_state
from scipy.linalg import eigh
from scipy.optimize import brentq
from scipy.sparse import csr_array
from scipy.spatial.transform import Rotation
from scipy.special import ellipeinc, ellipkinc

from flexmb.assembly.builder import Builder
from flexmb.errors import InputError
from flexmb.kernels.geometry import tables as tab
from flexmb.kernels.multibody import exact_beam as kernel
from flexmb.parts.bodies.beam_properties import BeamInertia, BeamStiffness
from flexmb.parts.bodies.exact_beam import ExactBeam

SCRATCH = np.zeros(kernel.SCRATCH)


def chain(lengths, D, beta=0.0, gamma0=None, kappa0=None) -> tab.Beams:
    """Return elements between markers 0, 1, 2, ..., each with its four pairs."""
    n = len(lengths)
    A = np.arange(n, dtype=np.int64)
    return tab.Beams(
        A,
        A + 1,
        np.array(lengths, dtype=float),
        np.tile(np.array(D, dtype=float), (n, 1)),
        np.tile([1.0, 0.0, 0.0], (n, 1)) if gamma0 is None else np.array(gamma0, dtype=float),
        np.zeros((n, 3)) if kappa0 is None else np.array(kappa0, dtype=float),
        np.full(n, beta),
        4 * A,
    )


def law(table: tab.Beams):
    return (lambda s: kernel.beams(table, s, SCRATCH)), lambda s, K, C: kernel.beams_tangent(table, s, K, C, SCRATCH)


STIFF = (3.0, 1.5, 0.7, 0.4, 0.9, 1.3)


def bent(angle: float, beta: float, seed: int = 4) -> tuple[tab.Beams, tab.MarkerState]:
    """Return an element whose ends are turned against each other by ``angle``, in a state of any strain and rate."""
    state, rng = random_state(2, seed), np.random.default_rng(seed)
    axis = rng.normal(size=3)
    state.R[1] = state.R[0] @ Rotation.from_rotvec(angle * axis / np.linalg.norm(axis)).as_matrix()
    return chain([1.3], STIFF, beta, [[1.0, 0.1, 0.2]], [[0.1, -0.2, 0.05]]), state


@pytest.mark.parametrize("beta", [0.0, 0.3])
@pytest.mark.parametrize("angle", [0.0, 1e-9, 1e-3, 0.0999, 0.1001, 1.0, 2.5, 3.1])
def test_wrenches_are_gradients_and_tangents_are_exact(angle: float, beta: float) -> None:
    table, state = bent(angle, beta)
    act, tangent = law(table)
    _, wrench = acted(act, state)
    gradient, K, C = differences(act, state)
    found_K, found_C = blocks(tangent, state)
    np.testing.assert_allclose(wrench[tab.CONSERVATIVE], gradient, rtol=0, atol=1e-9)
    np.testing.assert_allclose(found_K, K, rtol=0, atol=2e-9)
    np.testing.assert_allclose(found_C, C, rtol=0, atol=1e-9)
    assert beta == 0.0 or np.abs(C).max() > 0.05


@pytest.mark.parametrize("angle", [1e-9, 0.05, 2.0])
def test_forces_and_torques_balance(angle: float) -> None:
    table, state = bent(angle, 0.3)
    _, wrench = acted(law(table)[0], state)
    assert np.all(wrench[:, 0, :3] == -wrench[:, 1, :3])
    about_origin = (wrench[:, :, 3:] + np.cross(state.r, wrench[:, :, :3])).sum(axis=1)
    np.testing.assert_allclose(about_origin, 0.0, atol=1e-14)
    assert np.abs(wrench[[tab.CONSERVATIVE, tab.DAMPING]]).max(axis=(1, 2)).min() > 0.1


@pytest.mark.parametrize("angle", [0.05, 2.0])
def test_rigid_motion_changes_no_energy_and_turns_the_wrenches(angle: float) -> None:
    table, state = bent(angle, 0.3)
    act, _ = law(table)
    energy, wrench = acted(act, state)
    Q, shift = Rotation.from_rotvec([0.7, -1.9, 1.2]).as_matrix(), np.array([3.0, -1.0, 2.0])
    both = np.kron(np.eye(2), Q)
    moved = marker_state(state.r @ Q.T + shift, Q @ state.R, state.twist @ both.T)
    turned_energy, turned = acted(act, moved)
    assert turned_energy == pytest.approx(energy, rel=1e-14)
    np.testing.assert_allclose(turned, wrench @ both.T, atol=1e-14)
    # a rigid velocity strains nothing
    omega, v = np.array([0.3, 2.0, -1.0]), np.array([1.0, 0.5, -4.0])
    still = marker_state(state.r, state.R, np.hstack([v + np.cross(omega, state.r), np.tile(omega, (2, 1))]))
    np.testing.assert_allclose(acted(act, still)[1][tab.DAMPING], 0.0, atol=1e-14)


def test_both_ends_alike() -> None:
    """Seen from the other end (axes turned by half a turn about z) it is the same element."""
    table, state = bent(1.2, 0.3)
    energy, wrench = acted(law(table)[0], state)
    half = np.diag([-1.0, -1.0, 1.0])
    other = marker_state(state.r[::-1], (state.R @ half)[::-1], state.twist[::-1])
    table = table._replace(gamma0=-table.gamma0 @ half, kappa0=-table.kappa0 @ half)
    same, swapped = acted(law(table)[0], other)
    assert same == pytest.approx(energy, rel=1e-14)
    np.testing.assert_allclose(swapped[:, ::-1], wrench, atol=1e-14)


def test_damping_is_beta_times_stiffness_and_dissipates() -> None:
    table, state = bent(0.8, 0.3)
    act, tangent = law(table)
    _, wrench = acted(act, state)
    C = blocks(tangent, state)[1]
    np.testing.assert_allclose(C, C.T, atol=1e-15)
    assert np.linalg.eigvalsh(C).min() > -1e-14
    np.testing.assert_allclose(wrench[tab.DAMPING].ravel(), -C @ state.twist.ravel(), atol=1e-14)
    # at rest without strain K is symmetric too, and C is beta K
    free = chain([1.3], STIFF, 0.3)
    straight = marker_state([[0, 0, 0], [1.3, 0, 0]], np.tile(np.eye(3), (2, 1, 1)))
    K, C = blocks(law(free)[1], straight)
    np.testing.assert_allclose(C, 0.3 * K, atol=1e-14)
    assert np.linalg.matrix_rank(K, tol=1e-10) == 6


@pytest.mark.parametrize("s2", [2e-3, 0.00999, 0.01001, 1.0])
def test_series_and_formulas_of_the_factors_agree(s2: float) -> None:
    s = np.sqrt(np.longdouble(s2))  # more digits, so that the formulas may cancel
    x, tangent = s / 2, np.tan(s / 4)
    sigma, tau = x / np.sin(x), tangent / (2 * s)
    rho = (1 - sigma) / s**2
    d_sigma = (np.sin(x) - x * np.cos(x)) / (2 * s * np.sin(x) ** 2)
    slopes = d_sigma, (-d_sigma - 2 * rho) / s**2, ((1 + tangent**2) / 4 - tangent / s) / (2 * s**2)
    found = plain(kernel._factors)(s2)
    np.testing.assert_allclose(found, np.array([sigma, rho, tau], dtype=float), rtol=1e-12)
    mid = kernel.Middle((0.0, 0.0, 0.0), (0.0, 0.0, 0.0), s2, *found)
    # the formulas cancel a little where they take over
    rtol = 1e-12 if s2 < kernel.SMALL else 1e-8
    np.testing.assert_allclose(plain(kernel._slopes)(mid), np.array(slopes, dtype=float), rtol=rtol)


def plain(function):
    """Return a kernel without an entry from Python as Python."""
    return getattr(function, "py_func", function)


# statics ----------------------------------------------------------------------------------------------------------


def equilibrium(table: tab.Beams, r, R, load: Callable[[float], np.ndarray], steps: int) -> tab.MarkerState:
    """Return the chain, clamped at its first marker, under the dead wrench load(1) on the last, by Newton's method."""
    n, state = len(r), marker_state(r, R)
    act, tangent = law(table)
    pairs = [(i, j) for e in range(n - 1) for i in (e, e + 1) for j in (e, e + 1)]
    rows = np.array([6 * i + a for i, j in pairs for a in range(6) for b in range(6)])
    cols = np.array([6 * j + b for i, j in pairs for a in range(6) for b in range(6)])
    for k in range(1, steps + 1):
        target = load(k / steps)
        for _ in range(30):
            _, wrench = acted(act, state)
            residual = wrench[tab.CONSERVATIVE].copy()
            residual[-1] += target
            K6, C6 = np.zeros((len(pairs), 6, 6)), np.zeros((len(pairs), 6, 6))
            tangent(state, K6, C6)
            K = csr_array((K6.ravel(), (rows, cols)), shape=(6 * n, 6 * n)).toarray()[6:, 6:]
            d = np.linalg.solve(K, residual[1:].ravel()).reshape(-1, 6)
            state.r[1:] += d[:, :3]
            state.R[1:] = Rotation.from_rotvec(d[:, 3:]).as_matrix() @ state.R[1:]
            if np.abs(d).max() < 1e-9 * np.abs(r).max():
                break
        else:
            raise AssertionError("Newton's method did not converge")
    return state


def straight(n: int, length: float):
    r = np.zeros((n + 1, 3))
    r[:, 0] = np.linspace(0.0, length, n + 1)
    return r, np.tile(np.eye(3), (n + 1, 1, 1))


SLENDER = (2.8e7, 1e7, 1e7, 1e4, 1.4e4, 1.4e4)


def rolled(n: int, turns: float) -> tab.MarkerState:
    """Return a cantilever of length 10 rolled up by an end moment."""
    moment = turns * 2.0 * np.pi * SLENDER[5] / 10.0
    table = chain(np.full(n, 10.0 / n), SLENDER)
    return equilibrium(table, *straight(n, 10.0), lambda s: np.array([0, 0, 0, 0, 0, s * moment]), steps=10)


def test_an_end_moment_rolls_a_cantilever_into_a_circle() -> None:
    state = rolled(12, 1.0)
    np.testing.assert_allclose(state.r[-1], 0.0, atol=1e-9)
    np.testing.assert_allclose(state.R[-1], np.eye(3), atol=1e-10)
    # the nodes are the corners of a polygon whose sides are not stretched
    radius = 10.0 / 12 / (2.0 * np.sin(np.pi / 12))
    center = np.array([0.0, radius, 0.0])
    np.testing.assert_allclose(np.linalg.norm(state.r - state.r[:-1].mean(axis=0), axis=1), radius, rtol=1e-10)
    assert np.linalg.norm(state.r[:-1].mean(axis=0) - center) < 0.3


def test_half_a_circle_converges_with_order_two() -> None:
    exact = np.array([0.0, 20.0 / np.pi, 0.0])
    errors = [np.linalg.norm(rolled(n, 0.5).r[-1] - exact) for n in (8, 16, 32)]
    orders = np.log2(np.array(errors[:-1]) / errors[1:])
    np.testing.assert_allclose(orders, 2.0, atol=0.03)
    assert errors[-1] < 4e-3 * 10.0 / 4


def elastica(load: float) -> tuple[float, float, float]:
    """Return deflection and shortening over the length, and slope, of the tip of an elastica; load = P L^2 / E I.

    Elliptic integrals (Bisshopp, Drucker 1945): K(k) - F(k, p) = sqrt(load), sin p = 1/(k sqrt 2).
    """
    root = np.sqrt(load)

    def first(k):
        p = np.arcsin(1.0 / (k * np.sqrt(2.0)))
        return ellipkinc(0.5 * np.pi, k * k) - ellipkinc(p, k * k) - root

    k = brentq(first, np.sqrt(0.5) * (1 + 1e-14), 1.0 - 1e-12, xtol=1e-15)
    p = np.arcsin(1.0 / (k * np.sqrt(2.0)))
    deflection = 1.0 - 2.0 / root * (ellipeinc(0.5 * np.pi, k * k) - ellipeinc(p, k * k))
    return deflection, 1.0 - 2.0 * k * np.cos(p) / root, float(np.arcsin(2.0 * k * k - 1.0))


def test_the_reference_elastica_is_the_published_one() -> None:
    # Mattiasson 1981, table for P L^2 / E I = 1 and 10
    np.testing.assert_allclose(elastica(1.0), (0.30172, 0.05643, 0.46135), atol=5e-6)
    np.testing.assert_allclose(elastica(10.0), (0.81061, 0.55500, 1.43029), atol=5e-6)


def tip_of_cantilever(n: int, load: float) -> np.ndarray:
    stiff = (1e7, 1e7, 1e7, 1.0, 1.0, 1.0)
    table = chain(np.full(n, 1.0 / n), stiff)
    state = equilibrium(table, *straight(n, 1.0), lambda s: np.array([0, s * load, 0, 0, 0, 0]), steps=4)
    slope = np.arctan2(state.R[-1][1, 0], state.R[-1][0, 0])
    return np.array([state.r[-1, 1], 1.0 - state.r[-1, 0], slope])


@pytest.mark.parametrize("load", [1.0, 10.0])
def test_large_tip_force_against_the_elastica(load: float) -> None:
    exact = np.array(elastica(load))
    tips = {n: tip_of_cantilever(n, load) for n in (10, 20, 40)}
    errors = [np.linalg.norm(tip - exact) for tip in tips.values()]
    np.testing.assert_allclose(np.log2(np.array(errors[:-1]) / errors[1:]), 2.0, atol=0.1)
    assert errors[1] < 2e-3
    # what is left after extrapolation is of fourth order (and 1e-6: stretching and shear)
    np.testing.assert_allclose((4.0 * tips[40] - tips[20]) / 3.0, exact, atol=1e-5)


def bend(n: int):
    """Return the 45-degree bend of radius 100 in the x-y plane, n elements between nodes on the arc."""
    phi = np.linspace(0.0, 0.25 * np.pi, n + 1)
    # along the arc from (0, 0, 0), starting in the direction y, centre at (100, 0, 0)
    r = 100.0 * np.column_stack([1.0 - np.cos(phi), np.sin(phi), np.zeros(n + 1)])
    R = Rotation.from_rotvec(np.outer(0.5 * np.pi - phi, [0.0, 0.0, 1.0])).as_matrix()
    step = 0.25 * np.pi / n
    length = 200.0 * np.sin(0.5 * step)
    # E = 1e7, G = E/2, unit square: A = 1, I = 1/12, J = 1/6
    D = (1e7, 5e6, 5e6, 5e6 / 6.0, 1e7 / 12.0, 1e7 / 12.0)
    return chain(np.full(n, length), D, kappa0=np.tile([0.0, 0.0, -step / length], (n, 1))), r, R


def test_the_bend_starts_without_strain() -> None:
    table, r, R = bend(8)
    energy, wrench = acted(law(table)[0], marker_state(r, R))
    assert energy < 1e-18
    np.testing.assert_allclose(wrench, 0.0, atol=1e-6)


def test_the_45_degree_bend_of_bathe_and_bolourchi() -> None:
    # Simo, Vu-Quoc 1986, 8 linear elements: tip at 300 and 600 lb
    published = {300.0: (22.33, 58.84, 40.08), 600.0: (15.79, 47.23, 53.37)}
    for load, tip in published.items():
        state = equilibrium(*bend(8), lambda s, load=load: np.array([0, 0, s * load, 0, 0, 0]), steps=12)
        np.testing.assert_allclose(state.r[-1], tip, atol=0.055)


# the body ---------------------------------------------------------------------------------------------------------

NUMBERS = {
    "stiffness": {"EA": 2.8e7, "GA": 1e7, "GJ": 1e4, "EI": 1.4e4},
    "inertia": {"mass_per_length": 1.2, "rotary": 6e-4},
}


def built(beam: ExactBeam, gravity=(0.0, 0.0, 0.0)) -> tuple[Builder, tab.System]:
    builder = Builder(np.array(gravity), 0.0)
    beam.add_to(builder)
    return builder, builder.build()


def dense(A: tab.Matrix) -> np.ndarray:
    return csr_array((A.val, A.col, A.ptr), shape=(A.ptr.size - 1, A.ptr.size - 1)).toarray()


def rods(**keys) -> ExactBeam:
    given = {"length": 10.0, "elements": 6, "direction": (1.0, 2.0, -2.0), "orientation": (0.0, 1.0, 1.0)} | NUMBERS
    return ExactBeam("rod", **given | keys)


def test_nodes_are_frames_with_the_axes_of_the_beam() -> None:
    beam = rods(position=(1.0, 0.0, 2.0), grading=3.0, points={"probe": "node(2)"})
    builder, system = built(beam)
    d = np.array([1.0, 2.0, -2.0]) / 3.0
    info = builder.bodies["rod"]
    energy, F, state = forces(system, builder.q0, builder.v0)
    assert len(info.nodes) == system.unknowns.frame_q.size == 7
    np.testing.assert_allclose(state.r[-1], np.array([1.0, 0.0, 2.0]) + 10.0 * d, atol=1e-14)
    np.testing.assert_allclose(state.R[1:, :, 0], np.tile(d, (7, 1)), atol=1e-15)
    np.testing.assert_allclose(state.R[1] @ state.R[1].T, np.eye(3), atol=1e-15)
    assert abs(state.R[1][:, 1] @ np.cross(d, [0.0, 1.0, 1.0])) < 1e-15
    assert energy < 1e-20
    np.testing.assert_allclose(F, 0.0, atol=1e-6)
    assert info.named["probe"] is info.nodes[2]
    assert info.named["last"] is info.nodes[6]
    assert builder.place("rod.probe", "x").iv == 12
    assert str(beam.mid) == "rod.mid"
    assert info.picture is not None
    np.testing.assert_array_equal(info.picture.lines[[0, -1]], [[0, 1], [5, 6]])
    np.testing.assert_array_equal(info.picture.iq, system.unknowns.frame_q)
    assert info.picture.radius == pytest.approx(2.0 * np.sqrt(1.4e4 / 2.8e7))


@pytest.mark.parametrize("mass", ["consistent", "lumped"])
def test_rigid_motion_carries_the_momentum_of_the_rod(mass: str) -> None:
    omega, v, about = np.array([0.5, -1.0, 2.0]), np.array([3.0, 0.0, 1.0]), np.array([0.0, 1.0, 0.0])
    beam = rods(velocity=v, angular_velocity=omega, about=about, mass=mass, grading=2.0)
    builder, system = built(beam)
    M, v0 = dense(system.linear.M), np.array(builder.v0)
    np.testing.assert_allclose(M, M.T, atol=1e-15)
    center = 5.0 * np.array([1.0, 2.0, -2.0]) / 3.0
    p = (M @ v0)[builder.bodies["rod"].momentum_rows].sum(axis=0)
    np.testing.assert_allclose(p, 12.0 * (v + np.cross(omega, center - about)), rtol=1e-13)
    A = forces(system, builder.q0, v0)[2].R[1]
    w = A.T @ omega
    # exact for the consistent mass: that of the rod about its middle, and its rotary inertia
    rotary = 10.0 * np.array([1.2e-3, 6e-4, 6e-4])
    inertia = 12.0 * 10.0**2 / 12.0 * np.array([0.0, 1.0, 1.0]) + rotary
    T = 0.5 * 12.0 * np.sum((v + np.cross(omega, center - about)) ** 2) + 0.5 * w @ (inertia * w)
    if mass == "consistent":
        assert 0.5 * v0 @ M @ v0 == pytest.approx(T, rel=1e-13)
    else:
        assert 0.5 * v0 @ M @ v0 > 1.001 * T
    assert builder.bodies["rod"].mass == pytest.approx(12.0)
    # the motion is rigid: no damping force
    damped = rods(velocity=v, angular_velocity=omega, about=about, damping=(0.0, 0.1))
    builder, system = built(damped)
    np.testing.assert_allclose(forces(system, builder.q0, builder.v0)[1][tab.DAMPING], 0.0, atol=1e-6)
    assert system.beams.beta.tolist() == [0.1] * 6


def test_weight_is_the_mass_times_gravity() -> None:
    gravity = np.array([0.0, 1.0, -9.81])
    builder, system = built(rods(position=(0.0, 0.0, 4.0), grading=2.0), gravity)
    F0 = system.linear.F0
    rows = builder.bodies["rod"].momentum_rows
    np.testing.assert_allclose(F0[rows].sum(axis=0), 12.0 * gravity, rtol=1e-14)
    np.testing.assert_allclose(F0[rows + 3], 0.0)
    # the potential -F0 . q is that of the centre of mass
    center = np.array([0.0, 0.0, 4.0]) + 5.0 * np.array([1.0, 2.0, -2.0]) / 3.0
    potential = -F0 @ np.where(system.linear.q_of_v >= 0, np.array(builder.q0)[system.linear.q_of_v], 0.0)
    assert potential + system.linear.V0 == pytest.approx(-12.0 * gravity @ center, rel=1e-13)


def test_free_frequencies_are_those_of_a_slender_beam() -> None:
    section = {"shape": "rectangle", "height": 0.02, "width": 0.03}
    material = {"young": 2.1e11, "density": 7800.0, "poisson": 0.3}
    found = []
    for n in (20, 40):
        beam = ExactBeam("b", length=2.0, elements=n, section=section, material=material)
        builder, system = built(beam)
        _, _, state = forces(system, builder.q0, builder.v0)
        K6 = np.zeros((system.pairs.first.size, 6, 6))
        kernel.beams_tangent(system.beams, state, K6, np.zeros_like(K6), SCRATCH)
        nv = len(builder.v0)
        K, mk = np.zeros((nv, nv)), system.markers
        for p, (i, j) in enumerate(zip(system.pairs.first, system.pairs.second, strict=True)):
            rows, cols = (slice(mk.ptr[m], mk.ptr[m + 1]) for m in (i, j))
            K[np.ix_(mk.dof[rows], mk.dof[cols])] += state.J[rows] @ K6[p] @ state.J[cols].T
        w2 = eigh(K, dense(system.linear.M), eigvals_only=True)
        assert np.abs(w2[:6]).max() < 1e-6 * w2[6]
        found.append(np.sqrt(w2[6:]))
    A, rho, E = 6e-4, 7800.0, 2.1e11
    # y is along the height: bending along y resists by width height^3 / 12
    bending = [x**2 / 4.0 * np.sqrt(E * J / (rho * A)) for x in (4.73004, 7.8532) for J in (2e-8, 4.5e-8)]
    extrapolated = (4.0 * found[1][:4] - found[0][:4]) / 3.0
    np.testing.assert_allclose(extrapolated, np.sort(bending), rtol=3e-3)  # shear and rotary inertia take 1e-3
    stretch = np.pi / 2.0 * np.sqrt(E / rho)
    assert np.abs(found[1] / stretch - 1.0).min() < 5e-4


def test_properties_from_section_and_material() -> None:
    material = {"young": 2.0e11, "density": 8000.0, "shear": 8e10}
    keys = {"length": 1.0, "elements": 1, "material": material}
    D = built(ExactBeam("b", section={"shape": "rectangle", "height": 0.02, "width": 0.03}, **keys))[1].beams.D[0]
    A, Iy, Iz = 6e-4, 0.02 * 0.03**3 / 12, 0.03 * 0.02**3 / 12
    np.testing.assert_allclose(D[[0, 1, 2, 4, 5]], [2e11 * A, 4e11 / 6 * A, 4e11 / 6 * A, 2e11 * Iy, 2e11 * Iz])
    circle = built(ExactBeam("b", section={"shape": "circle", "radius": 0.01}, **keys))[1]
    area, inertia = np.pi * 1e-4, np.pi / 4 * 1e-8
    np.testing.assert_allclose(
        circle.beams.D[0],
        [2e11 * area, 8e10 * 6 / 7 * area, 8e10 * 6 / 7 * area, 16e10 * inertia, 2e11 * inertia, 2e11 * inertia],
    )
    np.testing.assert_allclose(np.diag(dense(circle.linear.M))[3:6], 4000.0 * inertia * np.array([2.0, 1.0, 1.0]))
    ring = {"shape": "ring", "outer": 0.01, "inner": 0.00999}
    thin = built(ExactBeam("b", section=ring, **keys))[1].beams.D[0]
    assert thin[1] / (8e10 * np.pi * (0.01**2 - 0.00999**2)) == pytest.approx(0.5, rel=1e-3)
    numbers = {"area": 1e-4, "inertia": 1e-9, "torsion": 2e-9}
    D = built(ExactBeam("b", section=numbers, shear_factor=0.75, **keys))[1].beams.D[0]
    np.testing.assert_allclose(D, [2e7, 6e6, 6e6, 160.0, 200.0, 200.0])


def test_properties_by_numbers() -> None:
    stiffness = BeamStiffness(EA=1.0, GAy=2.0, GAz=3.0, GJ=4.0, EIy=5.0, EIz=6.0)
    inertia = BeamInertia(mass_per_length=7.0, rotary_y=8.0, rotary_z=9.0, rotary_x=10.0)
    system = built(ExactBeam("b", length=2.0, elements=1, stiffness=stiffness, inertia=inertia))[1]
    assert system.beams.D[0].tolist() == [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]
    M = dense(system.linear.M)
    np.testing.assert_allclose(np.diag(M)[:6], [14 / 3, 14 / 3, 14 / 3, 10.0, 8.0, 9.0])
    np.testing.assert_allclose(np.diag(M, 6)[:3], 14 / 6)


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        ({"stiffness": None, "inertia": None}, r"bodies\.rod\.section.*missing.*section.*material"),
        ({"inertia": None}, r"bodies\.rod\.inertia.*missing \(stiffness.*inertia.*together"),
        ({"stiffness": None}, r"bodies\.rod\.stiffness: is missing"),
        ({"stiffness": 3.0}, r"bodies\.rod\.stiffness = 3\.0.*table"),
        ({"young": 1.0}, r"bodies\.rod\.young = 1\.0.*section.*material.*stiffness.*inertia"),
        ({"shear_factor": 1.0}, r"bodies\.rod\.shear_factor = 1\.0"),
        ({"stiffness": NUMBERS["stiffness"] | {"EI": -1.0}}, r"bodies\.rod\.stiffness\.EI = -1\.0.*positive"),
        (
            {"stiffness": NUMBERS["stiffness"] | {"EIy": 1.0}},
            r"stiffness\.EI = 14000\.0.*EI.*EIy.*EIz",
        ),
        ({"stiffness": {"EA": 1.0, "GA": 1.0, "GJ": 1.0, "EIy": 1.0}}, r"stiffness\.EIz.*missing.*EI.*EIy"),
        ({"stiffness": NUMBERS["stiffness"] | {"Ei": 1.0}}, r"stiffness\.Ei = 1\.0: unknown key; allowed: EA, GJ"),
        ({"inertia": {"mass_per_length": 1.0}}, r"bodies\.rod\.inertia\.rotary_y: is missing"),
        ({"inertia": {"mass_per_length": 0.0, "rotary": 1.0}}, r"mass_per_length = 0\.0.*positive"),
        ({"damping": (0.1, 0.0)}, r"bodies\.rod\.damping\.alpha = 0\.1.*possible.*large motion"),
        ({"mass": "lump"}, r"bodies\.rod\.mass = 'lump'"),
        ({"about": (1.0, 2.0)}, r"bodies\.rod\.about = \(1\.0, 2\.0\).*three numbers"),
        ({"angular_velocity": "x"}, r"bodies\.rod\.angular_velocity = 'x'.*three numbers"),
        ({"orientation": (2.0, 4.0, -4.0)}, r"bodies\.rod\.orientation.*parallel.*direction"),
        ({"elements": 0}, r"bodies\.rod\.elements = 0.*least 1"),
        ({"points": {"tip": 3.0}}, r"bodies\.rod\.points\.tip = 3\.0.*node.*distance"),
        (
            {"stiffness": None, "inertia": None, "section": {"area": 1.0, "inertia": 1.0, "torsion": 1.0}}
            | {"young": 1.0, "density": 1.0},
            r"bodies\.rod\.shear_factor.*missing.*section.*numbers.*shear stiffness",
        ),
        (
            {"stiffness": None, "inertia": None, "section": {"area": 1.0}, "young": 1.0, "density": 1.0},
            r"bodies\.rod\.section.*spatial beam.*inertia_z",
        ),
    ],
)
def test_wrong_beams(keys: dict[str, object], words: str) -> None:
    with pytest.raises(InputError, match=words):
        rods(**keys)


def test_it_has_no_supports() -> None:
    with pytest.raises(InputError, match="supports"):
        rods(supports=[{"node": "first"}])
