"""Short names that distinguish folders."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path


def folder_labels(folders: Sequence[Path]) -> list[str]:
    """Return the names of folders, each with as many parent folders as are needed to make it unique.

    A folder that is given more than once is numbered.

    Parameters
    ----------
    folders : sequence of Path
        As the user named them; ``.`` is the folder one is in.
    """
    places = [folder.resolve().parts for folder in folders]
    labels = [Path(*_ending(place, set(places) - {place})).as_posix() for place in places]
    times, seen = Counter(labels), Counter[str]()
    for k, label in enumerate(labels):
        seen[label] += 1
        labels[k] = f"{label} ({seen[label]})" if times[label] > 1 else label
    return labels


def _ending(place: tuple[str, ...], others: set[tuple[str, ...]]) -> tuple[str, ...]:
    """Return the shortest ending of a path that no other path shares."""
    for count in range(1, len(place)):
        if all(other[-count:] != place[-count:] for other in others):
            return place[-count:]
    return place
