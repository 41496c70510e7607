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

if TYPE_CHECKING:  # what type checkers and editors see; an alias exports the name
    from flexmb.analysis.modes import Modes as Modes
    from flexmb.analysis.modes import modes as modes
    from flexmb.analysis.rotors.campbell import Campbell as Campbell
    from flexmb.analysis.rotors.campbell import campbell as campbell
    from flexmb.analysis.rotors.critical import critical_speeds as critical_speeds
    from flexmb.analysis.rotors.stability import instability as instability
    from flexmb.analysis.rotors.static import StaticState as StaticState
    from flexmb.analysis.rotors.static import static_deflection as static_deflection
    from flexmb.analysis.rotors.unbalance import UnbalanceResponse as UnbalanceResponse
    from flexmb.analysis.rotors.unbalance import unbalance_peaks as unbalance_peaks
    from flexmb.analysis.rotors.unbalance import unbalance_response as unbalance_response
    from flexmb.analysis.rotors.whirl_modes import RotorModes as RotorModes
    from flexmb.analysis.rotors.whirl_modes import rotor_modes as rotor_modes
    from flexmb.analysis.static_state import Statics as Statics
    from flexmb.analysis.static_state import static_state as static_state
    from flexmb.case import Case as Case
    from flexmb.case import load_case as load_case
    from flexmb.drive.simulate import simulate as simulate
    from flexmb.errors import FlexmbError as FlexmbError
    from flexmb.errors import InputError as InputError
    from flexmb.errors import NotConverged as NotConverged
    from flexmb.errors import RunWarning as RunWarning
    from flexmb.errors import SimulationError as SimulationError
    from flexmb.fem.material import Material as Material
    from flexmb.fem.section import Section as Section
    from flexmb.fit.fit import Fit as Fit
    from flexmb.fit.fit import FitResult as FitResult
    from flexmb.fit.fit import load_fit as load_fit
    from flexmb.nonsmooth.problem import ContactProblem as ContactProblem
    from flexmb.nonsmooth.solvers import ContactSolver as ContactSolver
    from flexmb.parts.bodies import Bar as Bar
    from flexmb.parts.bodies import Beam as Beam
    from flexmb.parts.bodies import Damping as Damping
    from flexmb.parts.bodies import Particle as Particle
    from flexmb.parts.bodies import Rigid as Rigid
    from flexmb.parts.bodies import RigidPlanar as RigidPlanar
    from flexmb.parts.bodies import Support as Support
    from flexmb.parts.bodies.exact_beam import ExactBeam as ExactBeam
    from flexmb.parts.bodies.floating_beam import FloatingBeam as FloatingBeam
    from flexmb.parts.bodies.floating_data import FloatingData as FloatingData
    from flexmb.parts.bodies.matrices import Matrices as Matrices
    from flexmb.parts.bodies.rotor import Rotor as Rotor
    from flexmb.parts.bodies.rotor_bearings import RotorBearing as RotorBearing
    from flexmb.parts.bodies.rotor_couplings import Coupling as Coupling
    from flexmb.parts.bodies.rotor_disks import Disk as Disk
    from flexmb.parts.bodies.rotor_disks import Unbalance as Unbalance
    from flexmb.parts.bodies.rotor_shape import ShaftSection as ShaftSection
    from flexmb.parts.called_function import Called as Called
    from flexmb.parts.contacts import Clearance as Clearance
    from flexmb.parts.contacts import NodeCurve as NodeCurve
    from flexmb.parts.contacts import NodeNode as NodeNode
    from flexmb.parts.contacts import NodePlane as NodePlane
    from flexmb.parts.contacts import Rope as Rope
    from flexmb.parts.contacts import Spheres as Spheres
    from flexmb.parts.contacts import SphereSphere as SphereSphere
    from flexmb.parts.joints import Cylindrical as Cylindrical
    from flexmb.parts.joints import Distance as Distance
    from flexmb.parts.joints import Fixed as Fixed
    from flexmb.parts.joints import Gear as Gear
    from flexmb.parts.joints import Planar as Planar
    from flexmb.parts.joints import PointOnLine as PointOnLine
    from flexmb.parts.joints import Prismatic as Prismatic
    from flexmb.parts.joints import Revolute as Revolute
    from flexmb.parts.joints import Spherical as Spherical
    from flexmb.parts.joints import Universal as Universal
    from flexmb.parts.loads import Bearing as Bearing
    from flexmb.parts.loads import Constant as Constant
    from flexmb.parts.loads import Damper as Damper
    from flexmb.parts.loads import Gravity as Gravity
    from flexmb.parts.loads import Harmonic as Harmonic
    from flexmb.parts.loads import NodalForce as NodalForce
    from flexmb.parts.loads import Polynomial as Polynomial
    from flexmb.parts.loads import Ramp as Ramp
    from flexmb.parts.loads import SpinUp as SpinUp
    from flexmb.parts.loads import Spring as Spring
    from flexmb.parts.loads import SpringDamper as SpringDamper
    from flexmb.parts.loads import Table as Table
    from flexmb.parts.loads import TorsionSpring as TorsionSpring
    from flexmb.parts.loads import time_function as time_function
    from flexmb.record.result import Result as Result
    from flexmb.record.result import load as load
    from flexmb.schemes import *  # noqa: F403  what this package exports, it finds by its files
    from flexmb.study.study import Study as Study
    from flexmb.study.study import load_study as load_study
    from flexmb.system.model import Model as Model
    from flexmb.system.multibody_system import MultibodySystem as MultibodySystem
    from flexmb.system.rotating import RotatingSystem as RotatingSystem
    from flexmb.system.rotating import rotating_system as rotating_system

    __version__: str


_HOME = {
    "flexmb.parts.bodies": "Bar Beam Damping Particle Rigid RigidPlanar Support",
    "flexmb.parts.bodies.exact_beam": "ExactBeam",
    "flexmb.parts.bodies.floating_beam": "FloatingBeam",
    "flexmb.parts.bodies.floating_data": "FloatingData",
    "flexmb.parts.bodies.matrices": "Matrices",
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
    "flexmb.schemes": "SCHEMES",
    "flexmb.drive.simulate": "simulate",
    "flexmb.study.study": "Study load_study",
    "flexmb.fit.fit": "Fit FitResult load_fit",
}
"""Modules that define the public names, but for the classes of schemes, which are found by their files."""
_MODULE_OF = {name: module for module, names in _HOME.items() for name in names.split()}


def __getattr__(name: str) -> Any:
    """Import a public name from its module on first use."""
    if name == "__version__":
        return _version()
    if name == "__all__":
        return __dir__()
    value = _scheme(name) if name not in _MODULE_OF else getattr(importlib.import_module(_MODULE_OF[name]), name)
    if value is None:
        raise AttributeError(f"module 'flexmb' has no attribute '{name}'")
    globals()[name] = value
    return value


def _scheme(name: str) -> type | None:
    """Return the scheme class of this name, be it of flexmb or of a plug-in."""
    if not name[:1].isupper():
        return None
    schemes = importlib.import_module("flexmb.schemes").SCHEMES
    return next((cls for cls in schemes.values() if cls.__name__ == name), None)


def __dir__() -> list[str]:
    return sorted({*_MODULE_OF, *importlib.import_module("flexmb.schemes").__all__})


def _version() -> str:
    """Return the version of the installed package; "not installed" for a source tree without installation."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("flexmb")
    except PackageNotFoundError:
        return "not installed"
