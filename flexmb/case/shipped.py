"""Finding case files and meshes: by path, or by the name of a shipped one."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from flexmb.checks.values import nearest
from flexmb.errors import InputError
from flexmb.shipped_data import shipped_folder, shipped_mesh


def shipped_cases() -> dict[str, Path]:
    """Return the shipped case files by name."""
    return {path.stem: path for path in sorted(shipped_folder("cases").glob("*.toml"))}


def shipped_studies() -> dict[str, Path]:
    """Return the shipped study files by name."""
    return {path.stem: path for path in sorted((shipped_folder("cases") / "studies").glob("*.toml"))}


def shipped_fits() -> dict[str, Path]:
    """Return the shipped fit files by name."""
    return {path.stem: path for path in sorted((shipped_folder("cases") / "fits").glob("*.toml"))}


def shipped_templates() -> dict[str, Path]:
    """Return the templates of new case files by name."""
    return {path.stem: path for path in sorted((shipped_folder("cases") / "templates").glob("*.toml"))}


def find_template(name: str) -> Path:
    """Return the file of a template, or of a shipped case or study, by its name."""
    known = shipped_cases() | shipped_studies() | shipped_templates()
    if name in known:
        return known[name]
    hint = nearest(name, known, 2, 0.5)
    message = f"there is no template of this name{hint}; templates: {_list(shipped_templates())}; or any shipped case"
    raise InputError(message, key="template", value=name)


def find_case(source: str | Path) -> Path:
    """Return the file of a case given by path or by the name of a shipped case."""
    return find_file(source, shipped_cases(), "case")


def find_study(source: str | Path) -> Path:
    """Return the file of a study given by path or by the name of a shipped study."""
    return find_file(source, shipped_studies(), "study")


def find_file(source: str | Path, shipped: dict[str, Path], what: str) -> Path:
    """Return a file given by path or by the name of a shipped one; ``what`` is the kind of file, for error messages."""
    path = Path(source)
    if _is(path.is_file):
        return path
    name = str(source).removesuffix(".toml")
    if name in shipped:  # also if a folder has this name, e.g. that of its results
        return shipped[name]
    if _is(path.is_dir):
        raise InputError(f"'{source}' is a folder, not a {what} file")
    hint = nearest(path.stem, shipped, 2, 0.5)
    raise InputError(
        f"there is no {what} file '{source}' and no shipped {what} of that name{hint}; shipped: {_list(shipped)}"
    )


def find_mesh(name: str, beside: Path) -> Path:
    """Return the mesh file ``name``: relative to the case file's folder ``beside``, else a shipped mesh.

    A missing mesh is returned as a path next to the case file; reading it then raises the error.
    """
    local = beside / name
    return local if _is(local.exists) else shipped_mesh(name) or local


def missing_mesh(path: Path) -> str:
    """Return the message for a missing mesh file, with the names of the shipped ones; empty if it exists."""
    if not _is(lambda: not path.exists()):
        return ""  # also an invalid path: reading it gives the reason
    names = sorted(p.name for p in shipped_folder("meshes").glob("*") if p.suffix in (".msh", ".vtu"))
    return f"there is no such mesh file; shipped: {', '.join(names) or 'none'}"


def _is(question: Callable[[], bool]) -> bool:
    """Return the result of a predicate on a path; False for an invalid path, e.g. a too long one."""
    try:
        return question()
    except (OSError, ValueError):
        return False


def _list(cases: dict[str, Path]) -> str:
    return ", ".join(cases) or "none"
