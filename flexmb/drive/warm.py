"""Compilation in advance, so that the first run starts as fast as later ones."""

from __future__ import annotations

import numpy as np

from flexmb.drive.choose_engine import choose_engine
from flexmb.drive.engine import Plan
from flexmb.kernels.compilation.stages import Stage
from flexmb.kernels.cones.cone_hard import HARD_CONES
from flexmb.kernels.cones.cone_stage import CONES
from flexmb.kernels.lcp.lcp_others import OTHERS
from flexmb.kernels.multibody.features import beams_stage, floating_stage, rotors_stage
from flexmb.kernels.multibody.joint_stages import bend_stage, inside_stage, redundant_stage
from flexmb.kernels.multibody_steps.multibody_corner import corner_stage
from flexmb.kernels.multibody_steps.multibody_samples import between_stage
from flexmb.kernels.smooth.smooth_march import march_stage
from flexmb.schemes import SCHEMES
from flexmb.system.multibody_system import MultibodySystem

RARE: tuple[Stage, ...] = (
    floating_stage,
    beams_stage,
    rotors_stage,
    corner_stage,
    between_stage,
    bend_stage,
    inside_stage,
    redundant_stage,
    march_stage,
)
"""Stages of large motion that only some runs need."""


def warm_plan(plan: Plan) -> None:
    """Compile the code of a run by taking its first step, including stages that may be needed later."""
    motor = choose_engine(plan)
    motor.start()
    motor.advance(1)
    if isinstance(plan.system, MultibodySystem):
        if np.size(getattr(motor, "corners", ())):
            corner_stage.compile()
        if plan.tolerance:
            between_stage.compile()


def warm_rare() -> None:
    """Compile code of few runs: other contact methods, all kinds of bodies and schemes of large motion."""
    own = dict.fromkeys(stage for scheme in SCHEMES.values() for stage in scheme.large_motion_stages()[:3])
    for stage in (OTHERS, CONES, HARD_CONES, *RARE, *own):
        stage.compile()
