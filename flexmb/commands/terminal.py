"""Output to the terminal: control characters are escaped, and write errors of a stream do not stop a run.

Titles, names and messages may come from foreign files. An escape sequence in them could move the cursor, or change
colours or the title of the window; all output to a terminal passes through this module, which escapes them.
"""

from __future__ import annotations

import sys
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any, TextIO, cast

UNSAFE = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
"""Unicode categories of characters without a glyph: controls, writing direction, surrogates, line breaks."""


def visible(text: str) -> str:
    r"""Return a text with control characters escaped (``\x1b``); line breaks and tabs are kept."""
    if text.isprintable():
        return text
    return "".join(c if c in "\n\t" or unicodedata.category(c) not in UNSAFE else _code(c) for c in text)


def _code(c: str) -> str:
    n = ord(c)
    return f"\\x{n:02x}" if n < 0x100 else f"\\u{n:04x}" if n < 0x10000 else f"\\U{n:08x}"


class Printed:
    """A text stream that escapes control characters and characters its encoding lacks.

    The first write error is kept in ``error`` and all later output is dropped: a full disk under a log file must not
    end a simulation.

    Parameters
    ----------
    stream : file or None
        The underlying stream; None if it was closed before Python started.
    raises_broken : bool
        Whether a broken pipe is raised instead of being kept in ``error``.
    """

    def __init__(self, stream: TextIO | None, *, raises_broken: bool = False) -> None:
        self.stream = stream
        self.raises_broken = raises_broken
        self.error: OSError | None = None

    def write(self, text: str) -> int:
        """Write a text as far as possible."""
        self._do(visible(text))
        return len(text)

    def flush(self) -> None:
        """Flush the underlying stream."""
        self._do("")

    def _do(self, text: str) -> None:
        if self.stream is None or self.error is not None:
            return
        try:
            if not text:
                self.stream.flush()
                return
            try:
                self.stream.write(text)
            except UnicodeEncodeError as err:
                self.stream.write(text.encode(err.encoding, "backslashreplace").decode(err.encoding))
        except (OSError, ValueError) as err:  # ValueError: closed in the meantime
            if self.raises_broken and isinstance(err, BrokenPipeError):
                raise
            self.error = err if isinstance(err, OSError) else OSError(0, str(err))

    def abandon(self) -> None:
        """Close the stream, so that pending output is not written, and reported as an error, again at exit."""
        if self.stream is not None:
            with suppress(OSError, ValueError):
                self.stream.close()

    def isatty(self) -> bool:
        """Return whether the stream is a terminal."""
        return self.stream is not None and self.stream.isatty()

    def __getattr__(self, name: str) -> Any:
        if self.stream is None:
            raise AttributeError(name)
        return getattr(self.stream, name)


def drawing_stream(stream: Any) -> TextIO:
    """Return the underlying stream, for tables and progress bars that use escape sequences themselves."""
    return cast("TextIO", stream.stream if isinstance(stream, Printed) else stream)


@contextmanager
def safe_output() -> Iterator[tuple[Printed, Printed]]:
    """Route stdout and stderr through ``Printed`` inside the block."""
    old = sys.stdout, sys.stderr
    pair = Printed(old[0], raises_broken=True), Printed(old[1])
    sys.stdout, sys.stderr = cast("TextIO", pair[0]), cast("TextIO", pair[1])
    try:
        yield pair
    finally:
        sys.stdout, sys.stderr = old
