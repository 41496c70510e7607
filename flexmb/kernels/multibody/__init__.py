"""Evaluation of multibody systems: forces, momentum, tangents, joints."""
