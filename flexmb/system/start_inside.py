"""The error of a contact with initial penetration: its depth, and whether the initial displacement causes it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from flexmb.errors import InputError


class StartsInside(InputError):
    """A contact has an initial penetration; ``label`` is that of its row."""

    label = ""


def starts_inside(label: str, gap: float, at_rest: float, contact: str, place: str = "", more: str = "") -> InputError:
    """Return the error of a contact with initial penetration.

    Parameters
    ----------
    label : str
    gap : float
        At the start, negative, m.
    at_rest : float
        Without the initial displacements, m.
    contact : str
        Name of the contact.
    place : str
        Where, in words.
    more : str
        Advice.
    """
    words, where = f"initial penetration: contact '{label}' starts {-gap:.6g} m inside{place}", f"contacts.{contact}"
    if not at_rest >= 0.0:
        if more:
            return InputError(words + more, where=where)
        found = StartsInside(words, where=where)
        found.label = label
        return found
    message = (
        f"{words}; the initial displacement takes {at_rest - gap:.6g} m of the gap of {at_rest:.6g} m: the sag under "
        "gravity and other loads (initial.static, initial.steady), or coordinates of a body. Give the contact a gap "
        f"above {at_rest - gap:.6g} m, set it to the sagged position (offset of a clearance, point of a plane), or "
        "leave out initial.static"
    )
    return InputError(message + more, where=where)


@contextmanager
def normals_explained(contacts: Mapping[str, Any]) -> Iterator[None]:
    """Say in errors about initial penetration what the normal of the contact means, with the user's name of the point.

    Parameters
    ----------
    contacts : mapping of str to contact
        The contacts of the model.
    """
    try:
        yield
    except StartsInside as err:
        name = err.where.removeprefix("contacts.")
        part = contacts[name]
        normal, node = getattr(part, "normal", None), getattr(part, "node", None)
        if normal is None:
            raise
        given, other = ("[" + ", ".join(f"{sign * n + 0.0:g}" for n in normal) + "]" for sign in (1.0, -1.0))
        point = node if node is not None else err.label.removeprefix(f"{name}[").removesuffix("]")
        words = f"the normal must point to the side on which {point} may move ({other} instead of {given}?)"
        message = f"{err.message}; {words}, or the point, radius or position is wrong"
        raise InputError(message, where=err.where) from None
