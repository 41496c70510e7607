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

Their modules build on each other and on kernels only.
"""


def imported(source: str, package: str) -> set[str]:
    """Return the modules of ``package`` that a source imports by name, in any of the forms of an import."""
    name = re.escape(package)
    listed = r"(?:\(([^)]*)\)|([^\n(]*))"
    found = set(re.findall(rf"^[ \t]*from +(?:{name})?\.(\w+) +import\b", source, re.MULTILINE))
    found |= set(re.findall(rf"^[ \t]*import +{name}\.(\w+)", source, re.MULTILINE))
    for inside, line in re.findall(rf"^[ \t]*from +(?:{name}|\.) +import +{listed}", source, re.MULTILINE):
        found |= set(re.findall(r"\w+", re.sub(r"\bas +\w+", "", inside or line)))
    return found


@cache
def source_digests(folder: Path, package: str) -> dict[str, str]:
    """Return, for every module of a folder, the digest of its source and of those of all modules it builds on.

    These are modules of the same package and of ``flexmb.kernels``. Sources are read once: one that changes while it
    runs is still the old one in this process.
    """
    below = source_digests(Path(__file__).parent, KERNELS) if package != KERNELS else {}
    sources = {path.stem: path.read_bytes() for path in sorted(folder.glob("*.py"))}
    own, imports = {}, {}
    for name, text in sources.items():
        kernels = sorted(imported(text.decode(), KERNELS) & below.keys())
        words = [hashlib.sha256(text).hexdigest(), *(below[kernel] for kernel in kernels)]
        own[name] = " ".join(words)
        imports[name] = imported(text.decode(), package) & sources.keys()
    digests = {}
    for name in sources:
        closure, fresh = {name}, {name}
        while fresh:
            fresh = set().union(*(imports[module] for module in fresh)) - closure
            closure |= fresh
        parts = (f"{module} {own[module]}" for module in sorted(closure))
        digests[name] = hashlib.sha256("\n".join(parts).encode()).hexdigest()
    return digests
