"""Compile the code for cases, or for everything, in advance on all processors."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time

FAMILIES = {
    "small motion": "for scheme in (fm.MoreauJean(), fm.GeneralizedAlpha(), fm.SchatzmanPaoli()): warm(ball(), scheme)",
    "large motion": "warm(pendulum(), fm.GeneralizedAlpha())",
    "what few runs need": "from flexmb.drive.warm import warm_rare; warm_rare()",
}
"""What is compiled if no case is given, each item in its own process."""

MODELS = """
import flexmb as fm

def ball():
    model = fm.Model(gravity=(0, 0, -1))
    model.add(fm.Particle("ball", mass=1.0, position=(0, 0, 1)))
    model.add(fm.NodePlane("floor", node="ball", normal=(0, 0, 1)))
    return model

def pendulum():
    model = fm.Model(gravity=(0, 0, -1))
    model.add(fm.Rigid("rod", mass=1.0, inertia=[1.0, 1.0, 1.0], center=[0.5, 0, 0], points={"tip": [1, 0, 0]}))
    model.add(fm.Revolute("pin", a="rod", axis=[0, 1, 0]))
    model.add(fm.NodePlane("floor", node="rod.tip", point=[0, 0, -0.01], normal=[0, 0, 1]))
    return model

def warm(model, scheme):
    fm.simulate(model, scheme, step=0.1, end=0.3)
"""
CASE = """
import sys
from flexmb.case import load_case
from flexmb.drive.warm import warm_plan
warm_plan(load_case(sys.argv[1]).plan)
"""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``flexmb warm``."""
    words = "case files or names of shipped cases; none: everything"
    parser.add_argument("cases", metavar="CASE", nargs="*", help=words)
    parser.add_argument("--quiet", action="store_true", help="print errors only")


def main(args: argparse.Namespace) -> int:
    """Compile in as many processes as there are processors; print what is compiled and the time taken."""
    from flexmb.case import load_case

    for case in args.cases:
        load_case(case)  # an invalid name or file is reported before the compilation starts
    began = time.perf_counter()
    if args.cases:
        jobs = {case: [CASE, case] for case in args.cases}
    else:
        jobs = {name: [MODELS + code] for name, code in FAMILIES.items()}
    waiting, running, codes = list(jobs.items()), dict[str, subprocess.Popen[bytes]](), list[int]()
    while waiting or running:
        while waiting and len(running) < (os.cpu_count() or 1):
            name, words = waiting.pop(0)
            if not args.quiet:
                print(f"compiling: {name} ...", file=sys.stderr, flush=True)
            running[name] = subprocess.Popen([sys.executable, "-c", *words])
        time.sleep(0.05)
        for name in [name for name, process in running.items() if process.poll() is not None]:
            codes.append(running.pop(name).returncode)
    if not args.quiet and not any(codes):
        print(f"compiled in {time.perf_counter() - began:.0f} s")
    return 3 if any(codes) else 0
