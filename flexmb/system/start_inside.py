"""The message for a contact with initial penetration: its depth, and whether the initial displacement causes it."""

from __future__ import annotations


def inside_words(label: str, gap: float, at_rest: float, place: str = "") -> str:
    """Return the message for a contact with initial penetration.

    Parameters
    ----------
    label : str
    gap : float
        At the start, negative, m.
    at_rest : float
        Without the initial displacements, m.
    place : str
        Where, in words.
    """
    words = f"initial penetration: contact '{label}' starts {-gap:.6g} m inside{place}"
    if not at_rest >= 0.0:
        return words
    return (
        f"{words}; the initial displacement takes {at_rest - gap:.6g} m of the gap of {at_rest:.6g} m: the sag under "
        "gravity and other loads (initial.static, initial.steady), or coordinates of a body. Give the contact a gap "
        f"above {at_rest - gap:.6g} m, set it to the sagged position (offset of a clearance, point of a plane), or "
        "leave out initial.static"
    )
