"""A contact problem scaled such that the mean diagonal entry of W is 1, for first-order methods.

The scaled sets are cones again, and moments are measured like impulses:

    W~ = D W D,   b~ = D b,   P~ = P / D,   U~ = D U
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from flexmb.kernels.cones.cone_project import normal_rise, project_cones
from flexmb.kernels.cones.cone_residual import scaled_law
from flexmb.nonsmooth.problem import ContactProblem, residual
from flexmb.state import Array


class Scaled:
    """A contact problem in scaled variables.

    Parameters
    ----------
    problem : ContactProblem
    """

    def __init__(self, problem: ContactProblem) -> None:
        self.problem = problem
        self.D = D = problem.scales
        if problem.sparse:
            self.W: Any = sparse.csr_array(sparse.diags_array(D) @ problem.W @ sparse.diags_array(D))
        else:
            self.W = problem.W * D[:, None] * D
        self.b: Array = D * problem.b
        self.shape, self.start = problem.shape.copy(), problem.start
        self.law: Array = np.asarray(scaled_law(D, self.shape, self.start, problem.law))

    def project(self, x: Array) -> Array:
        """Return the projection onto the cones."""
        out = x.copy()
        project_cones(out, self.shape, self.start, self.law)
        return out

    def rise(self, x: Array) -> Array:
        """Return the term added to U~ at the impulses x: ``mu |U_T|`` on the normals, zero elsewhere."""
        out = np.empty_like(x)
        normal_rise(self.W @ x + self.b, self.shape, self.start, self.law, out)
        return out

    def residual(self, x: Array) -> float:
        """Return the residual of the impulses x."""
        return residual(self.problem, self.D * x) if np.isfinite(x).all() else float("inf")
