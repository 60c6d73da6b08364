"""`runaway stop` and `runaway start`: a person stops every agent, one harness or one session, at once."""

from __future__ import annotations

import json
from typing import NamedTuple

from ...guard.halt import EVERYTHING, scope
from .. import managed_scope, policy_file, sessions
from ..errors import Refusal
from ..harnesses.registry import HARNESSES, harness_named
from ..machine import Machine
from ..result import Result


class What(NamedTuple):
    """Everything, where neither is named; a session may be named by the beginning of its id."""

    session: str = ""
    harness: str = ""


def stop(machine: Machine, what: What) -> Result:
    """From now on every further call is denied; what runs at this moment is not killed."""
    before = _stopped(machine)
    wanted, name = _scope(machine, what)
    after = sorted({*before, wanted})
    _install(machine, after)
    lines = (
        f"Stopped: {name}. Every further call is denied and prompts are held back, until you say:",
        f"  runaway start{_options(what)}",
        "A command or a response that is running right now comes to its end.",
    )
    return Result("stop", "stopped", data={"stopped": after}, lines=lines)


def start(machine: Machine, what: What) -> Result:
    """Takes back one `stop`, or all of them where nothing is named."""
    before = _stopped(machine)
    wanted, name = _scope(machine, what)
    after = [one for one in before if one != wanted] if wanted else []
    if wanted and wanted not in before:
        text = f"{name[:1].upper()}{name[1:]} is not stopped by you."
        fix = "`runaway status` tells what is; `runaway start` lets everything go on."
        raise Refusal(text, code="not-stopped", fix=fix)
    _install(machine, after)
    line = f"{name[:1].upper()}{name[1:]} may go on." if before else "Nothing was stopped."
    left = ("Still stopped: see `runaway status`.",) if after else ()
    status = "stopped" if after else "ok"
    return Result("start", status, data={"stopped": after}, lines=(line, *left))


def _scope(machine: Machine, what: What) -> tuple[str, str]:
    """As the policy has it, and for a person. Refusal: there is no such session or harness."""
    if what.session:
        found = sessions.chosen(managed_scope.served(machine), what.session)
        if what.harness and what.harness != found.harness:
            text = f"Session {found.session[:8]} is one of {HARNESSES[found.harness].DISPLAY}."
            raise Refusal(text, code="no-session", usage=True)
        return scope(found.harness, found.session), f"session {found.session[:8]}"
    if what.harness:
        return what.harness, harness_named(what.harness).DISPLAY
    return EVERYTHING, "every agent"


def _options(what: What) -> str:
    harness = f" --harness {what.harness}" if what.harness else ""
    return (f" --session {what.session}" if what.session else "") + harness


def _stopped(machine: Machine) -> list[str]:
    """Refusal: there is no guard that could stop anything, or it is the owner's."""
    if not (machine.data / "policy.json").exists():
        if managed_scope.is_in_place(managed_scope.of(machine)):
            text = "The guard on this machine is its owner's: only the owner can stop it for all."
            fix = "Set up one of your own with `runaway setup`, or ask the owner."
            raise Refusal(text, code="managed", fix=fix)
        text = "The guard is not installed on this machine."
        raise Refusal(text, code="not-installed", fix="Run `runaway setup`.")
    if not policy_file.in_place(machine):
        text = "The guard's policy is damaged, so nothing can be stopped by it."
        raise Refusal(text, code="damaged-policy", fix="Run `runaway setup`.")
    return policy_file.stopped(machine)


def _install(machine: Machine, stopped: list[str]) -> None:
    policy = {**policy_file.in_place(machine), "stopped": stopped}
    policy_file.install(machine, json.dumps(policy, indent=2).encode())
