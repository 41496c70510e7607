"""From the parts of a model to the integrated system: constant matrices, or large motion."""
