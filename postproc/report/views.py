"""Motions side by side: a common camera, scale of arrows and range of colours, if they are compatible."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from flexmb.errors import InputError
from flexmb.postproc.report.motion import MOST_BYTES, Motion, motion_of
from flexmb.postproc.report.numbers import Numbers
from flexmb.postproc.report.runs import Run
from flexmb.postproc.scene import Scene
from flexmb.postproc.stage import Stage

MOST_VIEWS = 4
UNLIKE = 4.0
"""Ratio of the common bounding box to that of one run above which each run has its own camera."""


@dataclass(frozen=True)
class Views:
    """The content of the views of a page.

    Parameters
    ----------
    specs : list of dict
        The data of each view for ``viewer.js``.
    notes : list of str
        What the reader must know.
    missing : list of (label, words)
        Runs whose motion cannot be drawn, and why.
    """

    specs: list[dict[str, Any]]
    notes: list[str]
    missing: list[tuple[str, str]]


def views_of(runs: Sequence[Run], numbers: Numbers) -> Views:
    """Return the views of the first runs that have states to draw."""
    notes: list[str] = []
    drawable = [run for run in runs if run.drawable]
    shown, missing = _motions(drawable[:MOST_VIEWS])
    if not shown:
        return Views([], [], missing)
    scenes = [motion.scene for motion in shown.values()]
    together = _alike(scenes)
    stages = [Stage(scenes)] * len(scenes) if together else [Stage([scene]) for scene in scenes]
    common = [name for name in scenes[0].available if all(name in scene.available for scene in scenes)]
    words = _meaning(stages[:1] if together else stages, list(shown))
    specs = []
    for (label, motion), stage in zip(shown.items(), stages, strict=True):
        limits = {name: _limits(stage, name) for name in common}
        specs.append(motion.spec(numbers, label, stage.camera, limits))
        own = [*motion.notes, *motion.scene.plane_notes, *motion.drawn.notes]
        notes += own if len(shown) == 1 else [f"{label}: {note}" for note in own]
    if len(drawable) > MOST_VIEWS:
        notes.append(f"the first {MOST_VIEWS} runs are shown")
    return Views(specs, [words, *notes], missing)


def _motions(runs: Sequence[Run]) -> tuple[dict[str, Motion], list[tuple[str, str]]]:
    """Return the motions that can be drawn, by the labels of their runs, and the reasons for the others."""
    out, missing = {}, []
    for run in runs:
        try:
            out[run.label] = motion_of(run.opened, MOST_BYTES // len(runs))
        except InputError as err:
            missing.append((run.label, f"the motion is not drawn: {err}"))
    return out, missing


def _alike(scenes: Sequence[Scene]) -> bool:
    """Return whether scenes can share a camera: the same upward direction and similar sizes."""
    size = float(np.linalg.norm(np.ptp(np.concatenate([scene.swept for scene in scenes]), axis=0)))
    return all(size <= UNLIKE * scene.thickness.size and scene.up @ scenes[0].up > 0.99 for scene in scenes)


def _limits(stage: Stage, name: str) -> tuple[float, float]:
    """Return the values at the ends of the colours of a field, the same for all views of a stage."""
    for scene in stage.scenes:
        scene.recolour(name)
    return stage.limits


def _meaning(stages: Sequence[Stage], labels: Sequence[str]) -> str:
    """Return the meaning of grey lines and arrows; for views with nothing in common that of each."""
    arrows = [stage.scenes[0].arrows.words for stage in stages]
    if len(stages) == 1:
        return "; ".join(["Gray: the start", *filter(None, arrows)]) + "."
    each = [f"{words} ({label})" for label, words in zip(labels, arrows, strict=True) if words]
    alone = "The runs have little in common: each view has its own scale, arrows and colors."
    return " ".join([alone, "; ".join(["Gray: the start", *each]) + "."])
