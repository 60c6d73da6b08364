"""The doctor on money that a harness computes itself: nothing for a model without a price."""

from __future__ import annotations

from collections.abc import Iterator

from .. import sessions
from ..machine import Machine
from .base import Check

NEWEST = 20  # sessions


def checks(machine: Machine, harness: str, display: str) -> Iterator[Check]:
    """SPEND knows what the harness computes: nothing for a subscription or a model without a price."""
    own = [one for one in sessions.sessions(machine).rows if one.harness == harness][:NEWEST]
    told = sum(one.dollars > 0 for one in own)
    if own and not told:
        message = f"{display} reckoned no cost for any of the last {len(own)} sessions."
        fix = "Where it should not be 0: `runaway prices set MODEL INPUT OUTPUT`."
        yield Check(harness, "fires.spend", "info", message, fix)
    elif own:
        message = f"{display} reckoned a cost for {told} of the last {len(own)} sessions."
        yield Check(harness, "fires.spend", "ok", message)
