"""What is computed without a time loop, or from its results: modes, spectra, rotors, exact solutions, errors."""
