"""How far a computed motion is from another, and solvers compared: distances, norms, orders, profiles, fewer points."""

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
