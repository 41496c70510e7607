"""From parts to the arrays of a multibody system: bodies register unknowns and markers, the other parts use them."""
