"""Siconos on a contact problem with friction, for an interpreter that has it: seconds and impulses as JSON.

Reads W, b, mu and a guess (``numpy.savez``), rows (normal, tangents) contact by contact, and solves it with its
Gauss-Seidel methods: planar ones to an error of 1e-10 in its own measure, spatial ones, with W as a sparse matrix, to
1e-6 and to 1e-7.
"""

import json
import sys
import time

import numpy as np
import siconos.numerics as sn


def solve(driver, code, problem, guess, U, tolerance):
    """Return processor seconds and impulses."""
    options = sn.SolverOptions(code)
    options.dparam[sn.SICONOS_DPARAM_TOL] = tolerance
    options.iparam[sn.SICONOS_IPARAM_MAX_ITER] = 100_000
    P, begin = guess.copy(), time.process_time()
    driver(problem, P, U, options)
    return [time.process_time() - begin, P.tolist()]


def main(file: str) -> None:
    """Print {method: [seconds, impulses]}."""
    data = np.load(file)
    W, b, mu, guess = (np.ascontiguousarray(data[key], dtype=float) for key in ("W", "b", "mu", "guess"))
    out, U, spatial = {}, W @ guess + b, b.size == 3 * mu.size
    if spatial:
        from scipy import sparse

        for tolerance in (1e-6, 1e-7):
            problem = sn.FrictionContactProblem(3, mu.size, sparse.csc_matrix(W), b, mu)
            name = f"siconos_nsgs_{tolerance:g}"
            out[name] = solve(sn.fc3d_driver, sn.SICONOS_FRICTION_3D_NSGS, problem, guess, U.copy(), tolerance)
    methods = {"siconos_nsgs": sn.SICONOS_FRICTION_2D_NSGS, "siconos_lemke": sn.SICONOS_FRICTION_2D_LEMKE}
    for name, code in () if spatial else methods.items():
        if name.endswith("lemke") and mu.size > 200:
            continue
        problem = sn.FrictionContactProblem(2, mu.size, W, b, mu)
        out[name] = solve(sn.fc2d_driver, code, problem, guess, U.copy(), 1e-10)
    print(json.dumps(out))


main(sys.argv[1])
