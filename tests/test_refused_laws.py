"""Laws of contact that a scheme or an engine does not carry: refused before a run, by name."""

from __future__ import annotations

import pytest

import flexmb as fm
from flexmb.cli import main
from flexmb.errors import InputError, RunWarning

BLOCK = """
[time]
end = 0.1
step = 0.01
[scheme]
name = "{scheme}"
[bodies.block]
kind = "particle"
mass = 1.0
position = [0.0, 0.0, 1.0]
[contacts.floor]
kind = "node-plane"
node = "block"
normal = [0.0, 0.0, 1.0]
{law}
"""

REFUSED = [
    ("schatzman-paoli", "friction = 0.3", ("friction", "floor", "moreau-jean", "hybrid")),
    ("euler-linearized", "restitution = 0.5", ("restitution", "floor")),
    ("potra", "cohesion = { normal_stiffness = 1e4, energy = 1.0 }", ("cohesion", "floor")),
    ("newmark", 'impact = "poisson"\nrestitution = 0.5', ('impact = "poisson"', "floor", "potra", "moreau-jean")),
]


@pytest.mark.parametrize(("scheme", "law", "named"), REFUSED)
@pytest.mark.parametrize("command", ["validate", "run"])
def test_validate_refuses_what_run_refuses(tmp_path, monkeypatch, capsys, command, scheme, law, named):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "case.toml").write_text(BLOCK.format(scheme=scheme, law=law))
    assert main([command, "case.toml"]) == 2
    said = capsys.readouterr().err
    assert all(word in said for word in named), said
    assert "use one of" not in said or "euler-linearized" not in said or "restitution" not in law


def ball_model(**law):
    model = fm.Model(gravity=(0, 0, -9.81))
    for i in range(2):
        model.add(fm.Rigid(f"ball{i}", mass=1.0, inertia=(1.0, 1.0, 1.0), position=(0, 0, 1 + 3 * i)))
    model.add(fm.NodePlane("floor", node="ball0", normal=(0, 0, 1), **law))
    return model


@pytest.mark.parametrize(
    ("key", "law"),
    [("impact", {"impact": "poisson"}), ("cohesion", {"cohesion": {"normal_stiffness": 1e4, "energy": 1.0}})],
)
def test_spheres_name_the_law_that_is_in_the_way(key, law):
    model = ball_model(**law)
    model.add(fm.Spheres("balls", bodies=["ball0", "ball1"], radius=0.5))
    with pytest.raises(InputError, match="sphere-sphere") as refused:
        fm.simulate(model, fm.MoreauJean(), step=0.01, end=0.1)
    assert refused.value.key == key
    assert "floor" in str(refused.value)


def test_potra_says_that_impacts_are_poissons():
    with pytest.warns(RunWarning, match="Poisson"):
        fm.simulate(ball_model(restitution=0.5), fm.Potra(), step=0.01, end=0.02)
    assert not fm.Potra().notes(False)


def test_every_scheme_is_among_the_public_names():
    names = {cls.__name__ for cls in fm.SCHEMES.values()}
    assert names | {"ContactProblem"} <= set(dir(fm))
