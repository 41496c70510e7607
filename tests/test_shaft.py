"""Shaft elements: textbook matrices, exact statics, whirl frequencies of a uniform shaft, rigid motion, inertia."""

from __future__ import annotations

import numpy as np
import pytest

from flexmb import InputError, Rotor
from flexmb.fem.section import cowper
from flexmb.fem.shaft import Plane, rotating, shaft_bending, shaft_elements, shaft_line

E, NU, RHO, D, L = 2.1e11, 0.3, 7800.0, 0.1, 1.0
G = E / (2.0 + 2.0 * NU)
A, INERTIA = np.pi * D**2 / 4, np.pi * D**4 / 64
KAPPA = 6.0 * (1.0 + NU) / (7.0 + 6.0 * NU)
MATERIAL = {"young": E, "density": RHO, "poisson": NU}
OBLIQUE = {"direction": (1.0, 2.0, 2.0), "orientation": (0.3, 1.0, -0.4), "position": (1.0, -2.0, 0.5)}
STEPPED = {
    "stations": [0.2, 0.3, 0.45, 0.5, 0.9],
    "outer_diameter": [0.05, 0.04, 0.08, 0.05],
    "inner_diameter": [0.0, 0.01, 0.03, 0.0],
    "material": MATERIAL,
}


def elements(h: list[float], outer: float, inner: float = 0.0, *, shear: bool):
    one = np.ones(len(h))
    kappa = cowper(inner / outer, NU) * one if shear else None
    return shaft_elements(np.array(h), outer * one, inner * one, E * one, G * one, RHO * one, kappa)


def whirl(M: np.ndarray, C: np.ndarray, K: np.ndarray) -> np.ndarray:
    """Return the eigenvalues with positive imaginary part, by size."""
    n = len(M)
    top = np.hstack([np.zeros((n, n)), np.eye(n)])
    values = np.linalg.eigvals(np.vstack([top, -np.linalg.solve(M, np.hstack([K, C]))]))
    values = values[values.imag > 1.0]
    return values[np.argsort(np.abs(values))]


def rates(sizes: list[int], errors: np.ndarray) -> np.ndarray:
    return -np.polyfit(np.log(sizes), np.log(errors), 1)[0]


def test_without_shear_the_element_is_hermites_with_rayleighs_rotary_inertia() -> None:
    h = 0.7
    found, rotary = shaft_bending(elements([h], D, shear=False))
    S = np.diag([1.0, h, 1.0, h])
    K = np.array([[12, 6, -12, 6], [6, 4, -6, 2], [-12, -6, 12, -6], [6, 2, -6, 4]])
    M = np.array([[156, 22, 54, -13], [22, 4, 13, -3], [54, 13, 156, -22], [-13, -3, -22, 4]])
    N = np.array([[36, 3, -36, 3], [3, 4, -3, -1], [-36, -3, 36, -3], [3, -1, -3, 4]])
    assert found.K.toarray() == pytest.approx(E * INERTIA / h**3 * S @ K @ S, rel=1e-12)
    assert found.M.toarray() == pytest.approx(RHO * A * h / 420 * S @ M @ S, rel=1e-12)
    assert rotary.toarray() == pytest.approx(RHO * INERTIA / (30 * h) * S @ N @ S, rel=1e-11)
    assert found.load == pytest.approx(RHO * A * h * np.array([1 / 2, h / 12, 1 / 2, -h / 12]), rel=1e-12)


def test_with_shear_the_element_is_przemienieckis() -> None:
    # Przemieniecki, Theory of Matrix Structural Analysis, (5.116) and (11.25): stiffness and mass with shear
    h = 0.3
    p = 12 * E * INERTIA / (KAPPA * G * A * h**2)
    found, rotary = shaft_bending(elements([h], D, shear=True))
    K = np.array(
        [
            [12, 6 * h, -12, 6 * h],
            [6 * h, (4 + p) * h**2, -6 * h, (2 - p) * h**2],
            [-12, -6 * h, 12, -6 * h],
            [6 * h, (2 - p) * h**2, -6 * h, (4 + p) * h**2],
        ]
    )
    assert found.K.toarray() == pytest.approx(E * INERTIA / (h**3 * (1 + p)) * K, rel=1e-12)
    m1, m2 = 13 / 35 + 7 * p / 10 + p**2 / 3, (11 / 210 + 11 * p / 120 + p**2 / 24) * h
    m3, m4 = 9 / 70 + 3 * p / 10 + p**2 / 6, -(13 / 420 + 3 * p / 40 + p**2 / 24) * h
    m5, m6 = (1 / 105 + p / 60 + p**2 / 120) * h**2, -(1 / 140 + p / 60 + p**2 / 120) * h**2
    M = np.array([[m1, m2, m3, m4], [m2, m5, -m4, m6], [m3, -m4, m1, -m2], [m4, m6, -m2, m5]])
    assert found.M.toarray() == pytest.approx(RHO * A * h / (1 + p) ** 2 * M, rel=1e-12)
    r1, r2 = 6 / 5, (1 / 10 - p / 2) * h
    r3, r4 = (2 / 15 + p / 6 + p**2 / 3) * h**2, (-1 / 30 - p / 6 + p**2 / 6) * h**2
    N = np.array([[r1, r2, -r1, r2], [r2, r3, -r2, r4], [-r1, -r2, r1, -r2], [r2, r4, -r2, r3]])
    assert rotary.toarray() == pytest.approx(RHO * INERTIA / (h * (1 + p) ** 2) * N, rel=1e-11)


@pytest.mark.parametrize("shear", [False, True])
@pytest.mark.parametrize("h", [[2.0], [0.4, 0.1, 1.5], [1e-3]])
def test_cantilever_with_an_end_load_is_exact(shear: bool, h: list[float]) -> None:
    span = sum(h)
    K = shaft_bending(elements(h, D, 0.04, shear=shear)).field.K.toarray()[2:, 2:]
    inertia, area = INERTIA - np.pi * 0.04**4 / 64, A - np.pi * 0.04**2 / 4
    bend, slip = E * inertia, float(cowper(0.4, NU)) * G * area
    force = np.zeros(len(K))
    force[-2] = 1.0
    found = np.linalg.solve(K, force)[-2:]
    assert found == pytest.approx([span**3 / (3 * bend) + shear * span / slip, span**2 / (2 * bend)], rel=1e-9)


def test_shear_coefficients() -> None:
    # Cowper, The shear coefficient in Timoshenko's beam theory, J. Appl. Mech. 33 (1966): circle, thin ring
    assert float(cowper(0.0, NU)) == pytest.approx(6 * (1 + NU) / (7 + 6 * NU), rel=1e-14)
    assert float(cowper(1.0, NU)) == pytest.approx(2 * (1 + NU) / (4 + 3 * NU), rel=1e-14)


def test_stretching_and_torsion() -> None:
    e = elements([0.2, 0.5], D, shear=False)
    stretch, twist = shaft_line(e, e.EA, e.rho_A), shaft_line(e, e.GJ, 2 * e.rho_I)
    assert np.linalg.solve(stretch.K.toarray()[1:, 1:], [0.0, 1.0])[-1] == pytest.approx(0.7 / (E * A), rel=1e-12)
    assert np.linalg.solve(twist.K.toarray()[1:, 1:], [0.0, 1.0])[-1] == pytest.approx(
        0.7 / (G * 2 * INERTIA), rel=1e-12
    )
    assert stretch.M.sum() == pytest.approx(0.7 * RHO * A, rel=1e-12)
    assert twist.M.sum() == pytest.approx(0.7 * RHO * 2 * INERTIA, rel=1e-12)
    assert stretch.load.sum() == pytest.approx(0.7 * RHO * A, rel=1e-12)


def test_rotating_joins_two_planes_by_a_skew_matrix() -> None:
    from scipy import sparse

    A = sparse.csr_array(np.array([[2.0, 1.0], [1.0, 5.0]]))
    first = Plane(np.array([0, 3]), np.array([1.0, 1.0]))
    second = Plane(np.array([1, 2]), np.array([1.0, -1.0]))
    found = rotating(A, first, second, 4).toarray()
    assert np.array_equal(found, -found.T)
    assert np.array_equal(found[np.ix_([0, 3], [1, 2])], [[2.0, -1.0], [1.0, -5.0]])


def uniform(theory: str, m: int, speed: float) -> np.ndarray:
    pins = [{"node": "first", "fix": ["transverse"]}, {"node": "last", "fix": ["transverse"]}]
    rotor = Rotor(
        "r",
        stations=np.linspace(0.0, L, m + 1),
        outer_diameter=D,
        material=MATERIAL,
        theory=theory,
        supports=pins,
        **OBLIQUE,
    )
    parts = rotor.parts()
    assert parts.spin is not None
    return whirl(parts.M.toarray(), speed * parts.spin.gyro.toarray(), parts.K.toarray()).imag


def closed_form(theory: str, mode: int, speed: float) -> list[float]:
    """Whirl of a pinned uniform shaft: deflection R sin kx, slope T cos kx in r = v + i w, both times exp(i s t).

    (kGA k^2 - rho A s^2) R - kGA k T = 0,  -kGA k R + (EI k^2 + kGA - rho INERTIA s^2 + 2 rho INERTIA W s) T = 0
    """
    k, S = mode * np.pi / L, KAPPA * G * A
    if theory == "timoshenko":
        slope = [-RHO * INERTIA, 2 * RHO * INERTIA * speed, E * INERTIA * k**2 + S]
        polynomial = np.polysub(np.polymul([-RHO * A, 0.0, S * k**2], slope), [S**2 * k**2])
    else:
        polynomial = np.array([-(RHO * A + RHO * INERTIA * k**2), 2 * RHO * INERTIA * speed * k**2, E * INERTIA * k**4])
    roots = np.roots(polynomial)
    return sorted(np.abs(roots.real))[:2]


@pytest.mark.parametrize(("theory", "order"), [("euler-bernoulli", 4.0), ("timoshenko", 2.0)])
@pytest.mark.parametrize("speed", [0.0, 2000.0])
def test_whirl_frequencies_of_a_uniform_shaft(theory: str, order: float, speed: float) -> None:
    # with shear the shear angle is constant in an element, hence order 2
    exact = np.sort([s for mode in (1, 2, 3) for s in closed_form(theory, mode, speed)])
    sizes = [16, 24, 32, 48]
    errors = np.array([np.abs(uniform(theory, m, speed)[:6] / exact - 1.0) for m in sizes])
    assert errors[-1].max() < (2e-6 if theory == "euler-bernoulli" else 3e-4)
    assert rates(sizes, errors) == pytest.approx(np.full(6, order), abs=0.1)


@pytest.mark.parametrize("theory", ["euler-bernoulli", "timoshenko"])
@pytest.mark.parametrize("unknowns", ["lateral", "all"])
def test_rigid_motion_costs_nothing_and_carries_mass_and_inertia(theory: str, unknowns: str) -> None:
    hold = [{"node": 0, "fix": ["axial"]}] if unknowns == "all" else []
    disk = {"node": 2, "mass": 3.0, "inertia": 0.02, "polar_inertia": 0.03}
    rotor = Rotor("r", **STEPPED, theory=theory, unknowns=unknowns, supports=hold, disks=[disk])
    parts = rotor.parts()
    assert parts.spin is not None
    x = np.array(STEPPED["stations"]) - 0.2
    h, outer, inner = np.diff(x), np.array(STEPPED["outer_diameter"]), np.array(STEPPED["inner_diameter"])
    area, second = np.pi / 4 * (outer**2 - inner**2), np.pi / 64 * (outer**4 - inner**4)
    mid = 0.5 * (x[1:] + x[:-1])
    letters = [name.rpartition(".")[2] for name in parts.dof_names]
    place = np.array([int(name.split("(")[1].split(")")[0]) for name in parts.dof_names])

    def motion(deflection: str, slope: str, sign: float, about: float) -> tuple[np.ndarray, np.ndarray]:
        shift = np.array([1.0 if letter == deflection else 0.0 for letter in letters])
        turn = np.array([sign if letter == slope else 0.0 for letter in letters])
        return shift, turn + shift * (x[place] - about)

    mass = RHO * np.sum(area * h) + 3.0
    assert parts.mass == pytest.approx(mass, rel=1e-12)
    about = (RHO * np.sum(area * h * mid) + 3.0 * x[2]) / mass
    assert parts.center == pytest.approx([about, 0.0, 0.0], rel=1e-12)
    diametral = (
        RHO * np.sum(area * h * (h**2 / 12 + (mid - about) ** 2) + second * h) + 0.02 + 3.0 * (x[2] - about) ** 2
    )
    polar = RHO * np.sum(2 * second * h) + 0.03
    turns = []
    for deflection, slope, sign in (("v", "theta_z", 1.0), ("w", "theta_y", -1.0)):
        shift, turn = motion(deflection, slope, sign, about)
        for q in (shift, turn):
            assert parts.strain.energy(q) < 1e-25 * abs(parts.K).max()
            assert np.abs(parts.K @ q).max() < 1e-14 * abs(parts.K).max()
        assert shift @ parts.M @ shift == pytest.approx(mass, rel=1e-12)
        assert shift @ parts.M @ turn == pytest.approx(0.0, abs=1e-12 * mass)
        assert turn @ parts.M @ turn == pytest.approx(diametral, rel=1e-12)
        turns.append(turn)
    # a rigid top: the moments of its whole polar inertia
    gyro = parts.spin.gyro
    assert turns[0] @ gyro @ turns[1] == pytest.approx(polar, rel=1e-12)
    assert abs(gyro + gyro.T).max() == 0.0
    assert parts.spin.spin.inertia == pytest.approx(polar, rel=1e-12)
    assert abs(parts.strain.matrix() - parts.K).max() < 1e-14 * abs(parts.K).max()


def test_sections_are_stations() -> None:
    pieces = [
        {"length": 0.1, "outer_diameter": 0.05},
        {"length": 0.3, "outer_diameter": 0.04, "inner_diameter": 0.01, "elements": 2},
        {"length": 0.2, "outer_diameter": 0.05, "material": {"young": 7e10, "density": 2700.0}},
    ]
    one = Rotor("r", sections=pieces, material=MATERIAL)
    parts = one.parts()
    assert parts.points[:, 0] == pytest.approx([0.0, 0.1, 0.25, 0.4, 0.6])
    assert one.outer_radii() == pytest.approx([0.025, 0.02, 0.02, 0.025])
    ring = np.pi / 4 * (0.04**2 - 0.01**2)
    mass = RHO * (0.1 * np.pi * 0.05**2 / 4 + 0.3 * ring) + 2700.0 * 0.2 * np.pi * 0.05**2 / 4
    assert parts.mass == pytest.approx(mass, rel=1e-12)
    same = {"outer_diameter": [0.05, 0.04, 0.04], "inner_diameter": [0.0, 0.01, 0.01], "material": MATERIAL}
    by_stations = Rotor("r", stations=[0.0, 0.1, 0.25, 0.4], **same).parts()
    by_sections = Rotor("r", sections=pieces[:2], material=MATERIAL).parts()
    for name in ("M", "K"):
        difference = abs(getattr(by_stations, name) - getattr(by_sections, name))
        assert difference.max() < 1e-12 * abs(getattr(by_stations, name)).max()
    with pytest.raises(InputError, match="is given in sections as well"):
        Rotor("r", sections=pieces, stations=[0.0, 1.0], material=MATERIAL)
