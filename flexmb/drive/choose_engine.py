"""Which engine runs: the compiled one when it applies. Engines that a run does not need are not loaded."""

from __future__ import annotations

import numpy as np

from flexmb.drive.adaptive import AdaptiveEngine
from flexmb.drive.compiled import CompiledEngine, compiled_carries, has_compiled_step
from flexmb.drive.drive_corners import corner_times
from flexmb.drive.engine import Engine, Plan
from flexmb.drive.events.integrators import check_events
from flexmb.drive.general import GeneralEngine
from flexmb.errors import InputError
from flexmb.kernels.geometry.tables import LOADED
from flexmb.nonsmooth.methods.registry import KERNELS
from flexmb.schemes.compiled_numbers import scheme_numbers
from flexmb.schemes.scheme import EVERYWHERE, LAW_WORDS, Scheme
from flexmb.system.multibody_system import MultibodySystem

NOT_CARRIED = "the compiled engine does not support"


def choose_engine(plan: Plan, engine: str = "auto") -> Engine:
    """Return the engine for a plan.

    Parameters
    ----------
    plan : Plan
    engine : str
        "auto" (compiled for schemes and laws of contact that have a compiled step), "compiled" or "general".
    """
    if engine not in ("auto", "compiled", "general"):
        raise InputError("must be auto, compiled or general", key="engine", value=engine)
    system = plan.system
    if plan.with_events:
        if engine == "compiled":
            raise InputError("events are located step by step; use auto or general", key="engine", value=engine)
        check_events(plan.scheme, system)
        from flexmb.drive.events.event_engine import EventEngine

        return EventEngine(plan)
    check_laws(plan, engine)
    if isinstance(system, MultibodySystem):
        if engine == "compiled" and not multibody_carries(plan):
            raise InputError(f"{NOT_CARRIED} {_laws(plan)}; use general", key="engine", value=engine)
        by_error = bool(plan.tolerance) and not plan.scheme.error_in_large_motion
        if engine == "compiled" and by_error:
            message = f"steps of '{plan.scheme.name}' by time.tolerance need the general engine"
            raise InputError(message, key="engine", value=engine)
        if engine == "compiled" or (engine == "auto" and _has_compiled_loop(plan) and not by_error):
            from flexmb.drive.multibody_engine import MultibodyEngine
            from flexmb.drive.spheres import SpheresEngine

            return SpheresEngine(plan) if system.spheres else MultibodyEngine(plan)
        if not plan.scheme.any_system:
            message = f"'{plan.scheme.name}' has the compiled engine only for systems in large motion"
            raise InputError(message, key="engine", value=engine)
        if system.spheres:
            raise InputError("contacts of kind 'spheres' need the compiled engine", key="engine", value=engine)
        _refuse_joint_friction(plan, system)
        if corner_times(system, plan.t0, plan.time(plan.steps), plan.h).size:
            raise InputError("drives with corners need the compiled engine", key="engine", value=engine)
        return AdaptiveEngine(plan) if plan.tolerance else GeneralEngine(plan)
    if plan.tolerance:
        if engine == "compiled":
            message = "steps of small motion by time.tolerance need the general engine"
            raise InputError(message, key="engine", value=engine)
        return AdaptiveEngine(plan)
    if engine == "general":
        return GeneralEngine(plan)
    if not compiled_carries(plan):
        if engine == "compiled":
            raise InputError(f"{NOT_CARRIED} {_laws(plan)}; use general", key="engine", value=engine)
        return GeneralEngine(plan)
    if not has_compiled_step(plan.scheme):
        if engine == "compiled":
            raise InputError(f"'{plan.scheme.name}' has no compiled step", key="engine", value=engine)
        return GeneralEngine(plan)
    return CompiledEngine(plan)


def check_laws(plan: Plan, engine: str = "auto") -> None:
    """Raise InputError, naming law and contact, when the scheme, or no engine for it, carries a law of a contact.

    Also when the engine that is chosen cannot call the solver.
    """
    system = plan.system
    plan.scheme.check_laws(system)
    if not isinstance(system, MultibodySystem):
        return
    if not _has_compiled_loop(plan):
        _refuse_spheres(system)
        _refuse_joint_friction(plan, system)
    elif engine != "general":
        refuse_solver(plan)


def multibody_carries(plan: Plan) -> bool:
    """Return whether the compiled loop of large motion supports the laws of all contacts."""
    blocks = plan.system.contacts.blocks
    return not (blocks.poisson.any() or blocks.cohesion.any())


def refuse_solver(plan: Plan) -> None:
    """Raise InputError for solvers of problems with friction that the compiled loop cannot call."""
    contacts, name = plan.system.contacts, plan.solver.name
    if contacts.blocks.normals_only:
        return
    several = [known for known in KERNELS if known != "exact"]
    words = ""
    if not plan.solver.compiled:
        words = f"compiled loops of large motion cannot call it for contacts with friction; use {', '.join(several)}"
    elif name == "exact":
        spheres = isinstance(plan.system, MultibodySystem) and plan.system.spheres
        if contacts.nc > 1 or spheres:
            words = f"solves one contact, the system has more; use {', '.join(several)}"
        elif scheme_numbers(plan.scheme).contact_ggl == 1:
            words = f"solves one contact at one level, ggl has two; use {', '.join(several)}, or ggl = false"
    if words:
        raise InputError(words, where="solver", key="name", value=name)


def _has_compiled_loop(plan: Plan) -> bool:
    """Tell whether scheme and laws have the compiled loop of large motion."""
    return multibody_carries(plan) and type(plan.scheme).large_motion_numbers is not Scheme.large_motion_numbers


def _refuse_spheres(system: MultibodySystem) -> None:
    """Raise InputError for laws that go step by step in Python where pairs of spheres are searched for."""
    for key, i in system.contacts.blocks.laws().items():
        if system.spheres and key in ("impact", "cohesion"):
            message = (
                f"{LAW_WORDS.get(key, key)} is not available for contacts of the kind spheres; list the pairs as "
                "contacts of the kind sphere-sphere, which support it with moreau-jean"
            )
            raise InputError(message, where=f"contacts.{system.contacts.labels[i]}", key=key)


def _refuse_joint_friction(plan: Plan, system: MultibodySystem) -> None:
    """Raise InputError for friction in joints: the steps of Python do not know what joints hold."""
    loaded = np.flatnonzero(system.tables.rows.kind == LOADED) - system.tables.joints
    if loaded.size:
        name = system.contacts.labels[int(loaded[0])].removesuffix("_friction")
        message = (
            f"'{plan.scheme.name}' runs step by step in Python here, which does not support friction in joints; use "
            f"one of {EVERYWHERE}, with contacts that have Newton's impacts and no cohesion"
        )
        raise InputError(message, where=f"joints.{name}", key="friction")


def _laws(plan: Plan) -> str:
    """Return the laws of contact beyond normals with Newton's impacts, in words."""
    return " and ".join(plan.system.contacts.blocks.laws())
