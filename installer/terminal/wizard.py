"""The questions of `runaway setup` on a terminal; what comes out are plain answers.

Nothing is written here. Each step takes the answers so far and gives new ones, or None where there is
nothing to ask; going back keeps them, as what is offered then.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

import typer

from ...guard.policy import UNATTENDED_CAP
from .. import policy_file, sessions
from ..harnesses.base import Harness, Scope
from ..harnesses.registry import HARNESSES
from ..machine import Machine
from ..plan import is_installed
from .prompts import Asker, Back, Choice

VERSION = re.compile(r"\d+(?:\.\d+)+")
VERSION_WAIT = 5  # seconds for `PROGRAM --version`
SESSION_CAP, DAY_CAP = 20.0, 100.0  # dollars, offered where the policy has none

WELCOME = """\
runaway puts one hook entry into the settings of your coding agents. It shows
every change first, and writes nothing before the last yes. Ctrl-C leaves all
as it is."""
ABOUT_SESSION_CAP = f"""\
The most that one session may cost, in dollars, its subagents included. Near
the cap you are asked before each call; an unattended run is blocked, then
ended. 0 turns the cap off (unattended runs still stop at
${UNATTENDED_CAP:g})."""
ABOUT_DAY_CAP = """\
The most that all your agents together may cost in one day, in dollars; beyond
it the same happens in every session. 0 turns the cap off."""
MODES = (
    Choice("enforce", "Enforce: ask, deny or end the turn when a wire trips"),
    Choice("observe", "Observe: only log what would have been stopped"),
)
WRITE, BACK, CANCEL = "write", "back", "cancel"


class Offer(NamedTuple):
    """A harness as it is on this machine."""

    name: str
    display: str
    version: str
    detected: bool
    wired: bool
    place: str


class Answers(NamedTuple):
    """What the person wants; dollars, 0 is off."""

    harnesses: tuple[str, ...]
    mode: str
    session_cap: float
    day_cap: float
    trust_codex: bool = False


class Preview(NamedTuple):
    """What these answers would change, as text; `refused`: there is nothing that could be written."""

    text: str
    changes: bool
    refused: bool


class Context(NamedTuple):
    """What the steps need to know beside the answers so far."""

    asker: Asker
    offers: tuple[Offer, ...]
    spent: tuple[str, str]  # what sessions and days have cost so far, as sentences
    preview: Callable[[Answers], Preview]
    needs_trust: bool = True  # not what the machine's owner puts in


def offers(machine: Machine, scope: Scope, project: Path) -> tuple[Offer, ...]:
    """The harnesses that have this scope, the ones on this machine first."""
    known = [harness for harness in HARNESSES.values() if scope in harness.SCOPES]
    with ThreadPoolExecutor() as pool:
        found = list(pool.map(lambda harness: _offer(machine, harness, scope, project), known))
    return tuple(sorted(found, key=lambda one: not one.detected))


def _offer(machine: Machine, harness: Harness, scope: Scope, project: Path) -> Offer:
    detected = harness.detect(machine)
    path = harness.path(machine, scope, project)
    return Offer(
        harness.NAME,
        harness.DISPLAY,
        _version(machine, detected.program) if detected and detected.program else "",
        detected is not None,
        is_installed(harness.edit_target(machine, scope, path)),
        machine.tilde(path),
    )


def _version(machine: Machine, program: Path) -> str:
    """As the program tells it, started outside of any project; empty where it tells none."""
    try:
        done = subprocess.run(
            [program, "--version"],
            env=machine.environ,
            cwd=program.parent,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=VERSION_WAIT,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    found = VERSION.search(done.stdout.decode("utf-8", "replace"))
    return found[0] if found else ""


def held(machine: Machine) -> Answers:
    """What the policy says now; caps are offered where it says nothing."""
    config = machine.config_file
    values = policy_file.parse(policy_file.read(config), machine.tilde(config))
    spend = values.get("spend", {})
    mode = values.get("mode", policy_file.MODES[0])
    return Answers((), mode, spend.get("session_cap", SESSION_CAP), spend.get("day_cap", DAY_CAP))


def spent(machine: Machine) -> tuple[str, str]:
    """The dearest session and day so far, to judge a cap by."""
    session = max((one.dollars for one in sessions.sessions(machine).rows), default=0.0)
    days = sessions.days(machine).steps.values()
    day = max((sum(step["dollars"] for step in steps) for steps in days), default=0.0)
    return (
        f"Your dearest session so far: ${session:.2f}." if session else "",
        f"Your dearest day so far: ${day:.2f}." if day else "",
    )


def ask(context: Context, answers: Answers) -> Answers:
    """Step by step, back and forth. typer.Abort is a no, KeyboardInterrupt Ctrl-C."""
    typer.echo(f"{WELCOME}\n")
    asked: list[int] = []
    position = 0
    while position < len(STEPS):
        try:
            after = STEPS[position](context, answers)
        except Back:
            position = asked.pop() if asked else position
            continue
        if after is not None:
            asked.append(position)
            answers = after
        position += 1
    return answers


def _harnesses(context: Context, answers: Answers) -> Answers:
    choices = [_choice(one, answers.harnesses) for one in context.offers]
    ticked = context.asker.many("Which agents shall be guarded?", choices)
    return answers._replace(harnesses=ticked)


def _choice(offer: Offer, chosen: Sequence[str]) -> Choice:
    """Ticked are those that were chosen before, at first those on this machine."""
    name = f"{offer.display} {offer.version}".strip()
    state = f"guarded already in {offer.place}" if offer.wired else offer.place
    ticked = offer.name in chosen if chosen else offer.detected
    return Choice(offer.name, f"{name:24} {state if offer.detected else 'not found'}", ticked)


def _session_cap(context: Context, answers: Answers) -> Answers:
    _explain(ABOUT_SESSION_CAP, context.spent[0])
    value = context.asker.amount("Dollars per session:", answers.session_cap)
    return answers._replace(session_cap=value)


def _day_cap(context: Context, answers: Answers) -> Answers:
    _explain(ABOUT_DAY_CAP, context.spent[1])
    value = context.asker.amount("Dollars per day:", answers.day_cap)
    return answers._replace(day_cap=value)


def _mode(context: Context, answers: Answers) -> Answers:
    choices = [one._replace(ticked=one.value == answers.mode) for one in MODES]
    return answers._replace(mode=context.asker.one("What shall the guard do?", choices))


def _trust(context: Context, answers: Answers) -> Answers | None:
    found = (HARNESSES[name].CONSENT for name in answers.harnesses)
    consent = next(filter(None, found), None)
    if consent is None or not context.needs_trust:
        return None
    _explain(consent.about)
    held = "yes" if answers.trust_codex else "no"
    choices = [
        Choice(value, text, ticked=value == held)
        for value, text in (("no", consent.no), ("yes", consent.yes))
    ]
    picked = context.asker.one(consent.question, choices)
    return answers._replace(trust_codex=picked == "yes")


def _confirm(context: Context, answers: Answers) -> Answers | None:
    """The whole change, and the last question; None when there is nothing to write."""
    preview = context.preview(answers)
    typer.echo(f"\n{preview.text}\n")
    if not (preview.changes or preview.refused):
        return None
    choices = [
        Choice(WRITE, "Yes, write this"),
        Choice(BACK, "Back to the questions"),
        Choice(CANCEL, "No, leave everything as it is"),
    ]
    allowed = choices[1:] if preview.refused else choices
    picked = context.asker.one("Shall this be written?", allowed)
    if picked == BACK:
        raise Back
    if picked == CANCEL:
        raise typer.Abort
    return answers


def _explain(*texts: str) -> None:
    typer.echo("\n" + "\n".join(filter(None, texts)))


STEPS = (_harnesses, _session_cap, _day_cap, _mode, _trust, _confirm)
