"""Studies: one file that varies a case, measures every run and defines figures."""
