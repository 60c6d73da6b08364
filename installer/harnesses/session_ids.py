"""Session ids as the harnesses make them: the doctor's own must not be told from others."""

from __future__ import annotations

import secrets
import string
import time
import uuid

LETTERS = string.digits + string.ascii_letters


def uuid4() -> str:
    return str(uuid.uuid4())


def uuid7() -> str:
    """The first 48 bits are the time in milliseconds (RFC 9562)."""
    random = uuid.uuid4().int & ~(((1 << 48) - 1) << 80) & ~(0xF << 76)
    return str(uuid.UUID(int=random | time.time_ns() // 1_000_000 << 80 | 7 << 76))


def opencode() -> str:
    """`ses_`, twelve hex digits of the time, counted down, and fourteen letters or digits."""
    count = ~(time.time_ns() // 1_000_000 * 0x1000 + 1) & ((1 << 48) - 1)
    return f"ses_{count:012x}" + letters(14)


def letters(count: int) -> str:
    return "".join(secrets.choice(LETTERS) for _ in range(count))
