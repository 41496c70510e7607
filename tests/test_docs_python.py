"""The examples of docs/python.md run as they stand, and say what the page says."""

from __future__ import annotations

import re
from pathlib import Path

PAGE = (Path(__file__).parents[1] / "docs" / "python.md").read_text()
CODE = re.findall(r"```python\n(.*?)```", PAGE, re.S)


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
