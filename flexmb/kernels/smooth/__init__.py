"""Explicit and half-explicit Runge-Kutta steps between events."""
