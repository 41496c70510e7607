"""Smooth motion between events: phases, what lies inside a step, tables of Runge-Kutta methods, energy identities."""
