"""Calibration: parameters of a case that make its runs agree with data."""
