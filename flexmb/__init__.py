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
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from flexmb.analysis.modes import Modes, modes
    from flexmb.analysis.rotors.campbell import Campbell, campbell
    from flexmb.analysis.rotors.critical import critical_speeds
    from flexmb.analysis.rotors.stability import instability
    from flexmb.analysis.rotors.static import StaticState, static_deflection
    from flexmb.analysis.rotors.unbalance import UnbalanceResponse, unbalance_peaks, unbalance_response
    from flexmb.analysis.rotors.whirl_modes import RotorModes, rotor_modes
    from flexmb.analysis.static_state import Statics, static_state
    from flexmb.case import Case, load_case
    from flexmb.drive.simulate import simulate
    from flexmb.errors import FlexmbError, InputError, NotConverged, RunWarning, SimulationError
    from flexmb.fem.material import Material
    from flexmb.fem.section import Section
    from flexmb.fit.fit import Fit, FitResult, load_fit
    from flexmb.nonsmooth.problem import ContactProblem
    from flexmb.nonsmooth.solvers import ContactSolver
    from flexmb.parts.bodies import Bar, Beam, Damping, Particle, Rigid, RigidPlanar, Support
    from flexmb.parts.bodies.exact_beam import ExactBeam
    from flexmb.parts.bodies.floating_beam import FloatingBeam
    from flexmb.parts.bodies.floating_data import FloatingData
    from flexmb.parts.bodies.rotor import Rotor
    from flexmb.parts.bodies.rotor_bearings import RotorBearing
    from flexmb.parts.bodies.rotor_couplings import Coupling
    from flexmb.parts.bodies.rotor_disks import Disk, Unbalance
    from flexmb.parts.bodies.rotor_shape import ShaftSection
    from flexmb.parts.called_function import Called
    from flexmb.parts.contacts import Clearance, NodeCurve, NodeNode, NodePlane, Rope, Spheres, SphereSphere
    from flexmb.parts.joints import (
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
    from flexmb.parts.loads import (
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
    from flexmb.record.result import Result, load
    from flexmb.schemes import (
        HHT,
        SCHEMES,
        Dopri5,
        EulerLinearized,
        GeneralizedAlpha,
        Hem5,
        Hybrid,
        LobattoIIIA2,
        LobattoIIIA4,
        LobattoIIIA6,
        LobattoIIIC4,
        MoreauJean,
        MoreauJeanDissipative,
        NaiveHHT,
        Newmark,
        Phem56,
        Potra,
        RadauIIA3,
        RadauIIA5,
        Rkf45,
        SchatzmanPaoli,
        StormerVerlet,
    )
    from flexmb.study.study import Study, load_study
    from flexmb.system.model import Model
    from flexmb.system.multibody_system import MultibodySystem
    from flexmb.system.rotating import RotatingSystem, rotating_system

    __version__: str

_HOME = {
    "flexmb.parts.bodies": "Bar Beam Damping Particle Rigid RigidPlanar Support",
    "flexmb.parts.bodies.exact_beam": "ExactBeam",
    "flexmb.parts.bodies.floating_beam": "FloatingBeam",
    "flexmb.parts.bodies.floating_data": "FloatingData",
    "flexmb.parts.bodies.rotor": "Rotor",
    "flexmb.parts.bodies.rotor_bearings": "RotorBearing",
    "flexmb.parts.bodies.rotor_couplings": "Coupling",
    "flexmb.parts.bodies.rotor_disks": "Disk Unbalance",
    "flexmb.parts.bodies.rotor_shape": "ShaftSection",
    "flexmb.case": "Case load_case",
    "flexmb.parts.contacts": "Clearance NodeCurve NodeNode NodePlane Rope SphereSphere Spheres",
    "flexmb.errors": "FlexmbError InputError NotConverged RunWarning SimulationError",
    "flexmb.fem.material": "Material",
    "flexmb.fem.section": "Section",
    "flexmb.parts.joints": "Cylindrical Distance Fixed Gear Planar PointOnLine Prismatic Revolute Spherical Universal",
    "flexmb.parts.called_function": "Called",
    "flexmb.parts.loads": "Bearing Constant Damper Gravity Harmonic NodalForce Polynomial Ramp SpinUp Spring "
    "SpringDamper Table TorsionSpring time_function",
    "flexmb.system.model": "Model",
    "flexmb.analysis.modes": "Modes modes",
    "flexmb.system.multibody_system": "MultibodySystem",
    "flexmb.nonsmooth.problem": "ContactProblem",
    "flexmb.nonsmooth.solvers": "ContactSolver",
    "flexmb.record.result": "Result load",
    "flexmb.system.rotating": "RotatingSystem rotating_system",
    "flexmb.analysis.rotors.campbell": "Campbell campbell",
    "flexmb.analysis.rotors.critical": "critical_speeds",
    "flexmb.analysis.rotors.whirl_modes": "RotorModes rotor_modes",
    "flexmb.analysis.rotors.stability": "instability",
    "flexmb.analysis.rotors.static": "StaticState static_deflection",
    "flexmb.analysis.static_state": "Statics static_state",
    "flexmb.analysis.rotors.unbalance": "UnbalanceResponse unbalance_peaks unbalance_response",
    "flexmb.schemes": "Dopri5 EulerLinearized HHT Hem5 SCHEMES GeneralizedAlpha MoreauJean MoreauJeanDissipative "
    "NaiveHHT Newmark Phem56 Potra Rkf45 SchatzmanPaoli StormerVerlet Hybrid LobattoIIIA2 LobattoIIIA4 LobattoIIIA6 "
    "LobattoIIIC4 RadauIIA3 RadauIIA5",
    "flexmb.drive.simulate": "simulate",
    "flexmb.study.study": "Study load_study",
    "flexmb.fit.fit": "Fit FitResult load_fit",
}
"""Modules that define the public names."""
_MODULE_OF = {name: module for module, names in _HOME.items() for name in names.split()}

# written out, so that type checkers see what is exported
__all__ = ["Bar", "Beam", "Bearing", "Called", "Campbell", "Case", "Clearance", "Constant", "ContactProblem"]
__all__ += ["ContactSolver", "Coupling"]
__all__ += ["Cylindrical", "Damper", "Damping", "Disk", "Distance", "Dopri5", "EulerLinearized", "ExactBeam"]
__all__ += ["Fit", "FitResult", "Fixed", "FlexmbError", "Hem5", "Hybrid", "Phem56", "Rkf45"]
__all__ += ["LobattoIIIA2", "LobattoIIIA4", "LobattoIIIA6", "LobattoIIIC4", "RadauIIA3", "RadauIIA5"]
__all__ += ["FloatingBeam", "FloatingData", "Gear", "GeneralizedAlpha", "Gravity", "HHT", "Harmonic", "InputError"]
__all__ += ["Material", "Model", "Modes", "MoreauJean", "MoreauJeanDissipative", "MultibodySystem", "NaiveHHT"]
__all__ += [
    "Newmark",
    "NodalForce",
    "NodeCurve",
    "NodeNode",
    "NodePlane",
    "NotConverged",
    "Particle",
    "Planar",
    "PointOnLine",
]
__all__ += ["Polynomial", "Potra", "Prismatic", "Ramp", "Result", "Revolute", "Rigid", "RigidPlanar", "RotatingSystem"]
__all__ += ["Rope", "Rotor", "RotorBearing", "RotorModes", "RunWarning", "SCHEMES", "SchatzmanPaoli", "Section"]
__all__ += ["ShaftSection", "SimulationError", "SphereSphere", "Spheres", "Spherical", "SpinUp", "Spring"]
__all__ += ["SpringDamper", "StaticState", "StormerVerlet"]
__all__ += [
    "StaticState",
    "StormerVerlet",
    "Study",
    "Support",
    "Table",
    "TorsionSpring",
    "Unbalance",
    "UnbalanceResponse",
]
__all__ += [
    "Universal",
    "campbell",
    "critical_speeds",
    "instability",
    "load",
    "load_case",
    "load_fit",
    "load_study",
    "modes",
]
__all__ += ["Statics", "rotating_system", "rotor_modes", "simulate", "static_deflection", "static_state"]
__all__ += ["time_function", "unbalance_peaks"]
__all__ += ["unbalance_response"]


def __getattr__(name: str) -> Any:
    """Import a public name from its module on first use."""
    if name == "__version__":
        return _version()
    value = _scheme(name) if name not in _MODULE_OF else getattr(importlib.import_module(_MODULE_OF[name]), name)
    if value is None:
        raise AttributeError(f"module 'flexmb' has no attribute '{name}'")
    globals()[name] = value
    return value


def _scheme(name: str) -> type | None:
    """Return the scheme class of this name: schemes are discovered from their files and need not be listed here."""
    if not name[:1].isupper():
        return None
    schemes = importlib.import_module("flexmb.schemes").SCHEMES
    return next((cls for cls in schemes.values() if cls.__name__ == name), None)


def __dir__() -> list[str]:
    return sorted(__all__)


def _version() -> str:
    """Return the version of the installed package; "not installed" for a source tree without installation."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("flexmb")
    except PackageNotFoundError:
        return "not installed"
