"""The wires: pure functions from an agent's memory and the policy to a Verdict."""
