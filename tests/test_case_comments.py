"""Comments of a case file are kept in the case as run, where they belong; they change nothing else."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

import flexmb as fm
from flexmb.case.shipped import shipped_cases, shipped_templates
from flexmb.case.toml_comments import with_comments
from flexmb.record.io.toml_text import comments_of

CASE = '''#:schema ./flexmb.schema.json
# who wrote it
title = "a # in a string"
description = """
# no comment
"""

# how long
[time]
end = 0.1                 # s
step = 0.01               # small enough

[scheme]
name = "moreau-jean"      # after Moreau

# the ball
[bodies.ball]
kind = "particle"
mass = 1.0
position = [
  0.0, 0.0,               # across
  1.0,                    # height
]

# the end
'''


def test_comments_stand_where_they_stood(tmp_path):
    (tmp_path / "ball.toml").write_text(CASE)
    lines = fm.load_case(tmp_path / "ball.toml").to_toml().splitlines()
    assert lines[lines.index("[time]") - 1] == "# how long"
    assert lines[lines.index("[bodies.ball]") - 1] == "# the ball"
    assert "end = 0.1  # s" in lines
    assert 'name = "moreau-jean"  # after Moreau' in lines
    place = next(k for k, line in enumerate(lines) if line.startswith("position"))
    assert lines[place - 2 : place] == ["# across", "# height"]
    assert lines[-1] == "# the end"
    assert not any(line.startswith("#:schema") for line in lines)  # it is in another folder


def test_the_comment_of_a_changed_value_says_what_stood_there(tmp_path):
    (tmp_path / "ball.toml").write_text(CASE)
    text = fm.load_case(tmp_path / "ball.toml", ["time.step=0.02"]).to_toml()
    assert "step = 0.02  # in the file 0.01: small enough" in text
    text = fm.load_case(tmp_path / "ball.toml", ["time.steps=20"]).to_toml()  # in place of the step
    assert "# small enough\n[time]" in text
    assert "end = 0.1  # s" in text


@pytest.mark.parametrize("name", [*shipped_cases(), *(name for name in shipped_templates() if name != "study")])
def test_every_comment_of_shipped_files_is_kept_and_nothing_else_is_changed(name):
    path = (shipped_cases() | shipped_templates())[name]
    original = path.read_text()
    written = "".join(f"{line}\n" for line in _bare(original))
    out = with_comments(written, original)
    assert tomllib.loads(out) == tomllib.loads(written)
    kept = [words for _, words in comments_of(out).values()]
    for _, words in comments_of(original).values():
        assert words in kept or words.startswith("#:schema"), words
    assert with_comments(written, written) == written


def _bare(text: str) -> list[str]:
    """Return the lines of a file without comments and blank lines."""
    comments = comments_of(text)
    lines = [line[: comments[k][0]] if k in comments else line for k, line in enumerate(text.splitlines(), start=1)]
    return [line.rstrip() for line in lines if line.strip()]


def test_a_run_is_resumed_after_a_comment_was_changed(tmp_path: Path, monkeypatch):
    file = tmp_path / "ball.toml"
    file.write_text(CASE + "\n[output]\ncheckpoint_every = 1e-9\n")

    class Stop(BaseException):
        pass

    def stop(done, of):
        if done:
            raise Stop

    monkeypatch.setattr("flexmb.drive.run._most_steps", lambda plan: 3)
    with pytest.raises(Stop):
        fm.load_case(file).run(tmp_path / "out", progress=lambda done, of: stop(done > 3, of))
    file.write_text(file.read_text().replace("# the ball", "# another word"))
    result = fm.load_case(file).run(tmp_path / "out", resume=True)
    assert result.complete
    file.write_text(file.read_text().replace("mass = 1.0", "mass = 2.0"))
    assert "mass = 2.0" in fm.load_case(file).to_toml()
