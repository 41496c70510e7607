"""Finite elements on lines: sections, materials, meshes, element families. The only importer of scikit-fem."""

from flexmb.fem.material import Material
from flexmb.fem.section import Section

__all__ = ["Material", "Section"]
