"""Smooth motion between events: phases, dense output, tables of Runge-Kutta methods, energy identities."""
