"""The time loop of constant systems."""
