"""The reference solutions themselves: against published numbers, or against a second method."""

from __future__ import annotations

import numpy as np
import pytest
from references import (
    chain_of_balls,
    double_pendulum_wall,
    flexible_slider_crank,
    flying_beam,
    four_bar,
    free_body,
    heavy_top,
    pendulum,
    planar_beam,
    slider_crank,
    spin_up,
)
from scipy.integrate import quad
from scipy.optimize import brentq


def test_four_bar_at_the_start():
    a, lam = four_bar.accelerations(four_bar.START, np.zeros(3))
    np.testing.assert_allclose(four_bar.gap(four_bar.START), 0.0, atol=1e-15)
    np.testing.assert_allclose(a, [53.639285714286, -40.229464285714, 30.172098214286], rtol=1e-13)
    np.testing.assert_allclose(lam, [-1.278302467660, 5.354977678571], rtol=1e-12)


def test_four_bar_at_two_seconds():
    q, v, lam = four_bar.trajectory([0.0, 0.7, 2.0])
    np.testing.assert_allclose(q[-1], [0.2701647216739, -1.2613123892181, 3.8602783870458], atol=1e-11)
    np.testing.assert_allclose(v[-1], [6.1958043855748, -2.4366483252228, -5.0611138611665], atol=1e-11)
    np.testing.assert_allclose(lam[-1], [3.454776547096, -1.781458590318], atol=1e-11)
    np.testing.assert_allclose([four_bar.gap(x) for x in q], 0.0, atol=1e-12)
    np.testing.assert_allclose([four_bar.jacobian(x) @ u for x, u in zip(q, v, strict=True)], 0.0, atol=1e-11)
    levels = [four_bar.energy(x, u) for x, u in zip(q, v, strict=True)]
    np.testing.assert_allclose(levels, levels[0], atol=1e-11)


def test_double_pendulum_wall_has_the_published_impacts_and_end():
    """Potra et al. (2006), section 10.1; digits as recomputed for the reference sheet."""
    x, _, hits = double_pendulum_wall.trajectory([0.0, 2.5])
    times = [0.545229943827, 0.707571786029, 1.284071674388, 2.096669998041, 2.130553544348]
    np.testing.assert_allclose([t for t, _ in hits], times, atol=1e-11)
    assert [mass for _, mass in hits] == [1, 2, 1, 2, 1]
    end = [0.0219462575638, -0.9997591518856, 0.0238513095094, -1.9997573372725]
    np.testing.assert_allclose(x[-1], end, atol=1e-11)


def test_poisson_equals_newton_while_one_mass_touches_at_a_time():
    times = np.linspace(0.0, 2.5, 26)
    newton, poisson = (
        double_pendulum_wall.trajectory(times, law)
        for law in (double_pendulum_wall.newton, double_pendulum_wall.poisson)
    )
    np.testing.assert_allclose(newton[0], poisson[0], atol=1e-12)
    np.testing.assert_allclose(newton[1], poisson[1], atol=1e-11)
    struck = np.array([1e-3, -1e-3, -1.0, -1.0])  # with both masses at the wall it matters that both are seen
    one, two = double_pendulum_wall.newton(1, struck.copy()), double_pendulum_wall.poisson(1, struck.copy(), touching=1)
    assert np.abs(one - two).max() > 0.5


def test_heavy_top_height_is_that_of_the_elliptic_functions():
    times = np.linspace(0.0, 1.0, 41)
    center, velocity, quaternion, omega = heavy_top.trajectory(times)
    np.testing.assert_allclose(center[:, 2], heavy_top.height(times), atol=1e-11)
    np.testing.assert_allclose(np.linalg.norm(center, axis=1), 1.0, atol=1e-14)
    np.testing.assert_allclose(np.linalg.norm(quaternion, axis=1), 1.0, atol=1e-12)
    np.testing.assert_allclose(omega[:, 1], 150.0, rtol=1e-13)  # the spin of a symmetric top
    energy = 0.5 * (omega**2 @ heavy_top.PIVOT_INERTIA) + 15.0 * 9.81 * center[:, 2]
    np.testing.assert_allclose(energy, energy[0], rtol=1e-12)
    np.testing.assert_allclose(velocity[0], [4.61538, 0.0, 0.0], atol=1e-14)


@pytest.mark.parametrize("omega", [(0.6, 0.0, 1.9), (1.9, 0.0, 0.6), (-1.9, 0.0, 0.6), (0.6, 0.0, -1.9)])
def test_free_body_in_jacobi_functions_and_integrated(omega):
    omega, times = np.array(omega), np.linspace(0.0, 20.0, 41)
    A, w = free_body.integrated(times, omega=omega)
    np.testing.assert_allclose(w, free_body.angular_velocity(times, omega=omega), atol=2e-12)
    for t, axes in zip(times[::20], A[::20], strict=True):
        np.testing.assert_allclose(free_body.axes(t, omega=omega), axes, atol=5e-12)


def test_free_body_period():
    T = free_body.period()
    np.testing.assert_allclose(free_body.angular_velocity([T])[0], free_body.OMEGA, atol=1e-12)
    assert abs(free_body.angular_velocity([0.5 * T])[0, 0] - free_body.OMEGA[0]) > 0.1


def test_simple_pendulum_satisfies_its_equation():
    t, step = np.linspace(0.0, 5.0, 101), 1e-3
    angle, rate = pendulum.simple(t, 2.0, 3.0)
    np.testing.assert_allclose(0.5 * rate**2 - 9.0 * np.cos(angle), -9.0 * np.cos(2.0), atol=1e-12)
    ahead, behind = (pendulum.simple(t + s, 2.0, 3.0)[0] for s in (step, -step))
    np.testing.assert_allclose((ahead - behind) / (2 * step), rate, atol=2e-5)
    quarter = quad(lambda s: 1.0 / np.sqrt(1.0 - (np.sin(1.0) * np.sin(s)) ** 2), 0.0, np.pi / 2)[0] / 3.0
    assert pendulum.period(2.0, 3.0) == pytest.approx(4.0 * quarter, rel=1e-13)


def test_bouncing_pendulum_by_events_and_by_quadrature():
    times = np.linspace(0.0, 6.0, 301)
    theta, rate, hits = pendulum.bouncing(times)
    np.testing.assert_allclose(hits[:40], pendulum.bounce_times(40), atol=1e-11)
    assert hits[-1] < pendulum.rest_time() < hits[-1] + 1e-5
    assert theta.min() >= pendulum.WALL - 1e-14
    rest = times > pendulum.rest_time()
    assert rest.sum() > 50
    np.testing.assert_array_equal(rate[rest], 0.0)
    np.testing.assert_allclose(theta[rest], pendulum.WALL, atol=1e-15)
    energy = 0.5 * rate**2 + pendulum.REACH * np.sin(theta)
    flight = np.searchsorted(hits, times)
    lost = 0.5 * 2.0 * pendulum.REACH * np.sin(np.pi / 4) * (pendulum.RESTITUTION ** (2 * flight) - 1.0)
    np.testing.assert_allclose(energy, lost, atol=1e-10)


@pytest.mark.parametrize("mechanism", [slider_crank.FLORES, slider_crank.HADDOUNI])
def test_slider_crank_by_its_equation_and_by_the_energy_integral(mechanism):
    for angle in (0.1, 0.5) if mechanism is slider_crank.HADDOUNI else (3.0, 18.0):
        when = slider_crank.time_at(mechanism, angle)
        assert slider_crank.trajectory(mechanism, [0.0, when])[0][-1] == pytest.approx(angle, abs=1e-11)


def test_slider_crank_keeps_its_energy_where_the_crank_turns_back():
    a, v, b, x, _ = slider_crank.trajectory(slider_crank.HADDOUNI, np.linspace(0.0, 1.0, 21))
    assert v.min() < -1.0  # gravity stops the crank of the thesis and drives it back
    np.testing.assert_allclose(np.sin(a) + 2.0 * np.sin(b), 0.0, atol=1e-14)
    reduced = [slider_crank.reduced(slider_crank.HADDOUNI, angle) for angle in a]
    levels = [0.5 * m * w**2 + V for (m, _, V, _), w in zip(reduced, v, strict=True)]
    np.testing.assert_allclose(levels, levels[0], atol=1e-11)
    assert x[0] == pytest.approx(3.0)


FSC_P = [1.5e1, -3.311734987910881e-1, 1.697373326718410e-1, 1.893192460247178e-4, 2.375751865617931e-5,
         -5.323907988763734e-6, -8.363283141616840e-6]  # fmt: skip
FSC_V = [1.5e2, 6.025346682645789e1, -8.753116989887888]
FSC_LAMBDA = [-6.232893262533717e1, -1.637910131687472e2, 2.529853213732781e1]


def test_flexible_slider_crank_reproduces_the_test_set():
    """Test Set for IVP Solvers, problem crank, at t = 0.1."""
    p, v, lam = flexible_slider_crank.trajectory([0.0, 0.1], rtol=1e-9, atol=1e-13)
    np.testing.assert_allclose(p[-1, :3], FSC_P[:3], rtol=1e-9)
    np.testing.assert_allclose(p[-1, 3:], FSC_P[3:], rtol=1e-5)
    np.testing.assert_allclose(v[-1, :3], FSC_V, rtol=1e-6)
    np.testing.assert_allclose(lam[-1], FSC_LAMBDA, rtol=1e-5)


@pytest.mark.parametrize("correct", [False, True])
def test_flexible_slider_crank_in_minimal_coordinates_is_the_index_one_form(correct):
    model, rng = flexible_slider_crank.Model(correct=correct), np.random.default_rng(3)
    for t in (0.0, 0.013, 0.077):
        y = np.concatenate([1e-3 * rng.normal(size=4), rng.normal(size=4)])
        p, v = flexible_slider_crank._whole(t, y)
        np.testing.assert_allclose(flexible_slider_crank.gap(p, t), 0.0, atol=1e-15)
        np.testing.assert_allclose(flexible_slider_crank.jacobian(p) @ v, [0.0, 0.0, 150.0], atol=1e-12)
        a, _ = model.accelerations(p, v)
        np.testing.assert_allclose(flexible_slider_crank._minimal(model)(t, y)[4:], a[3:], rtol=1e-11)


def test_flexible_slider_crank_printed_initial_values():
    p, v = flexible_slider_crank.project(flexible_slider_crank.Model(), *flexible_slider_crank.SMOOTH)
    np.testing.assert_allclose(p, flexible_slider_crank.SMOOTH[0], atol=3e-10)
    a, lam = flexible_slider_crank.Model().accelerations(p, v)
    np.testing.assert_allclose(a[2], -5.062194923138079e3, rtol=1e-5)  # from nine printed digits
    np.testing.assert_allclose(lam[1], 3.824589508329281e2, rtol=1e-5)
    a, lam = flexible_slider_crank.Model().accelerations(*flexible_slider_crank.RIGID)
    np.testing.assert_allclose(a[[2, 5, 6]], [-3789.473684210526, 192.4342105263158, 1273.026315789474], rtol=1e-12)
    np.testing.assert_allclose(lam[1], 286.3023157894737, rtol=1e-12)


def test_flexible_slider_crank_natural_frequencies():
    """Reference sheet: with the printed mass block; 15 times its inverse has frequencies 3.87 times as high."""
    flat = np.linalg.eigvals(np.linalg.solve(flexible_slider_crank.Model().MQ, flexible_slider_crank.KQ))
    np.testing.assert_allclose(np.sqrt(np.sort(flat)), [1276.686, 5106.746, 6840.817, 24612.658], rtol=1e-6)
    right = np.linalg.solve(flexible_slider_crank.Model(correct=True).MQ, flexible_slider_crank.KQ)
    rod = 0.5 * np.pi / 0.3 * np.sqrt(0.2e12 / 7870.0)  # longitudinal wave, one end held
    assert np.sqrt(np.linalg.eigvals(right).min()) == pytest.approx(1276.686, rel=1e-6)
    assert np.sort(np.sqrt(np.linalg.eigvals(right)))[2] == pytest.approx(rod, rel=5e-3)


def test_exact_rod_and_linear_rod_of_the_slider_crank():
    """Undeformed start: both bend by 1.5 mm within 5 ms; the exact rod less, because it is pulled."""
    t, slider, middle = flexible_slider_crank.exact_rod(0.005, 250, order=4)
    model = flexible_slider_crank.Model(correct=True)
    p, _, _ = flexible_slider_crank.trajectory(t, model, flexible_slider_crank.RIGID, rtol=1e-7, atol=1e-10)
    np.testing.assert_allclose(slider, p[:, 2], atol=4e-5)
    np.testing.assert_allclose(middle, flexible_slider_crank.mid_point(p), atol=2e-4)
    np.testing.assert_allclose(middle[:50], flexible_slider_crank.mid_point(p)[:50], atol=5e-6)
    straight = 0.15 * np.sin(150.0 * t) - 0.15 * np.sin(np.arcsin(0.5 * np.sin(150.0 * t)))
    assert np.abs(middle[:, 1] - straight).max() > 1e-3


def test_chain_of_balls_by_events_and_by_time_stepping():
    t, z = chain_of_balls.time_stepping(1.0, 3001)
    exact, v, hits = chain_of_balls.trajectory(t)
    assert np.abs(z - exact).max() < 5e-3
    assert np.abs(z - exact).mean() < 5e-4
    assert chain_of_balls.gaps(exact).min() >= -1e-12
    assert len(hits) > 100  # several accumulations
    np.testing.assert_allclose(exact[-1], [0.1, 0.3, 0.5], atol=1e-12)
    np.testing.assert_array_equal(v[-1], 0.0)
    assert hits[0][0] == pytest.approx(np.sqrt(2 * 0.5 / 9.81), rel=1e-13)


def test_chain_of_balls_does_not_feel_where_an_accumulation_is_cut():
    times = np.linspace(0.0, 1.0, 101)
    fine, coarse = (chain_of_balls.trajectory(times, slow)[0] for slow in (1e-10, 1e-7))
    np.testing.assert_allclose(fine, coarse, atol=1e-7)


def small_beam(**keys):
    return planar_beam.Beam(10.0, 1e4, 1e4, 500.0, 1.0, 10.0, elements=2, order=3, **keys)


def test_planar_beam_tangent_is_the_derivative():
    beam, rng, d = small_beam(gravity=2.0), np.random.default_rng(1), 1e-6
    q = beam.straight((0.0, 0.0), 0.3) + 0.1 * rng.normal(size=3 * beam.n)
    numeric = np.column_stack([(beam.force(q + d * e) - beam.force(q - d * e)) / (2 * d) for e in np.eye(3 * beam.n)])
    np.testing.assert_allclose(beam.tangent(q), numeric, atol=1e-6 * np.abs(numeric).max())


def test_planar_beam_bends_to_a_circle():
    """A cantilever under an end moment 2 pi EI / L closes; here a quarter of it, by Newton's method."""
    beam = planar_beam.Beam(10.0, 1e6, 1e6, 500.0, 1.0, 10.0, elements=3, order=5)
    q, push, free = beam.straight((0.0, 0.0), 0.0), np.zeros(3 * beam.n), np.arange(3, 3 * beam.n)
    for part in np.linspace(0.1, 1.0, 10):
        push[-1] = part * 0.5 * np.pi * 500.0 / 10.0
        for _ in range(8):
            q[free] -= np.linalg.solve(beam.tangent(q)[np.ix_(free, free)], (beam.force(q) + push)[free])
    np.testing.assert_allclose(q[-3:], [20.0 / np.pi, 20.0 / np.pi, np.pi / 2], atol=1e-6)


def test_flying_beam_moves_its_centre_of_mass_and_keeps_what_a_free_beam_keeps():
    beam = planar_beam.Beam(10.0, 1e4, 1e4, 500.0, 1.0, 10.0, elements=2, order=4)
    t, low, high = flying_beam.trajectory(3.0, 120, elements=2)
    assert t[100] == pytest.approx(2.5)
    np.testing.assert_allclose(low[0], [6.0, 0.0, np.arctan2(8.0, -6.0)], atol=1e-14)
    np.testing.assert_allclose(high[0, :2], [0.0, 8.0], atol=1e-14)
    rng = np.random.default_rng(0)
    q0 = beam.straight((0.0, 0.0), 0.5)
    v0 = np.column_stack([np.sin(beam.s), np.cos(2 * beam.s), 0.1 * rng.normal(size=beam.n)]).ravel()
    _, q, v = planar_beam.simulate(beam, q0, v0, 1.0, 200, rho=1.0)
    M = beam.mass_matrix()
    along = np.tile([1.0, 0.0, 0.0], beam.n)
    np.testing.assert_allclose(v @ M @ along, v0 @ M @ along, atol=1e-9)
    kinetic = 0.5 * np.einsum("ni,ij,nj->n", v, M, v)
    assert kinetic[-1] < kinetic[0]  # the rest is strain


def test_flying_beam_centre_of_mass():
    beam = planar_beam.Beam(10.0, 1e4, 1e4, 500.0, 1.0, 10.0, elements=2, order=4)
    q0, push = beam.straight((6.0, 0.0), np.arctan2(8.0, -6.0)), np.zeros(3 * beam.n)
    push[0], push[2] = flying_beam.FORCE, flying_beam.MOMENT
    t, q, v = planar_beam.simulate(beam, q0, 0 * q0, 2.5, 50, load=push)
    middle = np.column_stack([q[:, 0::3] @ beam.weights, q[:, 1::3] @ beam.weights]) / 10.0
    np.testing.assert_allclose(middle, flying_beam.center_of_mass(t), atol=1e-10)
    # the momentum of all that turns is the work of moment and force about the centre, to the order of the scheme
    x, y, w = (v[:, k::3] for k in range(3))
    spin = (q[:, 0::3] * (y @ beam.shape) - q[:, 1::3] * (x @ beam.shape)).sum(axis=1) + 10.0 * (w @ beam.weights)
    torque = flying_beam.MOMENT - q[:, 1] * flying_beam.FORCE
    assert spin[-1] == pytest.approx(np.trapezoid(torque, t), rel=2e-3)


def test_spin_up_lag_of_the_exact_beam_and_of_linear_bending_with_stiffening():
    """Published curve (Simo, Vu-Quoc 1986): largest lag about 0.6 near t = 7."""
    t, tip = spin_up.trajectory(8.0, 320)
    lag = spin_up.linear_lag(t)
    np.testing.assert_allclose(tip[:, 1], lag, atol=6e-3)
    assert tip[:, 1].min() == pytest.approx(-0.574, abs=4e-3)
    assert t[tip[:, 1].argmin()] == pytest.approx(6.8, abs=0.2)
    shortening = -0.5 * 1.2 * lag[-1] ** 2 / 10.0  # a cantilever's tip comes nearer by about 0.6 w^2 / L
    assert tip[-1, 0] == pytest.approx(shortening, rel=0.2)


def test_spin_up_steady_extension():
    assert spin_up.steady_extension() == pytest.approx(1.2 * 36.0 * 1000.0 / (3 * 2.8e7), rel=1e-3)
    assert spin_up.steady_extension() == pytest.approx(5.143e-4, rel=1e-4)
    beam = planar_beam.Beam(10.0, 2.8e7, 1e7, 1.4e4, 1.2, 6e-4, elements=2, order=4)

    # equilibrium in the turning frame: the beam's own force and m w^2 r
    def rest(stretch):
        k = np.sqrt(1.2 * 36.0 / 2.8e7)
        q = beam.straight((0.0, 0.0), 0.0)
        q[0::3] = stretch * np.sin(k * beam.s) / k
        return (beam.force(q)[0::3] + 36.0 * 1.2 * (beam.shape @ q[0::3]))[-1]

    stretch = brentq(rest, 1.0, 1.001, xtol=1e-15)
    k = np.sqrt(1.2 * 36.0 / 2.8e7)
    assert stretch * np.sin(10.0 * k) / k - 10.0 == pytest.approx(spin_up.steady_extension(), rel=1e-6)


def test_drive_of_the_spin_up_is_smooth_and_ends_at_its_rate():
    for t in (2.0, 9.0, 14.9, 15.0, 17.0):
        d = 1e-5
        (a, _, _), (_, rate, bend), (b, _, _) = (spin_up.drive(s) for s in (t - d, t, t + d))
        assert (b - a) / (2 * d) == pytest.approx(rate, abs=1e-8)
        assert (spin_up.drive(t + d)[1] - spin_up.drive(t - d)[1]) / (2 * d) == pytest.approx(bend, abs=1e-5)
    assert spin_up.drive(15.0)[:2] == (45.0, 6.0)
    assert spin_up.drive(15.0 - 1e-12)[0] == pytest.approx(45.0, abs=1e-9)
