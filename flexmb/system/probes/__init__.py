"""Signals of systems in large motion, evaluated from whole states."""

from __future__ import annotations

from flexmb.system.probes.moving import MovingSystem
from flexmb.system.probes.probe import MultibodyProbe, default_names, probe

__all__ = ["MovingSystem", "MultibodyProbe", "default_names", "probe"]
