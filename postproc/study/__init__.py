"""Figures and the page of a study; reads study folders only."""
