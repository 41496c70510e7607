"""Finite-element flexible multibody dynamics with hard unilateral contact.

The names below are imported when they are first used, so that ``import flexmb`` is quick::

    import flexmb as fm

    model = fm.Model()
    rod = model.add(fm.Bar("rod", length=10, elements=200, area=1, young=900, density=1,
                           position=(5, 0, 0), direction=(1, 0, 0), velocity=(-10, 0, 0)))
    model.add(fm.NodePlane("wall", node=rod.first, normal=(1, 0, 0), restitution=0.0))
    result = fm.simulate(model, fm.GeneralizedAlpha(rho_inf=0.8, ggl=True), step=2e-3, end=2.0)
"""

from __future__ import annotations

import importlib
import sys
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from flexmb.bodies import Bar, Beam, Damping, Particle, Rigid, RigidPlanar, Support
    from flexmb.bodies.exact_beam import ExactBeam
    from flexmb.bodies.floating_beam import FloatingBeam
    from flexmb.bodies.floating_data import FloatingData
    from flexmb.bodies.rotor import Rotor
    from flexmb.bodies.rotor_bearings import RotorBearing
    from flexmb.bodies.rotor_couplings import Coupling
    from flexmb.bodies.rotor_disks import Disk, Unbalance
    from flexmb.bodies.rotor_shape import ShaftSection
    from flexmb.case import Case, load_case
    from flexmb.contacts import Clearance, NodeNode, NodePlane, Spheres, SphereSphere
    from flexmb.errors import FlexmbError, InputError, NotConverged, RunWarning, SimulationError
    from flexmb.fem.material import Material
    from flexmb.fem.section import Section
    from flexmb.joints import (
        Cylindrical,
        Distance,
        Fixed,
        Gear,
        Planar,
        PointOnLine,
        Prismatic,
        Revolute,
        Spherical,
        Universal,
    )
    from flexmb.loads import (
        Bearing,
        Constant,
        Damper,
        Gravity,
        Harmonic,
        NodalForce,
        Polynomial,
        Ramp,
        SpinUp,
        Spring,
        SpringDamper,
        Table,
        TorsionSpring,
        time_function,
    )
    from flexmb.model import Model
    from flexmb.modes import Modes, modes
    from flexmb.multibody_system import MultibodySystem
    from flexmb.nonsmooth.solvers import ContactSolver
    from flexmb.result import Result, load
    from flexmb.rotating import RotatingSystem, rotating_system
    from flexmb.rotor_analysis.campbell import Campbell, campbell
    from flexmb.rotor_analysis.critical import critical_speeds
    from flexmb.rotor_analysis.modes import RotorModes, rotor_modes
    from flexmb.rotor_analysis.stability import instability
    from flexmb.rotor_analysis.static import StaticState, static_deflection
    from flexmb.rotor_analysis.unbalance import UnbalanceResponse, unbalance_peaks, unbalance_response
    from flexmb.schemes import (
        HHT,
        SCHEMES,
        GeneralizedAlpha,
        MoreauJean,
        MoreauJeanDissipative,
        NaiveHHT,
        Newmark,
        SchatzmanPaoli,
    )
    from flexmb.simulate import simulate
    from flexmb.study.study import Study, load_study

    __version__: str

_HOME = {
    "flexmb.bodies": "Bar Beam Damping Particle Rigid RigidPlanar Support",
    "flexmb.bodies.exact_beam": "ExactBeam",
    "flexmb.bodies.floating_beam": "FloatingBeam",
    "flexmb.bodies.floating_data": "FloatingData",
    "flexmb.bodies.rotor": "Rotor",
    "flexmb.bodies.rotor_bearings": "RotorBearing",
    "flexmb.bodies.rotor_couplings": "Coupling",
    "flexmb.bodies.rotor_disks": "Disk Unbalance",
    "flexmb.bodies.rotor_shape": "ShaftSection",
    "flexmb.case": "Case load_case",
    "flexmb.contacts": "Clearance NodeNode NodePlane SphereSphere Spheres",
    "flexmb.errors": "FlexmbError InputError NotConverged RunWarning SimulationError",
    "flexmb.fem.material": "Material",
    "flexmb.fem.section": "Section",
    "flexmb.joints": "Cylindrical Distance Fixed Gear Planar PointOnLine Prismatic Revolute Spherical Universal",
    "flexmb.loads": "Bearing Constant Damper Gravity Harmonic NodalForce Polynomial Ramp SpinUp Spring SpringDamper "
    "Table TorsionSpring time_function",
    "flexmb.model": "Model",
    "flexmb.modes": "Modes modes",
    "flexmb.multibody_system": "MultibodySystem",
    "flexmb.nonsmooth.solvers": "ContactSolver",
    "flexmb.result": "Result load",
    "flexmb.rotating": "RotatingSystem rotating_system",
    "flexmb.rotor_analysis.campbell": "Campbell campbell",
    "flexmb.rotor_analysis.critical": "critical_speeds",
    "flexmb.rotor_analysis.modes": "RotorModes rotor_modes",
    "flexmb.rotor_analysis.stability": "instability",
    "flexmb.rotor_analysis.static": "StaticState static_deflection",
    "flexmb.rotor_analysis.unbalance": "UnbalanceResponse unbalance_peaks unbalance_response",
    "flexmb.schemes": "HHT SCHEMES GeneralizedAlpha MoreauJean MoreauJeanDissipative NaiveHHT Newmark SchatzmanPaoli",
    "flexmb.simulate": "simulate",
    "flexmb.study.study": "Study load_study",
}
"""Where the public names live."""
_MODULE_OF = {name: module for module, names in _HOME.items() for name in names.split()}

# literally, so that type checkers see what is exported
__all__ = ["Bar", "Beam", "Bearing", "Campbell", "Case", "Clearance", "Constant", "ContactSolver", "Coupling"]
__all__ += ["Cylindrical", "Damper", "Damping", "Disk", "Distance", "ExactBeam", "Fixed", "FlexmbError"]
__all__ += ["FloatingBeam", "FloatingData", "Gear", "GeneralizedAlpha", "Gravity", "HHT", "Harmonic", "InputError"]
__all__ += ["Material", "Model", "Modes", "MoreauJean", "MoreauJeanDissipative", "MultibodySystem", "NaiveHHT"]
__all__ += ["Newmark", "NodalForce", "NodeNode", "NodePlane", "NotConverged", "Particle", "Planar", "PointOnLine"]
__all__ += ["Polynomial", "Prismatic", "Ramp", "Result", "Revolute", "Rigid", "RigidPlanar", "RotatingSystem"]
__all__ += ["Rotor", "RotorBearing", "RotorModes", "RunWarning", "SCHEMES", "SchatzmanPaoli", "Section"]
__all__ += [
    "ShaftSection",
    "SimulationError",
    "SphereSphere",
    "Spheres",
    "Spherical",
    "SpinUp",
    "Spring",
    "SpringDamper",
]
__all__ += ["StaticState", "Study", "Support", "Table", "TorsionSpring", "Unbalance", "UnbalanceResponse"]
__all__ += ["Universal", "campbell", "critical_speeds", "instability", "load", "load_case", "load_study", "modes"]
__all__ += ["rotating_system", "rotor_modes", "simulate", "static_deflection", "time_function", "unbalance_peaks"]
__all__ += ["unbalance_response"]


class _Package(ModuleType):
    """The package: imports a public name from where it lives when it is first used.

    ``simulate`` and ``modes`` are functions in modules of the same name. Importing such a module sets it as an
    attribute of the package; the function is put in its place.
    """

    def __getattr__(self, name: str) -> Any:
        if name == "__version__":
            return _version()
        if name not in _MODULE_OF:
            cls = _scheme(name)
            if cls is not None:
                setattr(self, name, cls)
                return cls
            raise AttributeError(f"module 'flexmb' has no attribute '{name}'")
        value = getattr(importlib.import_module(_MODULE_OF[name]), name)
        setattr(self, name, value)
        return value

    def __setattr__(self, name: str, value: Any) -> None:
        if isinstance(value, ModuleType) and name in _MODULE_OF:
            value = getattr(value, name)
        super().__setattr__(name, value)

    def __dir__(self) -> list[str]:
        return sorted(__all__)


def _scheme(name: str) -> type | None:
    """Return the scheme class of this name: a scheme is known because its file exists, not because it stands here."""
    if not name[:1].isupper():
        return None
    schemes = importlib.import_module("flexmb.schemes").SCHEMES
    return next((cls for cls in schemes.values() if cls.__name__ == name), None)


def _version() -> str:
    """Return the version of the installed package; a source tree that is not installed has none."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("flexmb")
    except PackageNotFoundError:
        return "not installed"


sys.modules[__name__].__class__ = _Package
