"""One module per harness, the same few names in each; base.py is the contract, registry.py the list."""
