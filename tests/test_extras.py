"""The core runs without the packages of extras; what needs one names the command that installs it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from types import SimpleNamespace

import pytest

from flexmb.checks.extras import EXTRAS, extra_of, install_command
from flexmb.cli import main

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
DRAWING = ("pyvista", "vtk", "vtkmodules", "matplotlib", "PIL", "imageio_ffmpeg", "trame", "trame_vtk", "aiohttp")
OPTIONAL = (*DRAWING, "distributed", "pandas", "xarray", "clarabel", "optuna")

BLOCKER = """
import os, sys

class Blocked:
    names = set(os.environ["BLOCKED"].split(","))

    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in self.names:
            raise ModuleNotFoundError(f"No module named '{name}'", name=name)

sys.meta_path.insert(0, Blocked())
"""

CASE = """
[time]
end = 0.1
step = 0.01

[scheme]
name = "moreau-jean"

[bodies.ball]
kind = "particle"
mass = 1.0
position = [0.0, 0.0, 1.0]

[contacts.floor]
kind = "node-plane"
node = "ball"
normal = [0.0, 0.0, 1.0]
restitution = 0.5
"""


@pytest.fixture(scope="module")
def place(tmp_path_factory) -> Path:
    """Return a folder with a finished run, a case, and what blocks imports in a new process."""
    folder = tmp_path_factory.mktemp("extras")
    (folder / "sitecustomize.py").write_text(BLOCKER)
    (folder / "ball.toml").write_text(CASE)
    assert main(["run", str(folder / "ball.toml"), "-o", str(folder / "ball"), "--quiet"]) == 0
    return folder


def flexmb(place: Path, blocked: tuple[str, ...], *words: str) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, "PYTHONPATH": str(place), "BLOCKED": ",".join(blocked)}
    command = [sys.executable, "-m", "flexmb", *words]
    return subprocess.run(command, capture_output=True, text=True, cwd=place, env=env, timeout=300)


def test_the_core_runs_with_every_extra_blocked(place):
    done = flexmb(place, OPTIONAL, "run", "ball.toml", "-o", "core")
    assert done.returncode == 0, done.stderr
    assert {p.name for p in (place / "core").iterdir()} >= {"fields.vtkhdf", "result.h5", "summary.json", "case.toml"}
    done = flexmb(place, OPTIONAL, "export", "core", "--format", "csv")
    assert done.returncode == 0, done.stderr


ASKED = [
    (("view", "ball"), "pyvista", "view"),
    (("view", "ball", "--movie", "x.mp4"), "imageio_ffmpeg", "movie"),
    (("view", "ball", "--web", "--port", "0"), "trame", "web"),
    (("view", "ball", "--web", "--port", "0"), "trame_vtk", "web"),
    (("report", "ball"), "PIL", "view"),
    (("plot", "ball", "contact", "-o", "x.png"), "matplotlib", "plot"),
    (("spectrum", "newmark", "-o", "x"), "matplotlib", "plot"),
    (("modes", "laval_rotor", "-o", "x"), "matplotlib", "plot"),
]


@pytest.mark.parametrize(("words", "package", "extra"), ASKED, ids=[f"{a[0]} {b}" for a, b, _ in ASKED])
def test_a_missing_extra_is_named_with_its_command(place, words, package, extra):
    """No traceback, exit code 2, nothing written."""
    before = sorted(p.name for p in place.iterdir())
    done = flexmb(place, (package,), *words)
    assert done.returncode == 2, done.stderr
    assert package in done.stderr
    assert install_command(extra) in done.stderr
    assert "Traceback" not in done.stderr
    assert sorted(p.name for p in place.iterdir() if p.name != "__pycache__") == [
        n for n in before if n != "__pycache__"
    ]


IN_PYTHON = {
    "plot_energy()": ("matplotlib", "plot"),
    "plot_contact('floor')": ("matplotlib", "plot"),
    "plot_signals('ball.position')": ("matplotlib", "plot"),
    "show()": ("pyvista", "view"),
    "mesh(0.1)": ("pyvista", "view"),
    "to_pandas()": ("pandas", "data"),
    "to_xarray()": ("xarray", "data"),
}


def test_python_gets_the_same_words_as_an_error_of_ours(place):
    calls = {call: extra for call, (_, extra) in IN_PYTHON.items()}
    code = f"""
import flexmb as fm
from flexmb.checks.extras import install_command
result = fm.load("ball")
for call, extra in {calls!r}.items():
    try:
        eval("result." + call)
    except fm.InputError as err:
        assert install_command(extra) in str(err), (call, str(err))
    else:
        raise AssertionError(call)
"""
    env = {**os.environ, "PYTHONPATH": str(place), "BLOCKED": ",".join(OPTIONAL)}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=place, env=env)
    assert done.returncode == 0, done.stderr


def test_a_study_is_done_without_matplotlib(place):
    study = 'case = "ball.toml"\n[[axis]]\nname = "e"\nkey = "contacts.floor.restitution"\nvalues = [0.2, 0.8]\n'
    study += '[[measure]]\nname = "z"\nsignal = "ball.position.z"\nreduce = "last"\n'
    (place / "s.toml").write_text(study)
    done = flexmb(place, DRAWING, "study", "s.toml", "-o", "s", "--jobs", "1")
    assert done.returncode == 0, done.stderr
    assert (place / "s" / "table.csv").is_file()
    assert install_command("plot") in done.stderr


@pytest.mark.parametrize(
    ("written", "command"),
    [
        ([None], 'pip install "flexmb[data]"'),
        (['{"url": "file:///clone", "dir_info": {}}'], 'pip install "/clone[data]"'),
        ([None, '{"url": "file:///clone", "dir_info": {"editable": true}}'], 'pip install -e "/clone[data]"'),
        (['{"url": "https://host/flexmb.whl", "archive_info": {}}', "no json"], 'pip install "flexmb[data]"'),
    ],
)
def test_the_command_is_that_of_the_installation(monkeypatch, written, command):
    """In a clone the name alone would replace the installation of the clone."""
    found = [SimpleNamespace(read_text=lambda _name, text=text: text) for text in written]
    monkeypatch.setattr("importlib.metadata.distributions", lambda name: found)
    assert install_command("data") == command


def test_every_extra_of_ours_is_one_of_the_project():
    """And the core lists none of their packages."""
    assert set(EXTRAS) <= set(PROJECT["optional-dependencies"])
    named = {re.split(r"[<>=\[]", word)[0] for word in PROJECT["dependencies"]}
    assert named == {
        *("numpy", "scipy", "scikit-fem", "meshio", "h5py", "numba", "threadpoolctl", "pydantic", "rich"),
    }
    everything = re.search(r"flexmb\[(.*)\]", PROJECT["optional-dependencies"]["all"][0]).group(1).split(",")
    assert set(everything) == set(EXTRAS)


def test_other_missing_modules_are_no_extras():
    assert extra_of(ImportError("No module named 'scipy'", name="scipy")) is None
    assert extra_of(ImportError("cannot import name 'x'")) is None


def test_the_page_lists_every_extra():
    page = (ROOT / "docs/installation.md").read_text()
    for extra in PROJECT["optional-dependencies"]:
        assert f"`{extra}`" in page


def test_metadata_agree():
    """Versions in the project and the citation, the changelog's sections, a lock file with nothing but versions."""
    cite = (ROOT / "CITATION.cff").read_text()
    assert f"version: {PROJECT['version']}\n" in cite
    assert f"license: {PROJECT['license']}\n" in cite
    heads = re.findall(r"^## (.*)$", (ROOT / "CHANGELOG.md").read_text(), re.M)
    assert heads[0] == "Unreleased"
    assert all(re.fullmatch(r"\d+\.\d+\.\d+( \(\d{4}-\d{2}-\d{2}\))?", head) for head in heads[1:])
    pins = [line for line in (ROOT / "requirements-test.txt").read_text().splitlines() if not line.startswith("#")]
    assert all(re.fullmatch(r"[a-z0-9-]+==[0-9][\w.+!]*", pin) for pin in pins)
    names = {pin.partition("==")[0] for pin in pins}
    wanted = [w for group in PROJECT["optional-dependencies"].values() for w in group] + PROJECT["dependencies"]
    assert {re.split(r"[<>=\[]", word)[0] for word in wanted} - {"flexmb"} <= names
