"""What a call would do to the guard: loaded for a call that names something of ours, and for no other."""
