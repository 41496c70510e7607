"""Euler-Bernoulli beams: closed-form frequencies and rates, rigid motion in space, inertia, statics."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.linalg import eigh
from scipy.optimize import brentq

from flexmb.fem.beam import bending_field, unit_hermite
from flexmb.fem.mesh import spaced
from flexmb.parts.bodies import Beam

E, RHO, L = 2.0e5, 3.0, 2.0
AREA, IY, IZ, J = 0.02, 3.0e-5, 5.0e-5, 4.0e-5
SECTION = {"area": AREA, "inertia_y": IY, "inertia_z": IZ, "torsion": J}
MATERIAL = {"young": E, "density": RHO, "poisson": 0.25}
G_SHEAR = E / 2.5
OBLIQUE = {"direction": (1.0, 2.0, 2.0), "orientation": (0.3, 1.0, -0.4), "position": (1.0, -2.0, 0.5)}

# roots of cos x cosh x = -1 (cantilever); Blevins, Formulas for Natural Frequency and Mode Shape, table 8-1
CANTILEVER = [
    brentq(lambda b: np.cos(b) + 1.0 / np.cosh(b), lo, hi, xtol=1e-14) for lo, hi in [(1.5, 2), (4, 5), (7, 8)]
]


def beam(elements: int, **kw: object) -> Beam:
    kw = {"section": SECTION, "material": MATERIAL, "length": L, **kw}
    return Beam("b", elements=elements, **kw)


def omegas(body: Beam) -> np.ndarray:
    parts = body.parts()
    return np.sqrt(np.abs(eigh(parts.K.toarray(), parts.M.toarray(), eigvals_only=True)))


def nearest(values: np.ndarray, target: float) -> float:
    return float(values[np.argmin(np.abs(values - target))])


def rate(sizes: list[int], errors: list[float]) -> float:
    return float(-np.polyfit(np.log(sizes), np.log(errors), 1)[0])


def bending_omega(beta_L: float, inertia: float) -> float:
    return float(beta_L**2 * np.sqrt(E * inertia / (RHO * AREA * L**4)))


def test_tabulated_roots() -> None:
    assert pytest.approx([1.87510407, 4.69409113, 7.85475744], rel=1e-8) == CANTILEVER


def test_unit_element_is_the_textbook_one() -> None:
    unit = unit_hermite()
    assert np.array_equal(unit.K, [[12, 6, -12, 6], [6, 4, -6, 2], [-12, -6, 12, -6], [6, 2, -6, 4]])
    m = np.array([[156, 22, 54, -13], [22, 4, 13, -3], [54, 13, 156, -22], [-13, -3, -22, 4]]) / 420
    assert pytest.approx(m, rel=1e-12) == unit.M
    assert unit.load == pytest.approx([1 / 2, 1 / 12, 1 / 2, -1 / 12], rel=1e-13)


@pytest.mark.parametrize(("mass", "expected"), [("consistent", 4.0), ("lumped", 2.0)])
@pytest.mark.parametrize("case", ["cantilever", "simply supported"])
def test_planar_frequencies_and_their_rate(mass: str, expected: float, case: str) -> None:
    no_stretch = {"node": "all", "fix": ["axial"]}  # leaves bending alone
    clamp = [no_stretch, {"node": "first", "kind": "clamped"}]
    pins = [no_stretch, {"node": "first", "kind": "pinned"}, {"node": "last", "fix": ["transverse"]}]
    sizes = [6, 8, 11, 15, 20]
    for mode in (0, 1, 2):
        root = CANTILEVER[mode] if case == "cantilever" else (mode + 1) * np.pi
        exact = bending_omega(root, IZ)
        supports = clamp if case == "cantilever" else pins
        errors = [abs(omegas(beam(n, mass=mass, supports=supports))[mode] / exact - 1) for n in sizes]
        assert errors[-1] < (2e-4 if mass == "consistent" else 4e-2)
        assert rate(sizes, errors) == pytest.approx(expected, abs=0.15)


def test_spatial_cantilever_has_both_planes_torsion_and_stretching() -> None:
    sizes = [6, 9, 13]
    ladder = {
        "along y": (bending_omega(CANTILEVER[0], IZ), 4.0),
        "along z": (bending_omega(CANTILEVER[0], IY), 4.0),
        "second along z": (bending_omega(CANTILEVER[1], IY), 4.0),
        "torsion": (np.pi / (2 * L) * np.sqrt(G_SHEAR * J / (RHO * (IY + IZ))), 2.0),
        "stretching": (np.pi / (2 * L) * np.sqrt(E / RHO), 2.0),
    }
    runs = [omegas(beam(n, bending="spatial", supports=[("first", "clamped")], **OBLIQUE)) for n in sizes]
    for name, (exact, expected) in ladder.items():
        errors = [abs(nearest(w, exact) / exact - 1) for w in runs]
        assert errors[-1] < 1e-3, name
        assert rate(sizes, errors) == pytest.approx(expected, abs=0.1), name


@pytest.mark.parametrize("mass", ["consistent", "lumped"])
@pytest.mark.parametrize(("bending", "count"), [("planar", 3), ("spatial", 6)])
def test_rigid_motions_in_any_direction_are_free(bending: str, count: int, mass: str) -> None:
    parts = beam(6, bending=bending, mass=mass, grading=4.0, **OBLIQUE).parts()
    # rigid motion put together independently of the code: u = t + r x (X - X0), rotation = r
    rng = np.random.default_rng(2)
    D, R = parts.displacement.toarray(), parts.rotation.toarray()
    y = np.array([0.3, 1.0, -0.4])
    d = np.array([1.0, 2.0, 2.0]) / 3.0
    z = np.cross(d, y) / np.linalg.norm(np.cross(d, y))
    shift, turn = rng.normal(size=3), rng.normal(size=3)
    if bending == "planar":
        shift, turn = shift - (shift @ z) * z, (turn @ z) * z
    u = shift + np.cross(turn, parts.points - parts.points[2])
    q = D.T @ u.ravel() + R.T @ np.tile(turn, len(parts.points))
    assert D @ q == pytest.approx(u.ravel(), abs=1e-13)
    assert R @ q == pytest.approx(np.tile(turn, len(parts.points)), abs=1e-13)
    assert np.abs(parts.K @ q).max() < 1e-12 * abs(parts.K).max()
    w = omegas(beam(6, bending=bending, mass=mass, grading=4.0, **OBLIQUE))
    assert w[count - 1] < 1e-3 * w[count]
    assert parts.rigid_free.shape[1] == count
    assert np.abs(parts.K @ parts.rigid_free).max() < 1e-12 * abs(parts.K).max()


def test_total_mass_and_inertia_about_a_point() -> None:
    parts = beam(5, bending="spatial", grading=3.0, **OBLIQUE).parts()
    D, R = parts.displacement.toarray(), parts.rotation.toarray()
    about = np.array([0.2, 0.7, -1.0])
    columns = []
    for axis in np.eye(3):
        u = np.cross(axis, parts.points - about)
        columns.append(D.T @ u.ravel() + R.T @ np.tile(axis, len(parts.points)))
    S = np.column_stack(columns)
    inertia = S.T @ (parts.M @ S)
    # a thin rod of mass m, plus rho Ip L about its own axis (the only rotary inertia kept)
    m, d = RHO * AREA * L, np.array([1.0, 2.0, 2.0]) / 3.0
    arm = parts.points[0] + L / 2 * d - about
    exact = m * L**2 / 12 * (np.eye(3) - np.outer(d, d)) + m * (arm @ arm * np.eye(3) - np.outer(arm, arm))
    exact += RHO * (IY + IZ) * L * np.outer(d, d)
    assert inertia == pytest.approx(exact, rel=1e-11)
    shift = np.column_stack([D.T @ np.tile(axis, len(parts.points)) for axis in np.eye(3)])
    assert shift.T @ (parts.M @ shift) == pytest.approx(m * np.eye(3), abs=1e-13)
    assert parts.momentum @ shift == pytest.approx(m * np.eye(3), abs=1e-13)


def test_lumped_mass_is_positive_and_carries_the_mass() -> None:
    x = spaced(L, 4, 2.0)
    M = bending_field(x, lumped=True).M
    h = np.diff(x)
    assert M.nnz == M.shape[0] == 10
    assert M.diagonal()[::2].sum() == pytest.approx(L, rel=1e-14)
    assert M.diagonal()[1] == pytest.approx(h[0] ** 3 / 78, rel=1e-12)
    assert (M.diagonal() > 0).all()


def test_patch_constant_curvature_on_a_graded_mesh() -> None:
    # an end moment bends a cantilever to w = M x^2 / (2 E I)
    parts = beam(7, grading=8.0, supports=[("first", "clamped")]).parts()
    F = np.zeros(parts.nv)
    F[-1] = 0.7
    q = np.linalg.solve(parts.K.toarray(), F).reshape(-1, 3)
    x = parts.points[1:, 0]
    assert q[:, 1] == pytest.approx(0.7 * x**2 / (2 * E * IZ), rel=1e-9)
    assert q[:, 2] == pytest.approx(0.7 * x / (E * IZ), rel=1e-9)


@pytest.mark.parametrize("elements", [1, 7])
def test_cantilever_with_tip_load_is_exact_in_both_planes(elements: int) -> None:
    parts = beam(elements, bending="spatial", supports=[("first", "clamped")], **OBLIQUE).parts()
    tip = parts.displacement[-3:].toarray()
    d, y = np.array([1.0, 2.0, 2.0]) / 3.0, np.array([0.3, 1.0, -0.4])
    y = y - (y @ d) * d
    y /= np.linalg.norm(y)
    z = np.cross(d, y)
    for axis, turn, inertia, sign in ((y, z, IZ, 1.0), (z, y, IY, -1.0)):
        q = np.linalg.solve(parts.K.toarray(), tip.T @ (0.4 * axis))
        assert tip @ q == pytest.approx(0.4 * L**3 / (3 * E * inertia) * axis, rel=1e-9, abs=1e-9)
        # the end turns by P L^2 / 2EI: about z for a load along y, about -y for a load along z
        turned = parts.rotation[-3:].toarray() @ q
        assert turned == pytest.approx(sign * 0.4 * L**2 / (2 * E * inertia) * turn, rel=1e-9, abs=1e-9)


def test_gravity_has_the_right_resultant_and_moment_and_deflection() -> None:
    g = np.array([1.0, -4.0, 2.0])
    free = beam(5, bending="spatial", grading=6.0, **OBLIQUE).parts()
    f = free.gravity @ g
    D, R = free.displacement.toarray(), free.rotation.toarray()
    m, n = RHO * AREA * L, len(free.points)
    about = np.array([3.0, 1.0, -2.0])
    for axis in np.eye(3):
        assert f @ (D.T @ np.tile(axis, n)) == pytest.approx(m * g @ axis, rel=1e-12)
        q = D.T @ np.cross(axis, free.points - about).ravel() + R.T @ np.tile(axis, n)
        assert f @ q == pytest.approx(axis @ np.cross(free.center - about, m * g), rel=1e-12)
    # consistent load: the tip of a cantilever sags by w L^4 / 8EI on any mesh, in both planes
    held = beam(2, bending="spatial", grading=3.0, supports=[("first", "clamped")]).parts()
    q = np.linalg.solve(held.K.toarray(), held.gravity @ np.array([0.0, -9.81, 5.0]))
    sag = held.displacement[-3:] @ q
    w = RHO * AREA * L**4 / (8 * E)
    assert sag == pytest.approx([0.0, -9.81 * w / IZ, 5.0 * w / IY], rel=1e-11, abs=1e-15)


def test_direction_in_space_does_not_change_the_spectrum() -> None:
    straight = omegas(beam(6, bending="spatial"))
    oblique = omegas(beam(6, bending="spatial", **OBLIQUE))
    assert oblique[6:] == pytest.approx(straight[6:], rel=1e-9)


def test_fine_beam_far_from_the_origin_keeps_its_digits() -> None:
    # scikit-fem's Hermite basis on the whole mesh loses them here (see bending_field)
    x = spaced(10.0, 2000)
    K = bending_field(x).K
    block = K[2000:2002, 2000:2002].toarray()
    h = x[1]
    assert block == pytest.approx(np.array([[24 / h**3, 0.0], [0.0, 8 / h]]), rel=1e-9, abs=1e-9 * 24 / h**3)
