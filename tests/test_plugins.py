"""Parts, schemes and laws of another package: entry points of a small package that is installed beside flexmb."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

CODE = '''
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from flexmb.kernels.laws.law_codes import COULOMB
from flexmb.laws.friction import SIZE
from flexmb.parts.contacts.node_plane import NodePlane
from flexmb.schemes.moreau_jean import MoreauJean


@dataclass(frozen=True, kw_only=True)
class Table(NodePlane):
    """A plane whose normal points upward."""

    kind: ClassVar[str] = "table"

    normal: tuple = (0.0, 0.0, 1.0)


@dataclass(frozen=True)
class Implicit(MoreauJean):
    """Moreau-Jean, implicit unless told otherwise."""

    name: ClassVar[str] = "my-implicit"

    theta: float = 1.0


def steel(data, where):
    row = np.zeros(SIZE)
    row[:2] = (0.1 if data.get("lubricated", False) else 0.6), COULOMB
    return row


STEEL = (steel, (), ("lubricated",))
NOT_A_PART = 7


class Plane(NodePlane):
    kind: ClassVar[str] = "node-plane"
'''
CASE = """
[time]
end = 0.5
step = 0.01

[scheme]
name = "my-implicit"

[gravity]
acceleration = [0.0, 0.0, -9.81]

[bodies.ball]
kind = "particle"
mass = 1.0
position = [0.0, 0.0, 0.1]
velocity = [1.0, 0.0, 0.0]

[contacts.floor]
kind = "table"
node = "ball"
friction = { kind = "steel" }
"""
GOOD = """
[flexmb.contacts]
table = my_parts:Table

[flexmb.schemes]
implicit = my_parts:Implicit

[flexmb.laws]
steel = my_parts:STEEL
"""


def install(folder: Path, entries: str, name: str = "my-parts") -> Path:
    """Put a package where pip would put it."""
    info = folder / f"{name.replace('-', '_')}-0.1.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 0.1\n")
    (info / "entry_points.txt").write_text(entries)
    (folder / "my_parts.py").write_text(CODE)
    return folder


def flexmb(site: Path, *words: str) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, "PYTHONPATH": str(site)}
    command = [sys.executable, "-m", "flexmb", *words]
    return subprocess.run(command, capture_output=True, text=True, env=env, cwd=site, timeout=300)


@pytest.fixture(scope="module")
def site(tmp_path_factory) -> Path:
    folder = install(tmp_path_factory.mktemp("site"), GOOD)
    (folder / "case.toml").write_text(CASE)
    return folder


def test_a_case_file_takes_contact_scheme_and_law_of_another_package(site):
    done = flexmb(site, "run", "case.toml", "-o", "out")
    assert done.returncode == 0, done.stderr
    summary = json.loads((site / "out" / "summary.json").read_text())
    assert summary["scheme"]["name"] == "my-implicit"
    assert summary["scheme"]["theta"] == 1.0
    assert summary["energy"]["friction"] < 0.0  # mu of the law acts
    assert summary["max_penetration"] < 0.02


def test_the_schema_and_the_list_of_schemes_have_them(site):
    schema = json.loads(flexmb(site, "schema").stdout)
    assert "my-implicit" in json.dumps(schema["properties"]["scheme"])
    assert '"table"' in json.dumps(schema["properties"]["contacts"])
    assert "my-implicit" in flexmb(site, "schemes").stdout


SHIPPED = CASE.replace("my-implicit", "moreau-jean").replace('"table"', '"node-plane"\nnormal = [0.0, 0.0, 1.0]')
WRONG = {
    "taken": ("[flexmb.contacts]\nplane = my_parts:Plane\n", ["node-plane", "my-parts", "my_parts:Plane", "NodePlane"]),
    "no part": ("[flexmb.contacts]\nx = my_parts:NOT_A_PART\n", ["my-parts", "role", "contacts"]),
    "no module": ("[flexmb.schemes]\nx = missing_module:X\n", ["my-parts", "missing_module"]),
    "no law": ("[flexmb.laws]\nx = my_parts:NOT_A_PART\n", ["my-parts", "flexmb.laws"]),
}


@pytest.mark.parametrize("what", WRONG)
def test_a_wrong_plug_in_is_named(tmp_path, what):
    entries, words = WRONG[what]
    install(tmp_path, entries)
    (tmp_path / "case.toml").write_text(SHIPPED)
    done = flexmb(tmp_path, "validate", "case.toml")
    assert done.returncode == 2, done.stderr
    assert "Traceback" not in done.stderr
    assert all(word in done.stderr for word in [*words, "pip uninstall my-parts"])
    assert done.stderr.startswith("flexmb: error: plug-in '")  # the case is not at fault
    assert "case.toml" not in done.stderr
    assert "mend" not in done.stderr


def test_two_packages_with_the_same_word_are_both_named(tmp_path):
    entry = "[flexmb.laws]\nsteel = my_parts:STEEL\n"
    install(tmp_path, entry)
    install(tmp_path, "[flexmb.laws]\nsteel = other:STEEL\n", "other-parts")
    (tmp_path / "other.py").write_text("STEEL = (print, (), ())\n")
    (tmp_path / "case.toml").write_text(SHIPPED)
    done = flexmb(tmp_path, "validate", "case.toml")
    assert done.returncode == 2
    assert "my-parts" in done.stderr
    assert "other-parts" in done.stderr


def test_the_package_of_the_page_works(tmp_path):
    docs = Path(__file__).parents[1] / "docs"
    page, slot = (docs / name for name in ("plugins.md", "write_contact.md"))
    (project, parts), (law,) = blocks(page, "toml"), blocks(page, "python")
    points = tomllib.loads(project)["project"]["entry-points"]
    entries = [f"[{group}]\n" + "".join(f"{k} = {v}\n" for k, v in named.items()) for group, named in points.items()]
    site = install(tmp_path, "\n".join(entries), "my-slots")
    (site / "my_slots.py").write_text(blocks(slot, "python")[0] + law)
    head, _, body = CASE.partition("[bodies.ball]")
    block = body.partition("[contacts")[0]
    (site / "case.toml").write_text(head.replace("my-implicit", "moreau-jean") + "[bodies.block]" + block + parts)
    done = flexmb(site, "run", "case.toml", "-o", "out")
    assert done.returncode == 0, done.stderr
    assert json.loads((site / "out" / "summary.json").read_text())["energy"]["friction"] < 0.0


def blocks(page: Path, kind: str) -> list[str]:
    """Return the code of a kind on a page."""
    return re.findall(rf"```{kind}\n(.*?)```", page.read_text(), re.S)
