"""Craig-Bampton modes: orthonormal, without rigid motion, and with the frequencies of the whole beam."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.linalg import eigh, null_space

from flexmb.errors import InputError
from flexmb.fem import craig_bampton as module
from flexmb.fem.craig_bampton import FlexibleModes, craig_bampton
from flexmb.parts.bodies import Beam

ROUND = {"shape": "circle", "radius": 0.02}  # both bending directions have the same frequencies
FLAT = {"area": 0.02, "inertia_y": 3.0e-5, "inertia_z": 5.0e-5, "torsion": 4.0e-5}
MATERIAL = {"young": 2.0e5, "density": 3.0, "poisson": 0.25}


def beam(**kw: object) -> Beam:
    kw = {"length": 2.0, "elements": 12, "section": FLAT, "material": MATERIAL, "bending": "spatial", **kw}
    return Beam("b", **kw)


def ends(body: Beam) -> np.ndarray:
    n = body.parts().points.shape[0]
    return np.concatenate([np.arange(6), 6 * (n - 1) + np.arange(6)])


def reduced(body: Beam, normal: int, interface: np.ndarray | None = None, **kw: object) -> FlexibleModes:
    parts = body.parts()
    return craig_bampton(
        parts.M, parts.K, ends(body) if interface is None else interface, normal, parts.rigid_free, **kw
    )


def omegas(body: Beam) -> np.ndarray:
    parts = body.parts()
    return np.sqrt(np.abs(eigh(parts.K.toarray(), parts.M.toarray(), eigvals_only=True)))


@pytest.mark.parametrize("section", [ROUND, FLAT])
@pytest.mark.parametrize("normal", [0, 5, 30])
def test_modes_are_orthonormal_and_without_rigid_motion(section: dict, normal: int) -> None:
    body = beam(section=section, grading=3.0, direction=(1.0, 2.0, 2.0))
    parts, modes = body.parts(), reduced(body, normal)
    X, w = modes
    assert w.size == 6 + normal
    assert pytest.approx(np.eye(w.size), abs=1e-13) == X.T @ (parts.M @ X)
    assert pytest.approx(np.diag(w**2) / w[-1] ** 2, abs=1e-12) == X.T @ (parts.K @ X) / w[-1] ** 2
    assert np.abs(parts.rigid_free.T @ (parts.M @ X)).max() < 1e-14 * np.abs(parts.rigid_free.T @ parts.M).sum()
    assert np.all(np.diff(w) >= 0.0)
    assert w[0] > 1.0


def test_static_modes_alone_bend_under_end_loads_like_the_whole_beam() -> None:
    # loads at the ends in balance: the static modes hold the answer exactly
    body = beam()
    parts, X = body.parts(), reduced(body, 0).shapes
    load = np.zeros(parts.nv)
    load[1], load[5], load[-5], load[-1] = 1.0, 0.3, -1.0, 0.7  # F along y at both ends, moments about z
    load[-1] -= load[5] + load[-1] + 2.0 * load[-5]
    load[3], load[-3] = 0.2, -0.2
    exact = np.linalg.lstsq(parts.K.toarray(), load, rcond=1e-13)[0]
    assert np.abs(parts.rigid_free.T @ load).max() < 1e-13
    got = X @ np.linalg.solve(X.T @ (parts.K @ X), X.T @ load)
    R = parts.rigid_free
    exact -= R @ np.linalg.solve(R.T @ (parts.M @ R), R.T @ (parts.M @ exact))
    assert pytest.approx(exact, abs=1e-9 * np.abs(exact).max()) == got


def test_free_frequencies_come_from_above_and_converge() -> None:
    body = beam()
    whole = omegas(body)[6:]
    worst = []
    for normal in (4, 12, 24):
        w = reduced(body, normal).omega
        assert np.all(w >= whole[: w.size] * (1.0 - 1e-9))
        worst.append(float(np.max(w[:4] / whole[:4] - 1.0)))
    assert worst[0] < 0.2
    assert worst[1] < 1e-2
    assert worst[2] < 6e-4


@pytest.mark.parametrize("dense", [True, False])
def test_all_modes_are_those_of_the_whole_beam(dense: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    body = beam()
    whole = omegas(body)[6:]
    if not dense:
        monkeypatch.setattr(module, "DENSE_LIMIT", 3)
        free = reduced(body, 8, np.zeros(0, dtype=np.int64)).omega
        assert pytest.approx(whole[:8], rel=1e-7) == free
        assert pytest.approx(reduced(body, 6).omega, rel=1e-9) == _dense_omega(body, monkeypatch)
        return
    assert pytest.approx(whole, rel=1e-6) == reduced(body, body.parts().nv - 12).omega
    assert pytest.approx(whole[:8], rel=1e-7) == reduced(body, 8, np.zeros(0, dtype=np.int64)).omega


def _dense_omega(body: Beam, monkeypatch: pytest.MonkeyPatch) -> np.ndarray:
    monkeypatch.setattr(module, "DENSE_LIMIT", 1200)
    return reduced(body, 6).omega


@pytest.mark.parametrize(("normal", "error"), [(8, 2e-3), (20, 3e-4), (66, 1e-6)])
def test_held_at_one_end_it_has_the_frequencies_of_the_clamped_beam(normal: int, error: float) -> None:
    body, clamped = beam(), beam(supports=[{"node": "first", "kind": "clamped"}])
    parts, X = body.parts(), reduced(body, normal).shapes
    space = np.hstack([parts.rigid_free, X])
    held = space @ null_space(space[:6], rcond=1e-10)
    w = np.sqrt(eigh(held.T @ (parts.K @ held), held.T @ (parts.M @ held), eigvals_only=True))
    whole = omegas(clamped)
    assert np.all(w[:4] >= whole[:4] * (1.0 - 1e-7))
    assert w[:4] == pytest.approx(whole[:4], rel=error)


@pytest.mark.parametrize(("interface", "elements"), [("first", 6), ("mid", 6), ("first", 60), ("ends", 7)])
@pytest.mark.parametrize("young", [2.0e4, 2.0e5])
@pytest.mark.parametrize("normal", [3, 6])
def test_modes_are_those_of_rayleigh_and_ritz(interface: str, elements: int, young: float, normal: int) -> None:
    """Held at one point, static modes are rigid motions: none of their round-off may be left among the modes."""
    body = beam(elements=elements, material={**MATERIAL, "young": young})
    parts = body.parts()
    M, K, R = parts.M.toarray(), parts.K.toarray(), parts.rigid_free
    held = {"first": np.arange(6), "mid": 6 * (elements // 2) + np.arange(6), "ends": ends(body)}[interface]
    inside = np.setdiff1d(np.arange(parts.nv), held)
    T = np.zeros((parts.nv, normal + held.size))
    T[inside, :normal] = eigh(K[np.ix_(inside, inside)], M[np.ix_(inside, inside)])[1][:, :normal]
    T[held, normal:] = np.eye(held.size)
    T[inside, normal:] = -np.linalg.solve(K[np.ix_(inside, inside)], K[np.ix_(inside, held)])
    if interface != "ends":
        T[:, normal:] = R  # the same space, exactly
    T /= np.linalg.norm(T, axis=0)
    expected = np.sqrt(np.abs(eigh(T.T @ K @ T, T.T @ M @ T, eigvals_only=True)))[6:]
    X, omega = reduced(body, normal, held)
    assert omega.size == normal + held.size - 6
    assert omega == pytest.approx(expected, rel=1e-6)
    stiff = reduced(beam(elements=elements), normal, held).omega
    assert omega == pytest.approx(np.sqrt(young / 2.0e5) * stiff, rel=1e-6)
    assert np.abs(R.T @ M @ X).max() < 1e-12 * np.abs(R.T @ M).sum()


def test_modes_of_equal_frequency_stay_pure() -> None:
    body = beam(section=ROUND)
    X = reduced(body, 8).shapes
    n = body.parts().points.shape[0]
    kinds = [[0], [1, 5], [2, 4], [3]]
    shares = np.array([np.abs(X.reshape(n, 6, -1)[:, k]).max(axis=(0, 1)) for k in kinds])
    assert np.all((shares > 0.0).sum(axis=0) == 1)
    assert np.all((shares > 0.0).sum(axis=1) >= 1)


def test_highest_frequency_limits_the_modes() -> None:
    body = beam()
    everything = reduced(body, 12)
    limit = 0.5 * (everything.omega[6] + everything.omega[7]) / (2.0 * np.pi)
    few = reduced(body, 12, max_frequency=limit)
    assert np.array_equal(few.omega, everything.omega[:7])
    assert np.array_equal(few.shapes, everything.shapes[:, :7])
    assert reduced(body, 12, max_frequency=1e-6).shapes.shape == (body.parts().nv, 0)


def test_wrong_requests_are_refused() -> None:
    body = beam()
    with pytest.raises(InputError, match="0.*number.*inner unknowns, 66"):
        reduced(body, 67)
    with pytest.raises(InputError, match="rigid"):
        reduced(body, 2, np.array([0, 1, 2]))
