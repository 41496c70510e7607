"""Deformation modes stand for K: the same matrix, without its cancellation."""

import numpy as np
import pytest

import flexmb as fm

STEEL = {"young": 210e9, "density": 7800.0}
RECTANGLE = {"shape": "rectangle", "width": 0.02, "height": 0.03}


def models():
    bar = fm.Bar("b", length=2.0, elements=7, grading=3.0, area=0.01, direction=(1, 2, 2), **STEEL)
    quadratic = fm.Bar(
        "b", length=2.0, elements=5, order=2, area=0.01, supports=[{"node": "last", "kind": "clamped"}], **STEEL
    )
    planar = fm.Beam("b", length=2.0, elements=6, section=RECTANGLE, material=STEEL, grading=0.5, direction=(0, 1, 1))
    spatial = fm.Beam(
        "b",
        length=2.0,
        elements=4,
        section=RECTANGLE,
        material=STEEL,
        bending="spatial",
        supports=[{"node": "first", "kind": "clamped"}, {"node": "last", "kind": "pinned"}],
    )
    for body in (bar, quadratic, planar, spatial):
        for sprung in (False, True):
            model = fm.Model()
            b = model.add(body)
            if sprung:
                model.add(fm.Particle("p", 2.0, position=(-1, 0.3, 0.2)))
                model.add(fm.Spring("s", node="p", node2=b.mid, stiffness=3e6))
                model.add(fm.Spring("t", node=b.mid, direction=body.dofs()[0].vector, stiffness=2e6))
            yield model


@pytest.mark.parametrize("model", list(models()))
def test_modes_are_the_stiffness(model):
    s = model.assemble()
    K = s.K.toarray()
    np.testing.assert_allclose(s.strain.matrix().toarray(), K, rtol=0, atol=1e-12 * np.abs(K).max())
    rng = np.random.default_rng(0)
    q, X = rng.normal(size=s.nv), rng.normal(size=(s.nv, 3))
    np.testing.assert_allclose(s.elastic(q), K @ q, rtol=0, atol=1e-11 * np.abs(K).max())
    np.testing.assert_allclose(s.elastic(X), K @ X, rtol=0, atol=1e-11 * np.abs(K).max())
    assert s.strain.energy(q) == pytest.approx(0.5 * q @ K @ q, rel=1e-10)


def test_a_body_that_has_flown_far_stores_nothing():
    flying = [s for s in (m.assemble() for m in models()) if s.laplacian]
    assert flying
    for s in flying:
        q = 1e3 + np.zeros(s.nv)
        assert s.potential(q) == 0.0
        assert not s.elastic(q).any()


def test_energy_of_a_fine_beam_keeps_its_digits():
    """Cantilever of 400 elements under a tip force: V = F^2 L^3 / 6 E I, where q^T K q / 2 has lost half its digits."""
    beam = fm.Beam(
        "b",
        length=1.0,
        elements=400,
        section=RECTANGLE,
        material=STEEL,
        supports=[{"node": "first", "kind": "clamped"}],
    )
    model = fm.Model()
    model.add(beam)
    s = model.assemble()
    inertia = 0.02 * 0.03**3 / 12
    x = np.linspace(0.0, 1.0, 401)[1:]
    q = np.zeros(s.nv)
    q[1::3] = (3 * x**2 - x**3) / 6 / (210e9 * inertia) * 100.0
    q[2::3] = (2 * x - x**2) / 2 / (210e9 * inertia) * 100.0
    exact = 100.0**2 / (6 * 210e9 * inertia)
    assert s.potential(q) == pytest.approx(exact, rel=1e-9)
    assert abs(0.5 * q @ (s.K @ q) - exact) > 10 * abs(s.potential(q) - exact)
