"""Calibration: parameters of a case fitted to data."""
