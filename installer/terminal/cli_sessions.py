"""The commands about what the guard saw and did: status, why, resume, pause, replay, report."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from . import completing
from .options import AsJson, SessionId, examples, run

if TYPE_CHECKING:
    from ..machine import Machine
    from ..result import Result


def status(as_json: AsJson = False) -> None:
    """Show sessions, money, trips, and what is armed."""

    def command(machine: Machine) -> Result:
        from ..commands import status as verb

        return verb.run(machine, time.time())

    run("status", command, as_json)


def why(
    session: Annotated[
        str,
        typer.Argument(help="A session's id, or `last`.", autocompletion=completing.session_ids),
    ] = "last",
    as_json: AsJson = False,
) -> None:
    """Explain the last trip of a session.

    The call, the count, the rule, the money, and how to go on.
    """

    def command(machine: Machine) -> Result:
        from ..commands import why as verb

        return verb.run(machine, session, time.time())

    run("why", command, as_json)


def resume(
    session: SessionId = "last",
    add: Annotated[float, typer.Option(metavar="USD", help="Add dollars to its cap.")] = 0.0,
    length: Annotated[
        str | None, typer.Option("--for", metavar="30m", help="Stop nothing in it for so long.")
    ] = None,
    laps: Annotated[
        int, typer.Option(metavar="N", help="Allow N more turns that nobody asks for.")
    ] = 0,
    as_json: AsJson = False,
) -> None:
    """Let a stopped session go on."""

    def command(machine: Machine) -> Result:
        from ..commands import resume as verb
        from ..durations import seconds

        until = time.time() + seconds(length) if length else None
        return verb.run(machine, session, add, until, laps)

    run("resume", command, as_json)


def pause(
    duration: Annotated[str | None, typer.Argument(metavar="DURATION", help="30m, 2h, 1d.")] = None,
    off: Annotated[bool, typer.Option("--off", help="End the pause.")] = False,
    as_json: AsJson = False,
) -> None:
    """Block nothing for a while; `--off` ends it."""

    def command(machine: Machine) -> Result:
        from ..commands import pause as verb
        from ..durations import seconds
        from ..errors import Refusal

        if bool(duration) == off:
            raise Refusal("Say for how long, or --off.", code="duration", usage=True)
        now = time.time()
        return verb.run(machine, now + seconds(duration) if duration else 0.0, now)

    run("pause", command, as_json)


OneHarness = Annotated[
    str,
    typer.Option(
        "--harness", metavar="NAME", help="One harness.", autocompletion=completing.harnesses
    ),
]


def stop(session: SessionId = "", harness: OneHarness = "", as_json: AsJson = False) -> None:
    """Stop every agent, a harness or a session at once.

    No call runs until `runaway start`. What is running right now comes to its end.
    """

    def command(machine: Machine) -> Result:
        from ..commands import halt as verb

        return verb.stop(machine, verb.What(session, harness))

    run("stop", command, as_json)


def start(session: SessionId = "", harness: OneHarness = "", as_json: AsJson = False) -> None:
    """Let go on what `stop` has stopped."""

    def command(machine: Machine) -> Result:
        from ..commands import halt as verb

        return verb.start(machine, verb.What(session, harness))

    run("start", command, as_json)


def replay(
    paths: Annotated[
        list[Path] | None, typer.Argument(help="Files or folders; default: all of this machine.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Run the wires over past sessions.

    What would have tripped, where, and what it would have saved.
    """

    def command(machine: Machine) -> Result:
        from ..commands import replay as verb
        from .progress import bar

        with bar("Replaying", hidden=as_json) as advance:
            return verb.run(machine, [path.absolute() for path in paths or ()], advance)

    run("replay", command, as_json)


def report(
    html: Annotated[
        Path | None, typer.Option("--html", metavar="FILE", help="Write one HTML page there.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Show spending and trips over time.

    As charts in the terminal, or as one HTML page that loads nothing from elsewhere.
    """

    def command(machine: Machine) -> Result:
        from ..commands import report as verb

        return verb.run(machine, time.time(), html.absolute() if html else None)

    run("report", command, as_json)


def statusline(as_json: AsJson = False) -> None:
    """Print the lines for Claude Code's status line.

    Paste them into ~/.claude/settings.json: it then shows what the session has cost.
    """

    def command(machine: Machine) -> Result:
        from ..commands import statusline as verb

        return verb.run(machine)

    run("statusline", command, as_json)


EXAMPLES: dict[Callable[..., None], tuple[str, ...]] = {
    status: ("status", "status --json"),
    why: ("why", "why 3f2a"),
    resume: ("resume", "resume --session 3f2a --add 10", "resume --for 30m"),
    pause: ("pause 1h", "pause --off"),
    stop: ("stop", "stop --session 3f2a", "stop --harness codex"),
    start: ("start", "start --session 3f2a"),
    replay: ("replay", "replay ~/.claude/projects"),
    report: ("report", "report --html ~/runaway.html"),
    statusline: ("statusline",),
}


def add_to(app: typer.Typer) -> None:
    for verb, commands in EXAMPLES.items():
        app.command(epilog=examples(*commands))(verb)
