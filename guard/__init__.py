"""The guard: runs before every tool call of a coding agent; standard library only."""

__version__ = "0.1.0"
