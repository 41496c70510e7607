"""ROSS on the rotor, for its own interpreter: reads the model and then requests from standard input, line by line.

Each line is JSON, and so is each answer, after the word ``ANSWER`` (ROSS prints other things too). The first line is
``RubRotor.plain()``, answered by the frequencies; then ``{"method": "default", "steps": 2000}`` is answered by the
processor seconds of the run and the final displacements of the loaded node.
"""

from __future__ import annotations

import json
import sys
import time
from typing import Any

import numpy as np
import ross as rs


def answer(values: dict[str, Any]) -> None:
    """Send an answer."""
    print("ANSWER", json.dumps(values), flush=True)


def make(plain: dict[str, Any]) -> rs.Rotor:
    """Return the rotor."""
    data = plain["material"]
    material = rs.Material("shaft", rho=data["density"], E=data["young"], Poisson=data["poisson"])
    rest = {"material": material, "rotary_inertia": True, "shear_effects": True, **plain["damping"]}
    shaft = [rs.ShaftElement(L=x, idl=0.0, odl=plain["outer_diameter"], **rest) for x in np.diff(plain["stations"])]
    disks = [rs.DiskElement(n=d["node"], m=d["mass"], Id=d["inertia"], Ip=d["polar_inertia"]) for d in plain["disks"]]
    bearings = [
        rs.BearingElement(
            n=b["node"],
            kxx=b["stiffness"][0][0],
            kyy=b["stiffness"][1][1],
            cxx=b["damping"][0][0],
            cyy=b["damping"][1][1],
            kzz=0.0,
            czz=0.0,
        )
        for b in plain["bearings"]
    ]
    return rs.Rotor(shaft, disks, bearings)


def main() -> None:
    """Answer until the input ends."""
    plain = json.loads(sys.stdin.readline())
    rotor, (node, size, phase) = make(plain), plain["force"]
    modes = rotor.run_modal(plain["speed"], num_modes=28)
    first = rotor.number_dof * node
    answer({"version": rs.__version__, "dofs": rotor.ndof, "frequencies": (modes.wd / (2.0 * np.pi)).tolist()})
    for line in sys.stdin:
        asked = json.loads(line)
        t = plain["step"] * np.arange(asked["steps"] + 1)
        force = np.zeros((t.size, rotor.ndof))
        for k, turned in enumerate((np.cos, np.sin)):
            force[:, first + k] = size * turned(plain["speed"] * t + phase)
        began = time.process_time()
        response = rotor.run_time_response(plain["speed"], force, t, method=asked["method"])
        seconds = time.process_time() - began
        answer({"seconds": seconds, "last": response.yout[-1, first : first + 2].tolist()})


if __name__ == "__main__":
    main()
