"""Ids as the harnesses make them: the doctor's own sessions and calls must not be told from others."""

from __future__ import annotations

import random
import secrets
import string
import time
import uuid

LETTERS = string.digits + string.ascii_letters


def uuid4() -> str:
    return str(uuid.uuid4())


def uuid7() -> str:
    """The first 48 bits are the time in milliseconds (RFC 9562)."""
    chance = uuid.uuid4().int & ~(((1 << 48) - 1) << 80) & ~(0xF << 76)
    return str(uuid.UUID(int=chance | time.time_ns() // 1_000_000 << 80 | 7 << 76))


def opencode() -> str:
    """`ses_`, twelve hex digits of the time, counted down, and fourteen letters or digits."""
    count = ~(time.time_ns() // 1_000_000 * 0x1000 + 1) & ((1 << 48) - 1)
    return f"ses_{count:012x}" + "".join(secrets.choice(LETTERS) for _ in range(14))


def of_call(session: str, number: int, count: int) -> str:
    """So many letters and digits, the same for the same call, in which nothing of the session's id is."""
    chance = random.Random(f"{session} {number}")  # noqa: S311  # no secret
    return "".join(chance.choices(LETTERS, k=count))
