"""The examples of docs/python.md and docs/comparison.md run as they stand, and say what the pages say."""

from __future__ import annotations

import math
import re
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[1] / "docs"
PAGE = (DOCS / "python.md").read_text()
CODE = re.findall(r"```python\n(.*?)```", PAGE, re.S)
TRANSLATED = re.findall(r"```python\n(import flexmb.*?)```", (DOCS / "comparison.md").read_text(), re.S)


def test_a_run_by_name_goes_on_from_another():
    known: dict = {}
    exec(CODE[0], known)
    assert known["result"].complete
    assert known["later"].time[0] == 1.0
    assert known["later"].time[-1] == 2.0


def test_functions_of_python_numba_and_of_the_motion(capsys):
    known: dict = {}
    exec(CODE[1], known)
    said = capsys.readouterr().out
    for where in ("loads.push.function", "loads.kick.function", "loads.control.function"):
        assert where in said
    assert "pulse" in said
    assert known["result"].complete


@pytest.mark.filterwarnings("ignore::flexmb.errors.RunWarning")  # the convex cones of Chrono's scheme add energy
def test_models_translated_from_other_programs_move_as_theirs(capsys):
    bounce, slide, swing, spin, rotor = ({} for _ in range(5))
    for space, code in zip((bounce, slide, swing, spin, rotor), TRANSLATED, strict=True):
        exec(code, space)
    assert bounce["result"].signals["ball.position"][:, 2].max() == pytest.approx(1.0, abs=1e-2)
    # balls that slide keep their angular momentum about the point of contact: v = (5 v0 + 2 r w0) / 7 in rolling
    assert slide["result"].signals["ball.velocity"][-1, 0] == pytest.approx(10 / 7, rel=1e-6)
    assert spin["result"].signals["ball.velocity"][-1, 0] == pytest.approx((5 - 4) / 7, rel=1e-6)
    angle = swing["result"].signals["joints.pin.angle"].ravel()  # released horizontally: it swings to the other side
    assert abs(angle).max() == pytest.approx(math.pi, abs=1e-5)
    assert "[" in capsys.readouterr().out
    stiffness, mass = 48 * 2.1e11 * math.pi * 0.02**4 / 64 / 0.6**3, 4.0 + 0.486 * 7800 * math.pi * 0.01**2 * 0.6
    first = rotor["found"].frequency[0, 0]  # the exact one is lower, by shear and the elastic bearings
    assert first == pytest.approx(math.sqrt(stiffness / mass) / (2 * math.pi), rel=2e-2)
