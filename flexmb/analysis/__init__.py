"""Analyses without a time loop, or of its results: modes, spectra, rotors, exact solutions, errors."""
