"""Proof with the real thing: a harness CLI run headless against a model server on loopback."""
