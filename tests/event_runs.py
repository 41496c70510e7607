"""Short cuts for runs with located events."""

from __future__ import annotations

import numpy as np

import flexmb as fm
from flexmb.drive.engine import Plan
from flexmb.drive.events.event_engine import EventEngine
from flexmb.nonsmooth.solvers import ContactSolver
from flexmb.record.samples import ENERGY_COLUMNS

SCHEMES = {name: cls for name, cls in fm.SCHEMES.items() if cls.driver == "events"}


class Run:
    """A run to its end: all samples, the list of events, the engine."""

    def __init__(self, model, scheme, end, steps=100, tolerance=0.0, signals=None, solver=None, taken=None):
        self.system = model.assemble(signals=signals) if isinstance(model, fm.Model) else model
        scheme = SCHEMES[scheme]() if isinstance(scheme, str) else scheme
        plan = Plan(self.system, scheme, solver or ContactSolver(), end / steps, 0.0, steps, 1, steps, tolerance, True)
        self.engine = EventEngine(plan)
        first, self.block = self.engine.start(), self.engine.advance(steps if taken is None else taken)
        self.energy = np.concatenate([first.energy, self.block.energy])
        self.failure = self.engine.failure
        self.events = self.engine.motion.counts.events(self.system.contacts.labels)
        self.counts = self.engine.motion.counts.figures()
        self.state = self.engine.motion.state

    def times(self, *kinds):
        """Return the times of the events of some kinds."""
        return np.array([t for t, kind, _ in self.events if kind in kinds])

    @property
    def impulses(self):
        """Impulses of the contacts over the run, (nc,)."""
        return self.block.impulse.sum(axis=0)

    @property
    def contact_work(self):
        """Work of the contacts over the run, closings included, J."""
        return float(self.column("work_contact")[-1] + self.column("work_closing")[-1])

    def column(self, name):
        """Return an energy or a work at the samples."""
        return self.energy[:, ENERGY_COLUMNS.index(name)]

    @property
    def unexplained(self):
        """Largest energy without an explanation, over the largest that moved."""
        return float(np.abs(self.energy[:, 6]).max() / np.abs(self.energy[:, :6]).max())


def fitted_order(steps, errors):
    """Return the slope of a line through the logarithms of errors over those of step counts, its sign turned."""
    return -np.polyfit(np.log(steps), np.log(errors), 1)[0]


def ball(restitution=0.5, gravity=2.0, height=1.0, **more):
    """Return a mass over a plane."""
    model = fm.Model(gravity=(0, 0, -gravity))
    model.add(fm.Particle("ball", mass=1.0, position=(0, 0, height), axes="z"))
    model.add(fm.NodePlane("floor", node="ball", normal=(0, 0, 1), restitution=restitution, **more))
    return model


def double_pendulum():
    """Return two masses on rods before a wall (Potra et al. 2006, section 10.1)."""
    model = fm.Model(gravity=(0, -9.81, 0))
    one = np.array([np.sin(np.pi / 3), -np.cos(np.pi / 3), 0.0])
    two = one + [np.sin(np.pi / 5), -np.cos(np.pi / 5), 0.0]
    model.add(fm.Particle("upper", mass=1.0, position=one, axes="xy"))
    model.add(fm.Particle("lower", mass=1.0, position=two, axes="xy"))
    model.add(fm.Distance("rod1", a="ground", b="upper", point=(0, 0, 0)))
    model.add(fm.Distance("rod2", a="upper", b="lower"))
    model.add(fm.NodePlane("wall", nodes=["upper", "lower"], normal=(1, 0, 0), restitution=0.1))
    return model


def rocking_block(restitution=0.0, tilt=0.05):
    """Return a block 0.4 m x 1 m that stands on one of its lower corners, on a smooth plane."""
    b, h = 0.2, 0.5
    c, s = np.cos(tilt), np.sin(tilt)
    corner = np.array([-b * c + h * s, -b * s - h * c])  # of the left corner, turned by -tilt below
    model = fm.Model(gravity=(0, -9.81, 0))
    block = fm.RigidPlanar(
        "block",
        mass=1.0,
        inertia=(b * b + h * h) / 3.0,
        position=(0.0, -corner[1]),
        angle=tilt,
        points={"left": (-b, -h), "right": (b, -h)},
    )
    model.add(block)
    model.add(fm.NodePlane("floor", nodes=["block.left", "block.right"], normal=(0, 1, 0), restitution=restitution))
    return model
