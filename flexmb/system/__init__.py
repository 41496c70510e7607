"""From the parts of a model to the system that is integrated: constant matrices, or large motion."""
