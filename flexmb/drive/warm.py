"""Compile ahead what runs need, so that their first start takes no longer than the next."""

from __future__ import annotations

import numpy as np

from flexmb.drive.choose_engine import choose_engine
from flexmb.drive.engine import Plan
from flexmb.kernels.features import beams_stage, floating_stage, rotors_stage
from flexmb.kernels.lcp_others import OTHERS
from flexmb.kernels.multibody_corner import corner_stage
from flexmb.kernels.multibody_samples import between_stage
from flexmb.kernels.multibody_schatzman import account_ahead_stage
from flexmb.kernels.stages import Stage
from flexmb.system.multibody_system import MultibodySystem

RARE: tuple[Stage, ...] = (floating_stage, beams_stage, rotors_stage, corner_stage, between_stage, account_ahead_stage)
"""Stages of large motion that only some runs need."""


def warm_plan(plan: Plan) -> None:
    """Compile what a run needs, by taking its first step; stages that may come later are compiled, too."""
    motor = choose_engine(plan)
    motor.start()
    motor.advance(1)
    if isinstance(plan.system, MultibodySystem):
        if np.size(getattr(motor, "corners", ())):
            corner_stage.compile()
        if plan.tolerance:
            between_stage.compile()


def warm_rare() -> None:
    """Compile what few runs need: the other contact methods, and all kinds of bodies of large motion."""
    for stage in (OTHERS, *RARE):
        stage.compile()
