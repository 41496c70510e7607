"""Labels of runs on a page with a comparison."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from flexmb.postproc.open_folder import Opened

PROBLEM = ("bodies", "joints", "loads", "contacts", "gravity", "initial")
"""Tables of a case that define the model; the others define the method and the duration."""


def labels_of(opened: Sequence[Opened], names: Sequence[str]) -> list[str]:
    """Return short labels that distinguish runs.

    Where the problem is the same these are scheme, parameters and step, as far as they differ, all of them: a reader
    must not take the effect of one for that of another. Else, or where that is not enough, the folder. A single run is
    called by its scheme.
    """
    if len(opened) == 1:
        return [opened[0].scheme.partition(" (")[0] or names[0]]
    labels = [", ".join(filter(None, words)) for words in zip(_schemes(opened), _steps(opened), strict=True)]
    alike = all(_problem(one) == _problem(opened[0]) for one in opened)
    return labels if alike and len(set(labels)) == len(labels) and all(labels) else list(names)


def _schemes(opened: Sequence[Opened]) -> list[str]:
    """Return the schemes with the parameters that differ between runs of one scheme; none if all are equal."""
    if len({one.scheme for one in opened}) == 1:
        return [""] * len(opened)
    split = [one.scheme.removesuffix(")").partition(" (") for one in opened]
    parameters = [words.split(", ") if words else [] for _, _, words in split]
    out = []
    for (name, _, _), own in zip(split, parameters, strict=True):
        others = [words for (other, _, _), words in zip(split, parameters, strict=True) if other == name]
        told = [word for word in own if not all(word in words for words in others)]
        out.append(f"{name} ({', '.join(told)})" if told else name)
    return out


def _steps(opened: Sequence[Opened]) -> list[str]:
    """Return the steps, or the tolerances that control them; none if all are equal or one is unknown."""
    tolerances = [one.result.summary.get("tolerance") for one in opened]
    if not all(math.isfinite(one.h) for one in opened):
        return [""] * len(opened)
    words = [f"tolerance = {t:.4g}" if t else f"h = {one.h:.4g} s" for t, one in zip(tolerances, opened, strict=True)]
    return words if len(set(words)) > 1 else [""] * len(opened)


def _problem(opened: Opened) -> dict[str, Any]:
    return {"title": opened.title} | {name: opened.case.get(name) for name in PROBLEM}
