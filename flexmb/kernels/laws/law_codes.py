"""Codes and places of the numbers of contact laws (``flexmb.laws``)."""

COULOMB, STRIBECK, RATE_AND_STATE = 0, 1, 2
"""Kinds of friction, in column 1 of the numbers of a law; column 0 has mu."""

THETA, BETA, U_1, U_2 = 0, 1, 2, 3
"""Rows of the state of the laws: theta of rate and state (s), intensity of cohesion, displacements along tangents."""

STATES = 4
"""Numbers of the state of the laws of a contact."""
