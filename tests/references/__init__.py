"""Solutions of benchmark problems that share no code with the program: minimal coordinates, closed forms, events."""
