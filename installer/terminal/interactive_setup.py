"""`runaway setup` on a terminal: the wizard's questions, the real setup, the offer of a drill."""

from __future__ import annotations

import sys
from collections.abc import Callable

import typer

from .. import colour, managed_scope
from ..commands import doctor, setup
from ..errors import Refusal
from ..harnesses.registry import harness_named
from ..machine import Machine, this_machine
from ..policy_edit import Wishes
from ..printable import printable_lines
from ..result import Result
from . import wizard
from .error_handler import INTERRUPTED, finish, say
from .progress import line
from .prompts import Asker, Back, Choice, asker
from .wizard import Answers, Context, Preview

NOTHING_CHANGED = "Nothing was changed."
DRILL = (
    Choice("yes", "Yes, start the real agents against a model server on this machine"),
    Choice("no", "No (`runaway doctor --drill` does it at any time)", ticked=True),
)


def run(given: Callable[[], setup.Options]) -> int:
    """The exit code; what was given on the command line is what the questions start from."""
    asking = asker()
    chosen: list[tuple[Machine, setup.Options]] = []

    def command() -> Result:
        machine = this_machine()
        options = _asked(asking, machine, given())
        chosen.append((machine, options))
        return setup.run(machine, options)

    code = finish("setup", command, json_wanted=False)
    if code == INTERRUPTED and not chosen:
        typer.echo(NOTHING_CHANGED, err=True)
    return code or _drill(asking, *chosen[0])


def _asked(asking: Asker, machine: Machine, given: setup.Options) -> setup.Options:
    project = given.project or machine.cwd
    if not project.is_dir():
        raise Refusal(f"There is no folder {project}.", code="no-project", usage=True)
    for name in given.harnesses:
        harness_named(name)
    if given.scope == "managed":
        managed_scope.refuse_others(machine)
        machine = managed_scope.of(machine)
    offers = wizard.offers(machine, given.scope, project)

    def preview(answers: Answers) -> Preview:
        return _preview(machine, _options(given, answers))

    context = Context(asking, offers, wizard.spent(machine), preview, not machine.shared)
    return _options(given, wizard.ask(context, _start(wizard.held(machine), given)))


def _start(held: Answers, given: setup.Options) -> Answers:
    """The policy as it is, overlaid by the options of the command line."""
    mode, session_cap, day_cap = given.wishes
    return Answers(
        given.harnesses,
        held.mode if mode is None else mode,
        held.session_cap if session_cap is None else session_cap,
        held.day_cap if day_cap is None else day_cap,
        given.trust_codex_hook,
    )


def _options(given: setup.Options, answers: Answers) -> setup.Options:
    return given._replace(
        harnesses=answers.harnesses,
        wishes=Wishes(answers.mode, answers.session_cap, answers.day_cap),
        trust_codex_hook=answers.trust_codex,
    )


def _preview(machine: Machine, options: setup.Options) -> Preview:
    """Every file that would change, as a diff without secrets; a file that cannot be is told too."""
    result = setup.run(machine, options._replace(dry_run=True))
    paint = result.paint if colour.wanted(sys.stdout) else colour.plain
    diffs = [paint(printable_lines(diff)) for diff in result.lines]
    checked = setup.run(machine, options._replace(check=True)).lines if diffs else ()
    summary = [text for text in checked if text not in result.lines]
    problems = [f"{one.text} {one.fix or ''}" for one in result.messages if one.level == "error"]
    text = "\n".join([*diffs, *summary, *problems]) or "Everything is as you want it."
    actions = {row["action"] for row in result.data["harnesses"]}
    return Preview(text, changes=bool(diffs), refused=actions == {"refused"})


def _drill(asking: Asker, machine: Machine, options: setup.Options) -> int:
    """Whoever wants none, or leaves here, has finished setup all the same."""
    say("")
    try:
        wanted = asking.one("Shall a drill prove now that it works?", DRILL)
    except (Back, KeyboardInterrupt, typer.Abort):
        return 0
    if wanted != "yes":
        return 0

    def command() -> Result:
        with line() as tell:
            chosen = doctor.Options(options.harnesses, options.project, drill=True)
            return doctor.run(machine, chosen, tell)

    return finish("doctor", command, json_wanted=False)
