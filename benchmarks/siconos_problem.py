"""Siconos on a planar contact problem with friction, for an interpreter that has it: seconds and impulses as JSON.

Reads W, b, mu and a guess (``numpy.savez``), rows (normal, tangent) contact by contact, and solves it with its
Gauss-Seidel methods to an error of 1e-10 in its own measure.
"""

import json
import sys
import time

import numpy as np
import siconos.numerics as sn


def main(file: str) -> None:
    """Print {method: [seconds, impulses]}."""
    data = np.load(file)
    W, b, mu, guess = (np.ascontiguousarray(data[key], dtype=float) for key in ("W", "b", "mu", "guess"))
    out = {}
    for name, code in (("siconos_nsgs", sn.SICONOS_FRICTION_2D_NSGS), ("siconos_lemke", sn.SICONOS_FRICTION_2D_LEMKE)):
        if name.endswith("lemke") and mu.size > 200:
            continue
        problem = sn.FrictionContactProblem(2, mu.size, W, b, mu)
        options = sn.SolverOptions(code)
        options.dparam[sn.SICONOS_DPARAM_TOL] = 1e-10
        options.iparam[sn.SICONOS_IPARAM_MAX_ITER] = 100_000
        P, U = guess.copy(), W @ guess + b
        begin = time.perf_counter()
        sn.fc2d_driver(problem, P, U, options)
        out[name] = [time.perf_counter() - begin, P.tolist()]
    print(json.dumps(out))


main(sys.argv[1])
