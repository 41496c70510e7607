"""Linear elastic material."""

from __future__ import annotations

from dataclasses import dataclass

from flexmb.checks.values import finite, positive
from flexmb.errors import InputError


@dataclass(frozen=True, kw_only=True)
class Material:
    """Isotropic, linear elastic material.

    Parameters
    ----------
    young : float
        Young's modulus E, Pa.
    density : float
        Mass per volume, kg/m^3.
    poisson : float
        Poisson's ratio, in (-1, 0.5]; used for torsion and shear, G = E / (2 + 2 poisson).
    shear : float, optional
        Shear modulus G, Pa; instead of ``poisson``.
    """

    young: float
    density: float
    poisson: float | None = None
    shear: float | None = None

    def __post_init__(self) -> None:
        positive(self.young, "young", "material")
        positive(self.density, "density", "material")
        if self.poisson is not None and self.shear is not None:
            message = "give either poisson or shear, not both"
            raise InputError(message, where="material", key="shear", value=self.shear)
        if self.shear is not None:
            positive(self.shear, "shear", "material")
        if self.poisson is not None and not -1.0 < finite(self.poisson, "poisson", "material") <= 0.5:
            message = "must lie above -1 and not above 0.5"
            raise InputError(message, where="material", key="poisson", value=self.poisson)

    @property
    def G(self) -> float:
        """Shear modulus, Pa."""
        if self.shear is not None:
            return float(self.shear)
        return self.young / (2.0 + 2.0 * (0.3 if self.poisson is None else self.poisson))
