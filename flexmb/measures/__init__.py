"""How far a computed motion is from another, and solvers compared: distances, norms, orders, profiles, fewer points."""

from flexmb.measures.graph_distance import excess, graph_distance
from flexmb.measures.norms import fitted_order, grid_norm
from flexmb.measures.profiles import PerformanceProfile, performance_profile
from flexmb.measures.thinning import kept, thinned

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
