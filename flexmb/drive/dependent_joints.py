"""Notes and messages on joints that become dependent: singular positions, inconsistent redundant joints."""

from __future__ import annotations

import numpy as np

from flexmb.kernels.multibody.machine import MachineWorkspace
from flexmb.kernels.multibody.multibody import LENGTH, PASSED_ROW, PASSED_STEPS, PASSED_TIME, WEAK, WEAK_MASS, WHOLE
from flexmb.kernels.multibody.redundancy import MISFIT, NEARLY_DEPENDENT, nearly_dependent
from flexmb.system.multibody_system import MultibodySystem


def passed_words(system: MultibodySystem, workspace: MachineWorkspace) -> tuple[str, ...]:
    """Return a note on the singular positions passed by a run; none if there were none."""
    numbers = workspace.machine.motion.numbers
    count, row = int(numbers[PASSED_STEPS]), int(numbers[PASSED_ROW])
    if not count:
        return ()
    did = (
        "positions were not projected"
        if workspace.machine.numbers.form == WHOLE
        else "joints were enforced at velocity level, or the dependent row was omitted"
    )
    steps = "1 step" if count == 1 else f"{count} steps"
    return (
        f"singular position at t = {numbers[PASSED_TIME]:.6g} s: joint '{system.joints.labels[row]}' depends on others "
        f"there; in {steps} of the run {did}, and the steps after them restored the positions of the joints; check "
        f"whether a smaller time.step changes the motion",
    )


def near_words(system: MultibodySystem, workspace: MachineWorkspace) -> str:
    """Return the part of an error message that names dependent joints and a remedy; empty if there are none."""
    machine, joints = workspace.machine, system.joints
    null, g = machine.motion.null, machine.point.rows.g[: system.nj]
    size = system.row_scale(float(machine.trial.scale[LENGTH]), 1.0)[: system.nj]
    for n in null:
        off = abs(float(n[:-1] @ g))
        if off > MISFIT * float(np.linalg.norm(n[:-1] * size)):
            names = list(dict.fromkeys(joints.name_of(int(r)) for r in np.flatnonzero(np.abs(n[:-1]) > 1e-6)))
            return f"; the redundant joints {', '.join(names)} are inconsistent by {off:.3g}"
    weak = machine.trial.big
    rows = [int(nearly_dependent(workspace.at, weak[k], NEARLY_DEPENDENT)) for k in (WEAK, WEAK_MASS)]
    row = rows[-1]  # by the masses alone, without stiff forces
    if min(rows) < 0:
        return ""
    return (
        f"; joint '{joints.labels[row]}' nearly depends on others here: at a singular position "
        'constraints = "index2" or another time.step may pass it'
    )
