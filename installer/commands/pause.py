"""`runaway pause`: a person lets everything pass for a while."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from .. import managed_scope, policy_file
from ..durations import age
from ..errors import Refusal
from ..machine import Machine
from ..result import Result


def _policy(path: Path) -> dict[str, Any] | None:
    """What setup has compiled; None where there is nothing that could be changed."""
    try:
        policy = json.loads(policy_file.read(path) or b"null")
    except (ValueError, RecursionError):
        return None
    return policy if isinstance(policy, dict) else None


def run(machine: Machine, until: float, now: float) -> Result:
    """Nothing is blocked until then; 0 ends a pause."""
    path = machine.data / "policy.json"
    policy = _policy(path)
    if policy is None:
        if managed_scope.is_in_place(managed_scope.of(machine)):
            text = "The guard on this machine is its owner's: only the owner can pause it."
            fix = "A session of yours that was stopped goes on with `runaway resume`."
            raise Refusal(text, code="managed", fix=fix)
        text = "The guard is not installed on this machine, or its policy is damaged."
        raise Refusal(text, code="not-installed", fix="Run `runaway setup`.")
    policy["paused_until"] = until
    policy_file.install(machine, json.dumps(policy, indent=2).encode())
    line = f"Nothing is blocked for {age(until - now)}." if until else "The guard is at work again."
    return Result(
        "pause", "paused" if until else "ok", data={"until": until or None}, lines=(line,)
    )
