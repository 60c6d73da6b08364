"""Replay: the guard's own wires over past sessions, to see what would have tripped and when."""
