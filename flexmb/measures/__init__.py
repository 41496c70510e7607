"""How far a computed motion is from another: distances of graphs, norms on the grid, fitted orders."""

from flexmb.measures.graph_distance import excess, graph_distance
from flexmb.measures.norms import fitted_order, grid_norm

__all__ = ["excess", "fitted_order", "graph_distance", "grid_norm"]
