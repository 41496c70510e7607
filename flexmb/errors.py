"""Exceptions that carry numbers, not only words.

``InputError`` is the user's to mend (exit code 2); ``SimulationError`` happened while time was running
(exit code 3) and names the time, the contact and the residual, so that the step can be found again.
"""

from __future__ import annotations

LONGEST = 80
"""Letters of a value that are shown in full."""


def readable(item: object) -> str:
    """Return a value as Python writes it; of a long one the beginning and the end (of a path the file's name)."""
    if type(item).__module__ == "numpy" and getattr(item, "ndim", 1) == 0:  # np.float64(0.5) reads 0.5
        item = item.item()  # type: ignore[attr-defined]
    try:
        text = repr(item)
    except (ValueError, RecursionError):  # an integer of thousands of digits, or a list of lists of lists
        bits = f" of {item.bit_length()} bits" if isinstance(item, int) else ""
        return f"<{type(item).__name__}{bits}>"
    return shortened(text)


def shortened(text: str) -> str:
    """Return a text; of a long one the beginning and the end."""
    return text if len(text) <= LONGEST else f"{text[:38]} ... {text[-37:]}"


class FlexmbError(Exception):
    """Base class of everything flexmb raises on purpose."""


class RunWarning(UserWarning):
    """What a run says about itself, as a Python warning: every note of ``summary["notes"]`` is one."""


class FolderWarning(UserWarning):
    """What is to be known about a folder that is written to; no note of a run."""


class InputError(FlexmbError):
    """Wrong input: a key, its value, where it stands and what is allowed.

    Parameters
    ----------
    message : str
        What is wrong and what is allowed.
    where : str
        The table or part that holds it, e.g. ``contacts.wall``.
    key : str
        The key below ``where``.
    value : object
        The offending value.
    """

    def __init__(self, message: str, *, where: str = "", key: str = "", value: object = None) -> None:
        super().__init__(message)
        self.message = message
        self.where = where
        self.key = key
        self.value = value

    def __str__(self) -> str:
        place = ".".join(part for part in (self.where, self.key) if part)
        if place and self.value is not None:
            return f"{shortened(place)} = {readable(self.value)}: {self.message}"
        return f"{shortened(place)}: {self.message}" if place else self.message


class SimulationError(FlexmbError):
    """A step failed. ``time`` and ``step`` say where; results before it are valid, ``tally`` sums them up."""

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
"""What is said when a step has overflowed."""


class NotConverged(SimulationError):
    """A solver stopped before its residual was small enough."""
