"""From parts to the arrays of a multibody system: bodies register unknowns and places, everything else uses them."""
