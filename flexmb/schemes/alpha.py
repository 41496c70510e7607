"""The members of the alpha family: Newmark, HHT, generalized-alpha, and the naive HHT (Acary 2019, eqs 69-81).

They differ in how (alpha_m, alpha_f, beta, gamma) are chosen; the step is in ``alpha_family``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from flexmb.schemes.alpha_contacts import AlphaStep
from flexmb.schemes.alpha_family import Alpha
from flexmb.schemes.scheme import check_choice, check_flag, check_range

JOINT_LEVELS = ("auto", "index3", "index2", "ggl")
"""Allowed values of ``constraints``."""
DRY = frozenset({"friction", "rolling", "spinning"})
"""Contact laws that the family supports: those of dry friction."""


def hht_coefficients(alpha: float, beta: float | None, gamma: float | None) -> AlphaStep:
    """Return (0, alpha, beta, gamma), with the default gamma and beta of HHT if they are not given."""
    gamma = 0.5 + alpha if gamma is None else gamma
    return AlphaStep(0.0, alpha, 0.25 * (gamma + 0.5) ** 2 if beta is None else beta, gamma)


def check_given(scheme: str, **given: float | None) -> None:
    """Raise InputError for an option that is given but is not a number in [0, 1]."""
    for key, value in given.items():
        if value is not None:
            check_range(scheme, key, value, 0.0, 1.0)


def check_newmark(scheme: str, c: AlphaStep) -> None:
    """Raise InputError unless gamma is in [1/2 + alpha_f, 1] and beta in [gamma/2, 1] (unconditional stability)."""
    check_range(scheme, "gamma", c.gamma, 0.5 + c.alpha_f, 1.0)
    check_range(scheme, "beta", c.beta, 0.5 * c.gamma, 1.0)


@dataclass(frozen=True)
class Newmark(Alpha):
    """Newmark's scheme with impacts; beta = 1/4, gamma = 1/2 conserves energy in flight.

    Parameters
    ----------
    beta, gamma : float
        gamma in [1/2, 1], beta in [gamma/2, 1] (unconditional stability).
    ggl : bool
        Position-level stabilization.
    constraints : str
        Level of joint constraints: "index3" (positions), "index2" (velocities), "ggl" (both), or "auto": both with ggl,
        positions without.
    """

    beta: float = 0.25
    gamma: float = 0.5
    ggl: bool = True
    constraints: str = "auto"

    name: ClassVar[str] = "newmark"
    carries: ClassVar[frozenset[str]] = DRY

    def __post_init__(self) -> None:
        check_given(self.name, beta=self.beta, gamma=self.gamma)
        check_newmark(self.name, self.coefficients)
        check_flag("ggl", self.ggl)
        check_choice("constraints", self.constraints, JOINT_LEVELS)

    @property
    def coefficients(self) -> AlphaStep:
        """(0, 0, beta, gamma)."""
        return AlphaStep(0.0, 0.0, self.beta, self.gamma)


@dataclass(frozen=True)
class HHT(Alpha):
    """Hilber-Hughes-Taylor's scheme with impacts; alpha in [0, 1/3] damps high frequencies.

    Parameters
    ----------
    alpha : float
        Weight alpha_f of the old forces, in [0, 1/3].
    beta, gamma : float, optional
        Default gamma = 1/2 + alpha, the least that is stable, and beta = (gamma + 1/2)^2 / 4.
    ggl : bool
        Position-level stabilization.
    constraints : str
        Level of joint constraints: "index3" (positions), "index2" (velocities), "ggl" (both), or "auto": both with ggl,
        positions without.
    """

    alpha: float = 0.1
    beta: float | None = None
    gamma: float | None = None
    ggl: bool = True
    constraints: str = "auto"

    name: ClassVar[str] = "hht"
    carries: ClassVar[frozenset[str]] = DRY

    def __post_init__(self) -> None:
        check_range(self.name, "alpha", self.alpha, 0.0, 1.0 / 3.0)
        check_given(self.name, beta=self.beta, gamma=self.gamma)
        check_newmark(self.name, self.coefficients)
        check_flag("ggl", self.ggl)
        check_choice("constraints", self.constraints, JOINT_LEVELS)

    @property
    def coefficients(self) -> AlphaStep:
        """(0, alpha, beta, gamma)."""
        return hht_coefficients(self.alpha, self.beta, self.gamma)


@dataclass(frozen=True)
class GeneralizedAlpha(Alpha):
    """Chung-Hulbert's generalized-alpha with impacts; rho_inf is the spectral radius at infinite frequency.

    Parameters
    ----------
    rho_inf : float
        In [0, 1]; 1 conserves energy in flight, 0 damps the highest frequencies completely in one step.
    ggl : bool
        Position-level stabilization.
    constraints : str
        Level of joint constraints: "index3" (positions), "index2" (velocities), "ggl" (both), or "auto": both with ggl,
        positions without.
    """

    rho_inf: float = 0.8
    ggl: bool = True
    constraints: str = "auto"

    name: ClassVar[str] = "generalized-alpha"
    carries: ClassVar[frozenset[str]] = DRY

    def __post_init__(self) -> None:
        check_range(self.name, "rho_inf", self.rho_inf, 0.0, 1.0)
        check_flag("ggl", self.ggl)
        check_choice("constraints", self.constraints, JOINT_LEVELS)

    @property
    def coefficients(self) -> AlphaStep:
        """From rho_inf (eq 81, with gamma = 1/2 + alpha_f - alpha_m)."""
        rho = self.rho_inf
        alpha_m, alpha_f = (2.0 * rho - 1.0) / (rho + 1.0), rho / (rho + 1.0)
        gamma = 0.5 + alpha_f - alpha_m
        return AlphaStep(alpha_m, alpha_f, 0.25 * (gamma + 0.5) ** 2, gamma)


@dataclass(frozen=True)
class NaiveHHT(Alpha):
    """HHT with the contact force treated like any other force (eqs 69-72): inconsistent, for demonstration only.

    Parameters
    ----------
    alpha : float
        Weight alpha_f of the old forces, in [0, 1/3].
    beta, gamma : float, optional
        Default gamma = 1/2 + alpha, beta = (gamma + 1/2)^2 / 4.
    level : str
        "position" (0 <= g_{n+1} perp lam >= 0, no impact law) or "velocity" (0 <= U_{n+1} + e U_n perp lam >= 0).
    """

    alpha: float = 0.0
    beta: float | None = None
    gamma: float | None = None
    level: str = "position"

    name: ClassVar[str] = "naive-hht"
    any_system: ClassVar[bool] = False
    large_motion: ClassVar[str] = ""
    error_known: ClassVar[str] = ""
    carries: ClassVar[frozenset[str]] = frozenset()

    def __post_init__(self) -> None:
        check_range(self.name, "alpha", self.alpha, 0.0, 1.0 / 3.0)
        check_given(self.name, beta=self.beta, gamma=self.gamma)
        check_newmark(self.name, self.coefficients)
        check_choice("level", self.level, ("position", "velocity"))

    @property
    def coefficients(self) -> AlphaStep:
        """(0, alpha, beta, gamma)."""
        return hht_coefficients(self.alpha, self.beta, self.gamma)

    @property
    def contact_level(self) -> str:
        """Contact forces are treated like other forces."""
        return f"naive-{self.level}"
