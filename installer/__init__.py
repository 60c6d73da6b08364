"""Everything a person calls: plan a change to a harness's settings, show it, write it, take it back."""
