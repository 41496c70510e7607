"""Which engine runs: the compiled one when it applies."""

from __future__ import annotations

import numpy as np

from flexmb.drive.adaptive import AdaptiveEngine
from flexmb.drive.compiled import CompiledEngine, compiled_carries, has_compiled_step
from flexmb.drive.drive_corners import corner_times
from flexmb.drive.engine import Engine, Plan
from flexmb.drive.events.event_engine import EventEngine
from flexmb.drive.events.integrators import check_events
from flexmb.drive.general import GeneralEngine
from flexmb.drive.multibody_engine import MultibodyEngine, multibody_carries, refuse_solver
from flexmb.drive.spheres import SpheresEngine
from flexmb.errors import InputError
from flexmb.kernels.tables import LOADED
from flexmb.schemes.scheme import EVERYWHERE, LAW_WORDS, Scheme
from flexmb.system.multibody_system import MultibodySystem

NOT_CARRIED = "the compiled engine does not carry"


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
        check_events(plan.scheme, system, plan.tolerance)
        return EventEngine(plan)
    check_laws(plan, engine)
    if isinstance(system, MultibodySystem):
        if engine == "compiled" and not multibody_carries(plan):
            raise InputError(f"{NOT_CARRIED} {_laws(plan)}; use general", key="engine", value=engine)
        if engine == "compiled" or (engine == "auto" and _has_compiled_loop(plan)):
            return SpheresEngine(plan) if system.spheres else MultibodyEngine(plan)
        if not plan.scheme.any_system:
            message = f"'{plan.scheme.name}' has the compiled engine only for systems in large motion"
            raise InputError(message, key="engine", value=engine)
        if system.spheres:
            raise InputError("contacts of kind 'spheres' need the compiled engine", key="engine", value=engine)
        _refuse_joint_friction(plan, system)
        if corner_times(system, plan.t0, plan.time(plan.steps), plan.h).size:
            raise InputError("drives with corners need the compiled engine", key="engine", value=engine)
        return GeneralEngine(plan)
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


def _has_compiled_loop(plan: Plan) -> bool:
    """Tell whether scheme and laws have the compiled loop of large motion."""
    return multibody_carries(plan) and type(plan.scheme).large_motion_numbers is not Scheme.large_motion_numbers


def _refuse_spheres(system: MultibodySystem) -> None:
    """Raise InputError for laws that go step by step in Python where pairs of spheres are searched for."""
    for key, i in system.contacts.blocks.laws().items():
        if system.spheres and key in ("impact", "cohesion"):
            message = (
                f"{LAW_WORDS.get(key, key)} does not go with contacts of the kind spheres; list the pairs as contacts "
                "of the kind sphere-sphere, which carry it with moreau-jean"
            )
            raise InputError(message, where=f"contacts.{system.contacts.labels[i]}", key=key)


def _refuse_joint_friction(plan: Plan, system: MultibodySystem) -> None:
    """Raise InputError for friction in joints: the steps of Python do not know what joints hold."""
    loaded = np.flatnonzero(system.tables.rows.kind == LOADED) - system.tables.joints
    if loaded.size:
        name = system.contacts.labels[int(loaded[0])].removesuffix("_friction")
        message = (
            f"'{plan.scheme.name}' runs step by step in Python here, which carries no friction in joints; use one of "
            f"{EVERYWHERE}, with contacts that have Newton's impacts and no cohesion"
        )
        raise InputError(message, where=f"joints.{name}", key="friction")


def _laws(plan: Plan) -> str:
    """Return the laws of contact beyond normals with Newton's impacts, in words."""
    return " and ".join(plan.system.contacts.blocks.laws())
