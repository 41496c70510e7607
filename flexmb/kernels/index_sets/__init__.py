"""Many contacts: index sets on the bordered matrix of the closed ones."""
