"""What each harness says and understands: read(payload) -> Call, answer(...) -> bytes."""
