"""Effects on users' files: everything that touches a disk passes through the writer in here."""

from __future__ import annotations
