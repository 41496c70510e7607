"""What README promises: the example runs as it stands, schemes named there exist."""

import io
import re
import shutil
from contextlib import redirect_stdout
from pathlib import Path

import numpy as np
import pytest

import flexmb as fm
from flexmb.cli import main
from flexmb.schemes import SCHEMES

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text()


def test_the_example_runs_and_prints_what_it_says(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code = re.search(r"```python\n(.*?)```", README, re.S).group(1)
    assert len([line for line in code.splitlines() if line.strip()]) <= 15
    promised = re.search(r"prints\n\n```\n(.*?)```", README, re.S).group(1)
    out = io.StringIO()
    with redirect_stdout(out):
        exec(code, {})
    for got, said in zip(out.getvalue().splitlines(), promised.splitlines(), strict=True):
        if said.startswith("unexplained"):
            assert float(got.split()[1]) < 1e-10  # round-off: the digits are the machine's
        else:
            assert got.split() == said.split()
    assert (tmp_path / "results" / "bar" / "summary.json").exists()


def test_every_scheme_is_in_the_table():
    for name in SCHEMES:
        assert f"`{name}`" in README


def test_what_is_missing_is_put_down_to_what_takes_it():
    """The end node's mass costs energy in proportion to the element length, but not the impulse; see docs/energy.md."""
    words = README.partition("(The missing impulse")[2].partition("\n\n")[0]
    missing, _, energy = words.partition("Of the energy")
    assert "smeared" in missing
    assert "ringing" in missing
    assert "element length" not in missing
    said = float(re.search(r"([0-9.]+) J is lost in the first impact of the end node's mass", energy).group(1))
    length, speed = 10.0 / 200, 10.0
    assert said == round(length * speed**2 / (4.0 * 3.0**0.5), 1)


def test_make_run_says_where_to_look():
    lines = re.findall(r'^\t@echo "[^"]*\$\(BIN\)/flexmb (\w+) \$\(OUT\)"$', (ROOT / "Makefile").read_text(), re.M)
    assert lines == ["view", "report"]


def test_the_frame_hits_both_stops_and_its_damping_is_found_from_data(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    frame, fit = re.findall(r"```toml\n(.*?)```", README, re.S)
    shutil.copy(ROOT / "meshes" / "portal.msh", "frame.msh")  # the frame of the page, with more elements
    Path("frame.toml").write_text(frame)
    result = fm.load_case("frame.toml", ["bodies.frame.damping.beta=2e-4"]).run()
    assert all(result.contacts[name].impulse.sum() > 0.0 for name in ("left_stop", "right_stop"))
    x = result.signals["frame.left.displacement"][::20, 0]
    noise = 1e-4 * np.random.default_rng(1).standard_normal(x.size)
    rows = [f"{t:.6g},{value:.6g}" for t, value in zip(result.time[::20], x + noise, strict=True)]
    Path("measured.csv").write_text("\n".join(["time,x", *rows]))
    Path("fit.toml").write_text(fit)
    assert main(["fit", "fit.toml", "--quiet"]) == 0
    found = fm.load_fit("fit.toml").run("results/fit")
    assert found.values[0] == pytest.approx(2e-4, abs=3 * found.errors[0])
    assert found.errors[0] < 1e-5
    assert Path("results/fit/fit.pdf").exists()
