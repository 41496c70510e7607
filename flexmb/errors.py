"""Exceptions that carry their data (key, value, time, residual), not only a message.

``InputError`` is invalid user input (exit code 2); ``SimulationError`` is raised during time integration
(exit code 3) and names the time, the contact and the residual, so that the failed step can be identified.
"""

from __future__ import annotations

from typing import Any

LONGEST = 80
"""Number of characters up to which a value is shown in full."""


def readable(item: object) -> str:
    """Return the ``repr`` of a value; a long one is shortened to its beginning and end."""
    if type(item).__module__ == "numpy" and getattr(item, "ndim", 1) == 0:  # np.float64(0.5) reads 0.5
        item = item.item()  # type: ignore[attr-defined]
    try:
        text = repr(item)
    except (ValueError, RecursionError):  # an integer of thousands of digits, or a list of lists of lists
        bits = f" of {item.bit_length()} bits" if isinstance(item, int) else ""
        return f"<{type(item).__name__}{bits}>"
    return shortened(text)


def shortened(text: str) -> str:
    """Return a text; a long one is shortened to its beginning and end."""
    return text if len(text) <= LONGEST else f"{text[:38]} ... {text[-37:]}"


class FlexmbError(Exception):
    """Base class of all exceptions that flexmb raises deliberately.

    ``result`` holds what the run had recorded before it failed, if ``simulate`` raised the exception; otherwise None.
    """

    result: Any = None


class RunWarning(UserWarning):
    """Python warning issued for every note of a run (``summary["notes"]``)."""


class FolderWarning(UserWarning):
    """Warning about the folder that results are written to; it is not a note of the run."""


class InputError(FlexmbError):
    """Invalid input: a key, its value, its location and the allowed values.

    Parameters
    ----------
    message : str
        The error and the allowed values.
    where : str
        Table or part that holds the key, e.g. ``contacts.wall``.
    key : str
        The key below ``where``.
    value : object
        The offending value.
    meant : str
        The key that is meant, for an unknown one with a near name.
    """

    def __init__(self, message: str, *, where: str = "", key: str = "", value: object = None, meant: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.where = where
        self.key = key
        self.value = value
        self.meant = meant

    def __str__(self) -> str:
        place = ".".join(part for part in (self.where, self.key) if part)
        if place and self.value is not None:
            return f"{shortened(place)} = {readable(self.value)}: {self.message}"
        return f"{shortened(place)}: {self.message}" if place else self.message


class PluginError(InputError):
    """A plug-in of another package cannot be used: no fault of the case that is read when this comes out."""


class SimulationError(FlexmbError):
    """A step failed at ``time`` in step ``step``; results before it are valid and summarized in ``tally``."""

    def __init__(
        self, message: str, *, time: float, step: int, contact: str = "", residual: float = float("nan")
    ) -> None:
        super().__init__(message)
        self.message = message
        self.time = time
        self.step = step
        self.contact = contact
        self.residual = residual
        self.tally: object = None

    def __str__(self) -> str:
        words = f"{self.message} at t = {self.time:.9g} s (step {self.step})"
        if self.contact:
            words += f", contact '{self.contact}'"
        if self.residual == self.residual:
            words += f", residual {self.residual:.3g}"
        return words


NOT_FINITE = "the motion is not a finite number (a load or the motion has overflowed)"
"""Message for a step that has overflowed."""


class NotConverged(SimulationError):
    """A solver did not reach its tolerance."""
