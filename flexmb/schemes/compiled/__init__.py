"""Compiled steps of schemes: the definitions of ``flexmb.schemes``, over arrays.

One file holds the compiled step of a family for constant systems: its parameters as a named tuple, and the step that
``march.step_of`` makes known for them. ``compiled_step`` returns the parameters. Modules of this folder
build on ``flexmb.kernels`` and on each other only: their compiled files are kept as those of kernels are.
"""

from flexmb.kernels.compilation.sources import PACKAGES

PACKAGES.add(__name__)
