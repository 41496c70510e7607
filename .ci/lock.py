"""Write the exact versions of an environment's packages, for ``pip install --constraint FILE``.

Names and versions only: no package index, no path, no hash of a machine's wheel, so that the file serves everywhere.
"""

import re
import sys
from importlib.metadata import distributions
from pathlib import Path

HEAD = """\
# Versions with which the tests last passed; made by `make lock`, used by `make setup LOCK=requirements-test.txt`.
"""


def pins() -> list[str]:
    """Return ``name==version`` of every installed package but flexmb and the installer's own."""
    found = {re.sub(r"[-_.]+", "-", d.metadata["Name"]).lower(): d.version for d in distributions()}
    return [f"{name}=={found[name]}" for name in sorted(found) if name not in ("flexmb", "pip", "setuptools", "wheel")]


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(HEAD + "\n".join(pins()) + "\n", encoding="utf-8")
