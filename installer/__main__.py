"""`python -m runaway.installer` is the command `runaway`."""

from __future__ import annotations

from .cli import main

if __name__ == "__main__":
    main()
