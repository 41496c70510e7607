"""The amplification matrices against the schemes' own steps and against what theory says of them."""

import numpy as np
import pytest
from systems import system

from flexmb.analysis.spectrum import amplification, spectrum
from flexmb.errors import InputError
from flexmb.schemes import HHT, SCHEMES, GeneralizedAlpha, MoreauJean, MoreauJeanDissipative, Newmark, SchatzmanPaoli
from flexmb.schemes.scheme import Scheme
from flexmb.smooth.phase import Phase

FAMILY = [
    *(cls() for cls in SCHEMES.values()),
    *(GeneralizedAlpha(rho_inf=r) for r in (0.0, 0.3, 1.0)),
    *(MoreauJean(theta=t) for t in (0.6, 1.0)),
    MoreauJeanDissipative(theta=0.9),
    Newmark(beta=0.5, gamma=0.8),
    HHT(alpha=0.3),
    SchatzmanPaoli(weighting="theta", theta=0.8),
]


def states(scheme, one, h, steps):
    """Return the states of some steps; of an integrator between events those of a phase without contacts."""
    state = one.initial_state(0.0)
    found = [state]
    if scheme.driver == "events":
        phase = Phase(one)
        smooth = scheme.begin(phase, 0.0, state.q, state.v)
        for _ in range(steps):
            smooth = scheme.smooth_step(phase, smooth, h).end
            found.append(smooth)
        return found
    fixed = scheme.prepare(one, h)
    memory = scheme.start(one, state, h, fixed, None)
    for _ in range(steps):
        state, memory, _ = scheme.step(one, state, h, memory, fixed, None)
        found.append(state)
    return found


@pytest.mark.parametrize("scheme", FAMILY, ids=str)
@pytest.mark.parametrize(("omega_h", "zeta"), [(0.3, 0.0), (1.7, 0.1), (12.0, 0.02)])
def test_the_matrix_is_what_steps_do(scheme, omega_h, zeta):
    """Steps of the readable scheme satisfy the characteristic polynomial of A (Cayley and Hamilton)."""
    if omega_h >= scheme.stability:
        pytest.skip("explicit: refuses such a step")
    h = 0.05
    omega = omega_h / h
    one = system(1.0, omega**2, C=2.0 * zeta * omega, q0=[1.0], v0=[3.0])
    q = [float(state.q[0]) for state in states(scheme, one, h, 12)]
    c = np.poly(amplification(scheme, omega_h, zeta))
    left = np.convolve(q, c, mode="valid")  # c0 q_{n+k} + ... + ck q_n
    assert np.abs(left).max() <= 1e-12 * np.abs(q).max() * np.abs(c).sum()


@pytest.mark.parametrize("rho", [0.0, 0.3, 0.8, 1.0])
def test_rho_inf_is_the_radius_at_infinity(rho):
    # for rho_inf < 1 three eigenvalues meet there: an eigenvalue of a triple one has a third of the digits
    assert spectrum(GeneralizedAlpha(rho_inf=rho), [1e7]).radius[0] == pytest.approx(rho, abs=1e-4)


def test_conservative_schemes_have_no_damping_and_the_trapezoidal_period():
    x = np.array([0.1, 0.7, 2.0])
    for scheme in (GeneralizedAlpha(rho_inf=1.0), Newmark(), MoreauJean(theta=0.5), SchatzmanPaoli()):
        found = spectrum(scheme, x)
        np.testing.assert_allclose(found.damping, 0.0, rtol=0, atol=1e-14)
        np.testing.assert_allclose(found.radius, 1.0, rtol=0, atol=1e-14)
        np.testing.assert_allclose(found.period_error, x / (2.0 * np.arctan(x / 2.0)) - 1.0, rtol=1e-11)


def test_damping_of_first_order_schemes_starts_linearly_of_second_order_ones_cubically():
    x = np.array([0.02, 0.01])
    first = spectrum(MoreauJean(theta=1.0), x).damping
    third = spectrum(GeneralizedAlpha(rho_inf=0.5), x).damping
    assert first[0] / first[1] == pytest.approx(2.0, rel=1e-3)
    assert third[0] / third[1] == pytest.approx(8.0, rel=1e-2)
    assert first[1] == pytest.approx(x[1] / 2.0, rel=1e-3)  # backward Euler: 1/sqrt(1 + x^2) per step


def test_physical_damping_is_met_at_small_steps():
    found = spectrum(GeneralizedAlpha(rho_inf=0.8), [1e-3], zeta=0.07)
    assert found.damping[0] == pytest.approx(0.07, rel=1e-6)
    assert found.period_error[0] == pytest.approx(0.0, abs=1e-6)


def test_no_scheme_is_unstable_within_its_limit():
    x = np.geomspace(1e-3, 1e4, 60)
    for scheme in FAMILY:
        # Runge-Kutta methods gain a little, of high order in the step: their limit is where it is a hundredth a step
        most = 1.01 if scheme.driver == "events" else 1.0 + 1e-7
        assert spectrum(scheme, x[x < scheme.stability]).radius.max() <= most, scheme
        if np.isfinite(scheme.stability):
            assert spectrum(scheme, [0.999 * scheme.stability]).radius[0] <= most
            assert spectrum(scheme, [1.01 * scheme.stability]).radius[0] > 1.01


def test_the_pair_is_followed_after_it_has_become_real():
    """Newmark's pair meets on the real axis when beta < (gamma + 1/2)^2 / 4; its third eigenvalue is 0."""
    scheme = Newmark(beta=0.4, gamma=0.8)
    found = spectrum(scheme, [50.0])
    values = np.linalg.eigvals(amplification(scheme, 50.0))
    assert np.abs(values.imag).max() == 0.0
    assert np.isnan(found.period_error[0])
    assert np.sort(np.abs(values))[0] < 1e-12
    assert abs(found.oscillation[0]) > 0.1


def test_bad_input_is_refused():
    with pytest.raises(InputError, match="positive"):
        spectrum(Newmark(), [0.0, 1.0])
    with pytest.raises(InputError, match=r"\[0, 1\)"):
        spectrum(Newmark(), [1.0], zeta=1.0)
    with pytest.raises(InputError, match="amplification"):
        Scheme.amplification(Newmark(), 1.0, 0.0)  # what a scheme without a matrix of its own inherits


def test_the_command_prints_writes_and_refuses(tmp_path, capsys):
    from flexmb.cli import main

    assert main(["spectrum", "hht", "generalized-alpha", "--set", "rho_inf=0.5", "-o", str(tmp_path / "s")]) == 0
    out = capsys.readouterr().out
    assert "generalized-alpha (rho_inf = 0.5)" in out
    table = np.genfromtxt(tmp_path / "s" / "spectrum.csv", delimiter=",", skip_header=1)
    assert table.shape == (401, 7)
    assert (tmp_path / "s" / "spectrum.png").stat().st_size > 20_000
    assert main(["spectrum", "hhtt"]) == 2
    assert "did you mean 'hht'" in capsys.readouterr().err
    assert main(["spectrum", "--set", "rho=1"]) == 2


def test_schemes_with_the_same_figures_are_one_curve() -> None:
    from flexmb.postproc.spectrum_plot import plot_spectra

    x = np.geomspace(0.01, 100.0, 41)
    schemes = {"a": MoreauJean(), "b": GeneralizedAlpha(rho_inf=0.8), "c": Newmark(), "d": SchatzmanPaoli()}
    figure = plot_spectra({name: spectrum(scheme, x) for name, scheme in schemes.items()})
    lines = {line.get_label(): line for line in figure.axes[0].get_lines()}
    assert list(lines) == ["a; c; d", "b"]
    assert len({(line.get_color(), str(line.get_linestyle())) for line in lines.values()}) == 2
