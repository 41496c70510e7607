"""``.ci/install_packages``: as root, with sudo, without it, and with the names that another distribution has."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SCRIPT = ROOT / ".ci" / "install_packages"
APT = """#!{bash}
echo "$@" >> "{log}"
case "$*" in *"{absent}"*) exit 100;; esac
"""


def install(
    folder: Path, *sets: str, uid: int = 0, sudo: bool = False, absent: str = "nothing"
) -> tuple[int, str, str]:
    """Run the script with commands that only write down what they were asked; return code, calls and messages."""
    bash, log = shutil.which("bash"), folder / "log"
    assert bash is not None
    commands = {"apt-get": APT.format(bash=bash, log=log, absent=absent), "id": f"#!{bash}\necho {uid}\n"}
    if sudo:
        commands["sudo"] = f'#!{bash}\necho -n "sudo " >> "{log}"\n"$@"\n'
    for name, text in commands.items():
        (folder / name).write_text(text)
        (folder / name).chmod(0o755)
    done = subprocess.run([bash, SCRIPT, *sets], capture_output=True, text=True, env={"PATH": str(folder)}, timeout=60)
    return done.returncode, log.read_text() if log.exists() else "", done.stderr


@pytest.mark.skipif(os.name != "posix", reason="a shell script")
def test_packages_are_installed_as_root_or_with_sudo(tmp_path: Path) -> None:
    for name in ("root", "sudo", "neither", "ubuntu", "none"):
        (tmp_path / name).mkdir()
    assert install(tmp_path / "root", "libegl1") == (0, "update -qq\ninstall -y -qq libegl1\n", "")
    code, calls, _ = install(tmp_path / "sudo", "libegl1", uid=1000, sudo=True)
    assert (code, calls) == (0, "sudo update -qq\nsudo install -y -qq libegl1\n")
    code, calls, said = install(tmp_path / "neither", "libegl1", uid=1000)
    assert (code, calls) == (1, "")
    assert "libegl1" in said
    sets = ("chromium chromium-driver", "chromium-browser chromium-chromedriver")
    code, calls, _ = install(tmp_path / "ubuntu", *sets, absent="chromium chromium-driver")
    assert code == 0
    assert calls.splitlines()[-1] == "install -y -qq chromium-browser chromium-chromedriver"
    code, _, said = install(tmp_path / "none", *sets, absent="chromium")
    assert code == 1
    assert "chromium-browser" in said


def test_system_packages_are_installed_in_one_place() -> None:
    for file in (ROOT / ".ci" / "run", ROOT / ".github" / "workflows" / "test.yml"):
        assert "apt-get" not in file.read_text()
