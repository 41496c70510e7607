"""The digest of a compiled kernel: of its source and of the sources of all kernels it uses.

The machine code of a function holds that of the functions it calls, and the constants it imports. So it is out of date
when any module of that chain changes, and only then.
"""

from __future__ import annotations

import hashlib
import re
from functools import cache
from pathlib import Path

KERNELS = "flexmb.kernels"
PACKAGES = {KERNELS}
"""The packages whose compiled functions are kept in files; others enter their names when they are imported.

Their modules, and those of the packages inside them, build on each other and on kernels only.
"""

_LISTED = re.compile(r"^[ \t]*from +(\.*)([\w.]*) +import\b(?:[ \t]*\(([^)]*)\)|([^\n(]*))", re.MULTILINE)
_WHOLE = re.compile(r"^[ \t]*import +([\w., ]+)", re.MULTILINE)
_RENAMED = re.compile(r"\bas +\w+")


def imported(source: str, module: str) -> set[str]:
    """Return the full names of all that the source of ``module`` imports, in any of the forms of an import.

    Some may be names inside of modules; which of them are modules is for the caller to tell.
    """
    found: set[str] = set()
    for dots, base, inside, line in _LISTED.findall(source):
        above = module.split(".")[: -len(dots)] if dots else []
        whole = ".".join([*above, *filter(None, [base])])
        found.add(whole)
        found |= {f"{whole}.{name}" for name in re.findall(r"\w+", _RENAMED.sub("", inside or line))}
    for names in _WHOLE.findall(source):
        found |= set(re.findall(r"[\w.]+", _RENAMED.sub("", names)))
    return found


def package_of(module: str, packages: set[str]) -> str | None:
    """Return which of the packages a module is in, at any depth; None if it is in none."""
    return next((package for package in sorted(packages) if module.startswith(f"{package}.")), None)


@cache
def source_digests(folder: Path, package: str) -> dict[str, str]:
    """Return, by full name, the digest of the source of every module below a folder and of those of all it builds on.

    These are modules of the same package and of ``flexmb.kernels``. Sources are read once: one that changes while it
    runs is still the old one in this process.
    """
    below = source_digests(Path(__file__).parents[_depth(__name__, KERNELS)], KERNELS) if package != KERNELS else {}
    sources = {
        ".".join([package, *path.relative_to(folder).with_suffix("").parts]): path.read_bytes()
        for path in sorted(folder.rglob("*.py"))
    }
    own, imports = {}, {}
    for name, text in sources.items():
        names = imported(text.decode(), name)
        words = [hashlib.sha256(text).hexdigest(), *(below[kernel] for kernel in sorted(names & below.keys()))]
        own[name] = " ".join(words)
        imports[name] = names & sources.keys()
    digests = {}
    for name in sources:
        closure, fresh = {name}, {name}
        while fresh:
            fresh = set().union(*(imports[module] for module in fresh)) - closure
            closure |= fresh
        parts = (f"{module} {own[module]}" for module in sorted(closure))
        digests[name] = hashlib.sha256("\n".join(parts).encode()).hexdigest()
    return digests


def _depth(module: str, package: str) -> int:
    """Return how many folders below that of the package the file of a module is."""
    return module.count(".") - package.count(".") - 1


def digest_of(source: Path, module: str, packages: set[str]) -> str | None:
    """Return the digest of a module of one of the packages, given its file; None if it is elsewhere."""
    package = package_of(module, packages)
    if package is None or source.stem != module.rpartition(".")[2]:
        return None
    return source_digests(source.parents[_depth(module, package)], package).get(module)
