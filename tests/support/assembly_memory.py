"""Memory that the assembly of a model takes."""

from __future__ import annotations

import tracemalloc

from flexmb.system.model import Model


def peak(model: Model) -> int:
    """Return the most bytes that were held at once while a model was assembled."""
    tracemalloc.start()
    try:
        model.assemble()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
