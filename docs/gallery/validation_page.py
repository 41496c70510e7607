"""The pages of the validation manual in Markdown."""

from __future__ import annotations

from typing import Any

from gallery.plain import plain_words


def validation_page(facts: dict[str, Any], source_text: str) -> str:
    """Return the page of a family: its table, then a figure for each comparison.

    Parameters
    ----------
    facts : dict
        What ``validation_run.make`` found.
    source_text : str
        The module of the family; not shown.
    """
    parts = [f"# {facts['title']}"]
    if facts["error"]:
        parts.append(f'!!! failure "Failed"\n\n    {plain_words(facts["error"])}')
    parts.append("\n".join([HEAD, *rows(facts)]))
    for entry in facts["comparisons"]:
        parts += [f"## {entry['title']}", entry["words"]]
        sets = "".join(f" --set '{words}'" for words in entry["overrides"])
        parts += [
            f"![{entry['title']}: flexmb and reference]({facts['name']}/{entry['name']}.png)",
            f"Source: {plain_words(entry['source'])}. Reference: {plain_words(entry['reference'])}.",
            f"```\nflexmb run {entry['case']}{sets}\n```",
        ]
    return "\n\n".join(parts) + "\n"


HEAD = "| problem | curve | error | accepted | source |\n|---|---|---|---|---|"


def rows(facts: dict[str, Any]) -> list[str]:
    """Return the rows of the table of a family: one for each curve."""
    found = []
    for entry in facts["comparisons"]:
        for curve in entry["curves"]:
            mark = "✓" if curve["ok"] else "**✗**"
            how = ", in the mean" if curve["mean"] else ""
            names = f"{plain_words(entry['title'])} | {plain_words(curve['label'])}"
            error, most = (f"{x}".replace("-", "&#8209;") for x in (f"{curve['error']:.1e}", f"{curve['at_most']:.0e}"))
            numbers = f"{mark}&nbsp;{error}{how} | {most}"
            found.append(f"| {names} | {numbers} | {plain_words(entry['source'])} |")
    return found
