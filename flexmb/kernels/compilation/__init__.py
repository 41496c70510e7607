"""How kernels are compiled, kept in files, and called by address."""
