"""What a test needs and is not there: locally the test is skipped, in CI it fails."""

from __future__ import annotations

import os
from typing import NoReturn

import pytest


def missing(reason: str) -> NoReturn:
    """Skip for want of something; in CI that is a failure."""
    if any(os.environ.get(name) for name in ("CI", "FLEXMB_CI")):
        pytest.fail(reason)
    pytest.skip(reason)
