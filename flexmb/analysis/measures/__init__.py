"""Distances between motions and comparison of solvers: distances, norms, orders, profiles, thinned curves."""

from flexmb.analysis.measures.graph_distance import excess, graph_distance
from flexmb.analysis.measures.norms import fitted_order, grid_norm
from flexmb.analysis.measures.profiles import PerformanceProfile, performance_profile
from flexmb.analysis.measures.thinning import kept, thinned

__all__ = [
    "PerformanceProfile",
    "excess",
    "fitted_order",
    "graph_distance",
    "grid_norm",
    "kept",
    "performance_profile",
    "thinned",
]
