"""Steps and the time loop of multibody systems."""
