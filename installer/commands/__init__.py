"""One module per verb; each computes a Result and leaves the showing to the edge."""
