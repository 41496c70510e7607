"""What ``simulate`` refuses: it must never run on with a number that is not one."""

import numpy as np
import pytest

import flexmb as fm
from flexmb.errors import InputError


@pytest.fixture
def ball():
    model = fm.Model(gravity=(0, 0, -10))
    model.add(fm.Particle("ball", 1.0, position=(0, 0, 1), axes="z"))
    model.add(fm.NodePlane("floor", node="ball", normal=(0, 0, 1), restitution=0.5))
    return model


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"steps": 2.5, "end": 0.2}, r"time\.steps = 2\.5.*integer"),
        ({"steps": True, "end": 0.2}, r"time\.steps = True.*integer"),
        ({"steps": 0, "end": 0.2}, r"time\.steps = 0.*least 1"),
        ({"step": "a", "end": 0.2}, r"time\.step = 'a'.*number"),
        ({"step": 0.1, "end": "b"}, r"time\.end = 'b'.*number"),
        ({"step": 0.1}, r"time\.end"),
        ({"step": -0.1, "end": 0.2}, r"time\.step = -0\.1.*positive number"),
        ({"step": float("nan"), "end": 0.2}, r"time\.step = nan"),
        ({"step": 0.1, "steps": 2, "end": 0.2}, "step, steps.*tolerance"),
        ({"step": 0.03, "end": 0.2}, "divide.*time span"),
        ({"step": 0.1, "end": 0.2, "every": 0}, r"output\.every = 0.*least 1"),
        ({"step": 0.1, "end": 0.2, "every": 1.5}, r"output\.every = 1\.5.*integer"),
        ({"step": 0.1, "end": 0.2, "fields_every": 0}, r"output\.fields_every = 0.*least 1"),
        ({"step": 0.1, "end": 0.2, "engine": "fast"}, "engine = 'fast'"),
    ],
)
def test_settings_are_refused(ball, settings, words):
    with pytest.raises(InputError, match=words):
        fm.simulate(ball, fm.MoreauJean(), **settings)


def test_numbers_of_numpy_are_named_as_numbers() -> None:
    assert str(InputError("is wrong", key="step", value=np.float64(0.5))) == "step = 0.5: is wrong"
    assert "array" in str(InputError("is wrong", key="step", value=np.zeros(2)))
