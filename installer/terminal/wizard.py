"""The questions of `runaway setup` on a terminal; what comes out are plain answers.

Nothing is written here. Each step takes the answers so far and gives new ones, or None where there is
nothing to ask; going back keeps them, as what is offered then.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

import typer

from ...guard.policy import UNATTENDED_CAP
from .. import fitting, policy_file, sessions
from ..errors import Refusal
from ..harnesses.base import Harness, Scope
from ..harnesses.registry import HARNESSES
from ..machine import Machine
from ..plan import Target, is_installed
from . import streams
from .preview import Preview, page
from .prompts import Asker, Back, Choice

VERSION = re.compile(r"\d+(?:\.\d+)+")
VERSION_WAIT = 5  # seconds for `PROGRAM --version`
SESSION_CAP, DAY_CAP = 20.0, 100.0  # dollars, offered where the policy has none

WELCOME = (
    "runaway puts its hook into the settings of your coding agents. You see every change first; "
    "nothing is written before your last yes. Ctrl-C leaves everything as it is."
)
ABOUT_SESSION_CAP = (
    "Maximum dollars for one session, its subagents included. Near the cap you are asked before "
    "each call; an unattended run is blocked, then ended. 0 turns the cap off (unattended runs "
    f"still stop at ${UNATTENDED_CAP:g}). In scripts: `--spend-cap`."
)
ABOUT_DAY_CAP = (
    "Maximum dollars for all your agents together in one day. Beyond it, the same happens in every "
    "session. 0 turns the cap off. In scripts: `--day-cap`."
)
MODES = (
    Choice("enforce", "Enforce: ask, deny or end the turn when a wire trips"),
    Choice("observe", "Observe: only log what would have been stopped"),
)
WRITE, SHOW, BACK, CANCEL = "write", "show", "back", "cancel"
MENU = 6  # columns that a menu puts before each choice


class Offer(NamedTuple):
    """A harness as it is on this machine."""

    name: str
    display: str
    version: str
    detected: bool
    wired: bool
    place: str
    trusted: bool = False  # the record that it may run our hook is there already


class Answers(NamedTuple):
    """What the person wants; dollars, 0 is off."""

    harnesses: tuple[str, ...]
    mode: str
    session_cap: float
    day_cap: float
    trust_codex: bool = False


class Context(NamedTuple):
    """What the steps need to know beside the answers so far."""

    asker: Asker
    offers: tuple[Offer, ...]
    spent: tuple[str, str]  # what sessions and days have cost so far, as sentences
    preview: Callable[[Answers], Preview]
    again: Callable[[Answers], str]  # the command that does the same without questions
    needs_trust: bool = True  # not what the machine's owner puts in


def offers(machine: Machine, scope: Scope, project: Path) -> tuple[Offer, ...]:
    """The harnesses that have this scope, the ones on this machine first."""
    known = [harness for harness in HARNESSES.values() if scope in harness.SCOPES]
    with ThreadPoolExecutor() as pool:
        found = list(pool.map(lambda harness: _offer(machine, harness, scope, project), known))
    return tuple(sorted(found, key=lambda one: not one.detected))


def _offer(machine: Machine, harness: Harness, scope: Scope, project: Path) -> Offer:
    detected = harness.detect(machine)
    file = target(machine, harness, scope, project)
    return Offer(
        harness.NAME,
        harness.DISPLAY,
        _version(machine, detected.program) if detected and detected.program else "",
        detected is not None,
        is_installed(file),
        machine.tilde(file.path),
        harness.CONSENT is not None and _has_all(harness.consent_targets(machine, file)),
    )


def target(machine: Machine, harness: Harness, scope: Scope, project: Path) -> Target:
    """The file in which this scope keeps the harness's settings."""
    return harness.edit_target(machine, scope, harness.path(machine, scope, project))


def _has_all(targets: Sequence[Target]) -> bool:
    """Would setup, asked to record the person's trust, leave these files as they are?"""
    try:
        found = [(one, one.path.read_bytes()) for one in targets]
        return all(one.install_entry(data).data == data for one, data in found)
    except (OSError, Refusal):
        return False


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


def unticked(offers: Sequence[Offer], answers: Answers) -> tuple[str, ...]:
    """The guarded agents that the person wants to be guarded no more."""
    return tuple(one.name for one in offers if one.wired and one.name not in answers.harnesses)


def ask(context: Context, answers: Answers) -> Answers:
    """Step by step, back and forth. typer.Abort is a no, KeyboardInterrupt Ctrl-C."""
    _tell(f"{WELCOME}\n")
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
    ticked = context.asker.many("Which agents should be guarded?", choices)
    return answers._replace(harnesses=ticked)


def _choice(offer: Offer, chosen: Sequence[str]) -> Choice:
    """Ticked are those that were chosen before, at first those on this machine."""
    name = f"{offer.display} {offer.version}".strip()
    state = f"guarded in {offer.place}" if offer.wired else offer.place
    if not (offer.detected or offer.wired):
        state = "not found"
    ticked = offer.name in chosen if chosen else offer.detected
    title = fitting.middle_cut(f"{name:24} {state}", _columns() - MENU)
    return Choice(offer.name, title, ticked)


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
    return answers._replace(mode=context.asker.one("What should the guard do?", choices))


def _trust(context: Context, answers: Answers) -> Answers | None:
    trusted = {one.name for one in context.offers if one.trusted}
    found = (HARNESSES[name].CONSENT for name in answers.harnesses if name not in trusted)
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
    """Every change in a line, and the last question; None when there is nothing to write."""
    preview = context.preview(answers)
    _tell(f"\n{preview.text}\n")
    if not (preview.changes or preview.refused):
        return None
    _tell(f"The same without questions: `{context.again(answers)}`\n")
    choices = [
        Choice(WRITE, "Yes, write this"),
        Choice(SHOW, "Show the full diff first"),
        Choice(BACK, "Back to the questions"),
        Choice(CANCEL, "No, leave everything as it is"),
    ]
    allowed = choices[2:] if preview.refused else choices
    while (picked := context.asker.one("Write these changes?", allowed)) == SHOW:
        page(preview.diff)
    if picked == BACK:
        raise Back
    if picked == CANCEL:
        raise typer.Abort
    return answers


def _explain(*texts: str) -> None:
    _tell("\n" + "\n".join(filter(None, texts)))


def _tell(text: str) -> None:
    streams.write_wrapped(sys.stdout, text)


def _columns() -> int:
    return shutil.get_terminal_size().columns


STEPS = (_harnesses, _session_cap, _day_cap, _mode, _trust, _confirm)
