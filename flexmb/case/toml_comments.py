"""Comments of a case file, carried over to the case as run."""

from __future__ import annotations

from collections.abc import Mapping

from flexmb.case.toml_lines import Path, line_numbers
from flexmb.record.io.toml_text import comments_of, toml_tree


def with_comments(written: str, original: str) -> str:
    """Return a written case with the comments of the file it came from, at the same tables and keys.

    Comments of keys that are not written (a step that an override has replaced by steps) are put at their table. If the
    value of a key differs from that of the file, its comment gives the value of the file.

    Parameters
    ----------
    written : str
        Output of ``to_toml``: one line per key.
    original : str
        The case file.
    """
    before, behind, values, last = _comments(original)
    lines, places = written.splitlines(), line_numbers(written)
    at = _first_by_line(places)
    for path in [*before, *behind]:
        if path not in places:
            lost = [*before.pop(path, []), *([behind.pop(path)] if path in behind else [])]
            home = next((path[:k] for k in range(len(path) - 1, 0, -1) if path[:k] in places), ())
            before[home] = [*before.get(home, []), *lost]
    out = list(before.get((), []))
    for number, line in enumerate(lines, start=1):
        path = at.get(number, ())
        if path:
            out += before.get(path, [])
        if path in behind:
            now, then = line.partition("=")[2].strip(), values.get(path, "")
            known = not then or now == then or _same(now, then)
            line += f"  {behind[path]}" if known else f"  # in the file {then}: {behind[path].lstrip('# ')}"
        out.append(line)
    return "\n".join([*out, *last]).strip("\n") + "\n"


def _comments(text: str) -> tuple[dict[Path, list[str]], dict[Path, str], dict[Path, str], list[str]]:
    """Return comment lines before each table or key, comments behind it, its value, and the trailing comments."""
    before: dict[Path, list[str]] = {}
    behind: dict[Path, str] = {}
    values: dict[Path, str] = {}
    at = _first_by_line(line_numbers(text))
    pending: list[str] = []
    here: Path = ()
    found = comments_of(text)
    for number, raw in enumerate(text.splitlines(), start=1):
        cut, words = found.get(number, (-1, ""))
        if number in at:
            here = at[number]
            if pending:
                before[here] = pending
            pending = []
            if words:
                behind[here] = words
            values[here] = (raw[:cut] if cut >= 0 else raw).partition("=")[2].strip()
        elif words and raw[:cut].strip():  # in a list of several lines
            before.setdefault(here, []).append(words)
        elif words and not words.startswith("#:schema"):  # the path of the schema differs in another folder
            pending.append(words)
    return before, behind, values, pending


def _first_by_line(places: Mapping[Path, int]) -> dict[int, Path]:
    """Return the outermost table or key that begins on each line; for a dotted key, all of it."""
    out: dict[int, Path] = {}
    for path, number in places.items():
        if number not in out or len(path) > len(out[number]):
            out[number] = path
    return out


def _same(now: str, then: str) -> bool:
    """Return whether two texts represent the same value: 1e-3 and 0.001, [1, 2] and [1.0, 2.0]."""
    try:
        return bool(toml_tree(f"x = {now}")["x"] == toml_tree(f"x = {then}")["x"])
    except ValueError:
        return then[:1] in "[{\"'"  # the first line of a longer value: not decidable
