"""What README promises: the example runs as it stands, schemes named there exist."""

import io
import re
from contextlib import redirect_stdout
from pathlib import Path

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
