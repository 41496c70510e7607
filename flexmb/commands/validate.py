"""Check case files, keys and physics, without running them."""

from __future__ import annotations

import argparse
import sys


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``flexmb validate``."""
    parser.add_argument("cases", metavar="CASE", nargs="+", help="case files or names of shipped cases")
    set_help = "override a key by its dotted name, e.g. time.step=1e-4"
    parser.add_argument("--set", metavar="KEY=VALUE", action="append", default=[], dest="overrides", help=set_help)


def main(args: argparse.Namespace) -> int:
    """Validate all cases, continuing after an invalid one."""
    from flexmb.case import load_case
    from flexmb.commands.notes import print_notes, print_system_notes
    from flexmb.errors import InputError
    from flexmb.record.summary_text import counted, size_words

    code = 0
    for name in args.cases:
        try:
            case = load_case(name, args.overrides)
            print_notes(case)
            plan = case.plan
        except InputError as err:
            if getattr(args, "debug", False):
                raise
            print(f"flexmb: error: {err}", file=sys.stderr)
            code = 2
            continue
        print_system_notes(case)
        joints = plan.system.joints
        size = size_words(plan.system.nv, 0 if joints is None else len(joints.names), plan.system.contacts.nc)
        steps = f"{counted(plan.steps, 'step')} of {plan.h:g} s"
        if plan.tolerance:
            steps = f"tolerance {plan.tolerance:g}, {counted(plan.steps, 'interval')} of {plan.h:g} s"
        print(f"{name}: ok ({size}, {steps}, {case.scheme.name})")
    return code
