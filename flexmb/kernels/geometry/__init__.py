"""Tables of a system, rotations, curves, markers, rows between markers and their derivatives."""
