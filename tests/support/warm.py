"""Compile all kernels once before the tests start, so that the workers of pytest do not do it twice each.

python tests/support/warm.py          both halves, side by side
python tests/support/warm.py small    the loops of small motion
python tests/support/warm.py large    the loop of large motion
"""

from __future__ import annotations

import subprocess
import sys
import time

import flexmb as fm


def small() -> None:
    for scheme in (fm.MoreauJean(), fm.GeneralizedAlpha(), fm.SchatzmanPaoli()):
        model = fm.Model(gravity=(0, 0, -1))
        model.add(fm.Particle("ball", mass=1.0, position=(0, 0, 1)))
        model.add(fm.NodePlane("floor", node="ball", normal=(0, 0, 1)))
        fm.simulate(model, scheme, step=0.1, end=0.2)


def large() -> None:
    model = fm.Model(gravity=(0, 0, -1))
    model.add(fm.Rigid("rod", mass=1.0, inertia=[1.0, 1.0, 1.0], center=[0.5, 0, 0], points={"tip": [1, 0, 0]}))
    model.add(fm.Revolute("pin", a="rod", axis=[0, 1, 0]))
    model.add(fm.NodePlane("floor", node="rod.tip", point=[0, 0, -0.01], normal=[0, 0, 1]))
    fm.simulate(model, fm.GeneralizedAlpha(), step=0.1, end=0.3)


if __name__ == "__main__":
    halves = {"small": small, "large": large}
    if len(sys.argv) > 1:
        halves[sys.argv[1]]()
    else:
        began = time.perf_counter()
        runs = [subprocess.Popen([sys.executable, __file__, half]) for half in halves]
        codes = [run.wait() for run in runs]
        print(f"kernels compiled in {time.perf_counter() - began:.0f} s")
        sys.exit(max(codes))
