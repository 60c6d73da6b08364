"""`runaway setup` on a terminal: the wizard's questions, the real setup, the offer of a drill."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from dataclasses import replace

import typer

from .. import managed_scope
from ..commands import doctor, setup, uninstall
from ..errors import Refusal
from ..harnesses.registry import harness_named
from ..machine import Machine, this_machine
from ..policy_edit import Wishes
from ..result import Result
from . import preview, wizard
from .error_handler import INTERRUPTED, finish, say
from .preview import Preview
from .progress import line
from .prompts import Asker, Back, Choice, asker
from .wizard import Answers, Context

NOTHING_CHANGED = "Nothing was changed."
DRILL = (
    Choice("yes", "Yes, start the real agents against a model server on this machine"),
    Choice("no", "No (`runaway doctor --drill` does it any time)", ticked=True),
)


def run(given: Callable[[], setup.Options]) -> int:
    """The exit code; what was given on the command line is what the questions start from."""
    asking = asker()
    chosen: list[tuple[Machine, setup.Options]] = []

    def command() -> Result:
        machine = this_machine()
        options, without = _asked(asking, machine, given())
        chosen.append((machine, options))
        return _done(machine, options, without)

    code = finish("setup", command, json_wanted=False)
    if code == INTERRUPTED and not chosen:
        typer.echo(NOTHING_CHANGED, err=True)
    return code or _drill(asking, *chosen[0])


def _done(machine: Machine, options: setup.Options, without: uninstall.Options | None) -> Result:
    """Put in what is wanted, then take out what was unticked, and tell both."""
    result = setup.run(machine, options)
    if without is None:
        return result
    out = uninstall.run(machine, without)
    setup.run(machine, options)  # the policy names the files that hold an entry
    return replace(
        result,
        exit_code=max(result.exit_code, out.exit_code),
        messages=(*result.messages, *out.messages),
        lines=(*result.lines, *out.lines),
    )


def _asked(
    asking: Asker, machine: Machine, given: setup.Options
) -> tuple[setup.Options, uninstall.Options | None]:
    project = given.project or machine.cwd
    if not project.is_dir():
        raise Refusal(f"There is no folder {project}.", code="no-project", usage=True)
    for name in given.harnesses:
        harness_named(name)
    if given.scope == "managed":
        managed_scope.refuse_others(machine)
        machine = managed_scope.of(machine)
    with line() as tell:
        tell("Looking for your agents and their versions")
        offers = wizard.offers(machine, given.scope, project)

    def without(answers: Answers) -> uninstall.Options | None:
        return _without(machine, given, wizard.unticked(offers, answers))

    def shown(answers: Answers) -> Preview:
        return preview.of(machine, _options(given, answers), without(answers))

    def again(answers: Answers) -> str:
        return _command(_options(given, answers))

    spent = wizard.spent(machine)
    context = Context(asking, offers, spent, shown, again, not machine.shared)
    answers = wizard.ask(context, _start(wizard.held(machine), given, offers))
    return _options(given, answers), without(answers)


def _without(
    machine: Machine, given: setup.Options, names: tuple[str, ...]
) -> uninstall.Options | None:
    """Take them out of this scope alone, with the record of trust that belongs to it."""
    if not names:
        return None
    project = given.project or machine.cwd
    files = [
        one.path
        for harness in map(harness_named, names)
        for one in harness.consent_targets(
            machine, wizard.target(machine, harness, given.scope, project)
        )
    ]
    return uninstall.Options(names, project, given.scope == "managed", only=frozenset(files))


def _command(options: setup.Options) -> str:
    """What does the same without questions."""
    mode, session_cap, day_cap = options.wishes
    words = ["runaway", "setup", "--non-interactive"]
    words += [word for name in options.harnesses for word in ("--harness", name)]
    words += ["--spend-cap", f"{session_cap:g}", "--day-cap", f"{day_cap:g}", f"--{mode}"]
    words += ["--scope", options.scope] * (options.scope != "user")
    words += ["--project", str(options.project)] if options.project else []
    words += ["--trust-codex-hook"] * (options.trust_codex_hook and "codex" in options.harnesses)
    return shlex.join(words)


def _start(held: Answers, given: setup.Options, offers: tuple[wizard.Offer, ...]) -> Answers:
    """What was chosen before, overlaid by the options of the command line."""
    mode, session_cap, day_cap = given.wishes
    before = tuple(one.name for one in offers if one.wired)
    return Answers(
        tuple(dict.fromkeys((*given.harnesses, *before))),
        held.mode if mode is None else mode,
        held.session_cap if session_cap is None else session_cap,
        held.day_cap if day_cap is None else day_cap,
        given.trust_codex_hook or any(one.trusted for one in offers),
    )


def _options(given: setup.Options, answers: Answers) -> setup.Options:
    return given._replace(
        harnesses=answers.harnesses,
        wishes=Wishes(answers.mode, answers.session_cap, answers.day_cap),
        trust_codex_hook=answers.trust_codex,
    )


def _drill(asking: Asker, machine: Machine, options: setup.Options) -> int:
    """Whoever wants none, or leaves here, has finished setup all the same."""
    say("")
    try:
        wanted = asking.one("Prove now with a drill that it works?", DRILL)
    except (Back, KeyboardInterrupt, typer.Abort):
        return 0
    if wanted != "yes":
        return 0

    def command() -> Result:
        with line() as tell:
            chosen = doctor.Options(options.harnesses, options.project, drill=True)
            return doctor.run(machine, chosen, tell)

    return finish("doctor", command, json_wanted=False)
