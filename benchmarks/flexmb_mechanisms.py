"""flexmb on the mechanisms: the compiled loop as ``flexmb.simulate`` runs it, ledger included, without samples."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from mechanisms import (
    BARS,
    BEAM,
    BEAM_LENGTH,
    BEAM_SPIN,
    GRAVITY,
    LINK_INERTIA,
    LINK_LENGTH,
    LINK_MASS,
    RHO_INF,
    TORQUE,
    Mechanism,
    joint_axis,
)

import flexmb.drive.multibody_engine as engine_module
from flexmb.drive import Plan
from flexmb.kernels.multibody.multibody import ITERATIONS, STEPS
from flexmb.nonsmooth.solvers import ContactSolver
from flexmb.parts.bodies.exact_beam import ExactBeam
from flexmb.parts.bodies.rigid import Rigid
from flexmb.parts.bodies.rigid_planar import RigidPlanar
from flexmb.parts.joints import Revolute, Spherical
from flexmb.parts.loads import NodalForce
from flexmb.schemes import GeneralizedAlpha, Newmark
from flexmb.schemes.compiled_numbers import scheme_numbers
from flexmb.schemes.scheme import Scheme
from flexmb.system.model import Model
from flexmb.system.multibody_system import MultibodySystem

SCHEMES: dict[str, Scheme] = {
    "index 3": GeneralizedAlpha(rho_inf=RHO_INF, ggl=False, constraints="index3"),
    "index 2": Newmark(ggl=False, constraints="index2"),
    "GGL": GeneralizedAlpha(rho_inf=RHO_INF, ggl=True, constraints="ggl"),
}
"""By how joints are held. exudyn takes index 2 with Newmark's coefficients only, so both do."""

OWN_TOLERANCE = 1e-12
"""What Newton's corrections are taken to in every run of flexmb, over the velocities."""


def assemble(mechanism: Mechanism) -> MultibodySystem:
    """Return the mechanism as a system of flexmb."""
    makers = {"chain": _chain, "four-bar": _four_bar, "beam": _beam, "planar beam": _beam}
    system = makers[mechanism.kind](mechanism).assemble(signals=[])
    assert isinstance(system, MultibodySystem)
    return system


def _chain(mechanism: Mechanism) -> Model:
    model, length = Model(gravity=GRAVITY), LINK_LENGTH
    for i in range(mechanism.size):
        model.add(
            Rigid(
                f"link{i}",
                mass=LINK_MASS,
                inertia=LINK_INERTIA,
                center=(length / 2, 0.0, 0.0),
                position=(i * length, 0.0, 0.0),
                points={"end": (length, 0.0, 0.0)},
            )
        )
        before = f"link{i - 1}.end" if i else "ground"
        point = (i * length, 0.0, 0.0)
        model.add(Revolute(f"joint{i}", a=before, b=f"link{i}", point=point, axis=joint_axis(i)))
    return model


def _four_bar(mechanism: Mechanism) -> Model:
    model = Model(gravity=GRAVITY)
    for bar in BARS:
        model.add(
            RigidPlanar(
                bar.name,
                mass=1.0,
                inertia=bar.inertia,
                center=(bar.length / 2, 0.0),
                position=bar.first,
                angle=bar.angle,
                points={"tip": (bar.length, 0.0)},
            )
        )
    ends = [("ground", "crank"), ("crank.tip", "coupler"), ("coupler.tip", "rocker.tip"), ("ground", "rocker")]
    for k, (a, b) in enumerate(ends):
        at = {"point": (*BARS[0 if b == "crank" else 2].first, 0.0)} if a == "ground" else {}
        model.add(Revolute(f"pin{k}", a=a, b=b, axis=(0.0, 0.0, 1.0), **at))
    model.add(NodalForce("motor", node="crank", moment=(0.0, 0.0, TORQUE)))
    return model


def _beam(mechanism: Mechanism) -> Model:
    model, in_space = Model(gravity=GRAVITY), mechanism.kind == "beam"
    model.add(
        ExactBeam(
            "beam",
            length=BEAM_LENGTH,
            elements=mechanism.size,
            stiffness={"EA": BEAM.EA, "GA": BEAM.GA, "GJ": BEAM.GJ, "EI": BEAM.EI},
            inertia={"mass_per_length": BEAM.mass_per_length, "rotary": BEAM.rotary},
            angular_velocity=(0.0, BEAM_SPIN if in_space else 0.0, 0.0),
            mass="lumped",  # as exudyn's
        )
    )
    ends = {"a": "ground", "b": "beam.first", "point": (0.0, 0.0, 0.0)}
    model.add(Spherical("hinge", **ends) if in_space else Revolute("hinge", axis=(0.0, 0.0, 1.0), **ends))
    return model


@contextmanager
def newton_tolerance(value: float) -> Iterator[None]:
    """Let engines that are made meanwhile take Newton's corrections to ``value``; users have no such choice."""

    def numbers(scheme: object, **options: Any) -> Any:
        return scheme_numbers(scheme, **options, tolerance=value)

    engine_module.scheme_numbers = numbers
    try:
        yield
    finally:
        engine_module.scheme_numbers = scheme_numbers


class FlexmbMechanism:
    """One scheme and tolerance on a mechanism; each measurement starts from the beginning."""

    def __init__(
        self, mechanism: Mechanism, level: str, tolerance: float, system: MultibodySystem | None = None
    ) -> None:
        self.mechanism, self.level, self.tolerance = mechanism, level, tolerance
        self.name = f"flexmb, {level}, to {tolerance:g}"
        system = assemble(mechanism) if system is None else system
        n = mechanism.steps
        with newton_tolerance(tolerance):
            plan = Plan(system, SCHEMES[level], ContactSolver(), mechanism.h, 0.0, n, n, n)
            self.engine = engine_module.MultibodyEngine(plan)
        self.engine.start()
        self.beginning = self.engine.snapshot()
        self.seconds_of_one()

    def seconds_of_one(self) -> float:
        """Return the processor seconds of a step."""
        self.engine.restore(self.beginning, 0)
        began = time.process_time()
        self.engine.advance(self.mechanism.steps)
        seconds = time.process_time() - began
        if self.engine.failure is not None:
            raise self.engine.failure
        numbers = self.engine.motion.numbers
        if numbers[STEPS] != self.mechanism.steps:
            raise RuntimeError(f"{self.name} cut steps of {self.mechanism.name}")
        return seconds / self.mechanism.steps

    @property
    def iterations(self) -> float:
        """Newton's iterations per step."""
        numbers = self.engine.motion.numbers
        return float(numbers[ITERATIONS] / numbers[STEPS])

    @property
    def position(self) -> np.ndarray:
        """Centre of the last body, or last node of the beam, at the end, (3,), m."""
        q = self.engine.motion.q[: self.engine.system.nq]
        if self.mechanism.kind == "four-bar":
            return np.array([q[-3], q[-2], 0.0])
        return np.array(q[-7:-4])
