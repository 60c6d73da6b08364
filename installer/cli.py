"""The command line: names commands and options, shows results, and turns failures into exit codes.

Nothing but typer is imported before a command runs, so that `--help` and `--version` stay quick.
"""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, Annotated

import typer

from ..guard import __version__
from .terminal import cli_config as cli_keeping
from .terminal import cli_sessions as cli_watching
from .terminal.options import (
    AsJson,
    DryRun,
    Harness,
    Project,
    examples,
    folder,
    run,
)

if TYPE_CHECKING:
    from .commands.setup import Options
    from .harnesses.base import Scope
    from .machine import Machine
    from .result import Result

SCOPES = ("user", "project", "local", "managed")

app = typer.Typer(
    name="runaway",
    help="Stops a coding agent that loops, keeps failing or overspends.",
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"]},
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"runaway {__version__}")
        raise typer.Exit


@app.callback()
def root(
    context: typer.Context,
    version: Annotated[  # noqa: ARG001  # its callback has done all
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Stops a coding agent that loops, keeps failing or overspends."""
    if context.invoked_subcommand is None:

        def command(machine: Machine) -> Result:
            from .commands import status as verb

            return verb.overview(machine, time.time())

        run("status", command, as_json=False)


@app.command(
    epilog=examples(
        "setup",
        "setup --dry-run",
        "setup --non-interactive --harness claude --spend-cap 20",
        "setup --check --scope project --project ~/code/app",
        "setup --non-interactive --scope managed",
    )
)
def setup(
    harness: Harness = [],  # noqa: B006  # typer copies it
    scope: Annotated[
        str,
        typer.Option(metavar="user|project|local|managed", help="Whose settings get the entry."),
    ] = "user",
    project: Project = None,
    non_interactive: Annotated[
        bool, typer.Option("--non-interactive", help="Ask nothing.")
    ] = False,
    dry_run: DryRun = False,
    check: Annotated[
        bool, typer.Option("--check", help="Write nothing; exit 1 if anything would change.")
    ] = False,
    spend_cap: Annotated[
        float | None, typer.Option(metavar="USD", help="Most dollars per session; 0 is off.")
    ] = None,
    day_cap: Annotated[
        float | None, typer.Option(metavar="USD", help="Most dollars per day; 0 is off.")
    ] = None,
    observe: Annotated[
        bool | None, typer.Option("--observe/--enforce", help="Only log, or really stop.")
    ] = None,
    trust_codex_hook: Annotated[
        bool, typer.Option("--trust-codex-hook", help="Record Codex's trust in our hook only.")
    ] = False,
    refresh: Annotated[
        bool, typer.Option("--refresh", help="Renew what is set up, everywhere; add nothing.")
    ] = False,
    portable: Annotated[
        bool,
        typer.Option(
            "--portable", help="Write an entry that serves every home that shares the file."
        ),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Put the guard into the settings of your agents.

    On a terminal it asks, and shows each change first. Running it again changes no byte.
    """

    def options() -> Options:
        from .commands.setup import Options
        from .policy_edit import Wishes

        mode = None if observe is None else "observe" if observe else "enforce"
        return Options(
            harnesses=tuple(harness),
            scope=_scope(scope),
            project=folder(project),
            dry_run=dry_run,
            check=check,
            wishes=Wishes(mode, spend_cap, day_cap),
            trust_codex_hook=trust_codex_hook,
            refresh=refresh,
            portable=portable,
        )

    def command(machine: Machine) -> Result:
        from .commands import setup as verb
        from .errors import Refusal

        if not (non_interactive or dry_run or check or refresh):
            raise Refusal(
                "setup asks questions only on a terminal; pass --non-interactive to go on without.",
                code="no-terminal",
                usage=True,
            )
        return verb.run(machine, options())

    if not (non_interactive or dry_run or check or refresh or as_json) and _on_terminal():
        from .terminal import interactive_setup

        raise typer.Exit(interactive_setup.run(options))
    run("setup", command, as_json)


@app.command(epilog=examples("doctor", "doctor --drill", "doctor --harness codex --json"))
def doctor(
    harness: Harness = [],  # noqa: B006
    project: Project = None,
    drill: Annotated[
        bool,
        typer.Option("--drill", help="Start the real harness against a model server on loopback."),
    ] = False,
    verbose: Annotated[
        bool, typer.Option("--verbose", "-v", help="Show what is in order, too.")
    ] = False,
    quiet: Annotated[
        bool, typer.Option("--quiet", "-q", help="Say nothing; the exit code tells.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Prove that the guard is there and fires.

    Four states per harness: installed, allowed, trusted, fires. Exits 1 when one is in error.
    """

    def command(machine: Machine) -> Result:
        from .commands import doctor as verb
        from .terminal.progress import line

        options = verb.Options(tuple(harness), folder(project), drill, verbose, quiet)
        with line(hidden=as_json or quiet) as tell:
            return verb.run(machine, options, tell)

    run("doctor", command, as_json)


@app.command(epilog=examples("uninstall", "uninstall --dry-run", "uninstall --restore --yes"))
def uninstall(
    harness: Harness = [],  # noqa: B006
    project: Project = None,
    restore: Annotated[
        bool, typer.Option("--restore", help="Give back the exact bytes from before setup.")
    ] = False,
    dry_run: DryRun = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    purge: Annotated[
        bool, typer.Option("--purge", help="Remove your policy, spend history and backups too.")
    ] = False,
    keep_data: Annotated[
        bool, typer.Option("--keep-data", help="Keep them, as without --purge.", hidden=True)
    ] = False,
    scope: Annotated[
        str | None,
        typer.Option(metavar="managed", help="What was put in for every user of this machine."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Take the guard out of every settings file.

    Exactly its entries go, that is looked up on the disk, and only then its code is removed.
    """

    def command(machine: Machine) -> Result:
        from .commands import uninstall as verb
        from .errors import Refusal

        if scope not in (None, "managed"):
            text = "uninstall finds every scope of yours by itself; --scope takes only `managed`."
            raise Refusal(text, code="unknown-scope", usage=True)
        if purge and keep_data:
            text = "--purge removes what --keep-data keeps: leave one of them out."
            raise Refusal(text, code="usage", usage=True)
        options = verb.Options(
            tuple(harness), folder(project), scope == "managed", restore, dry_run, purge
        )
        if not (yes or dry_run):
            if not sys.stdin.isatty():
                text = "uninstall asks before it removes anything; pass --yes to go on without."
                raise Refusal(text, code="no-terminal", usage=True)
            which = " and ".join(harness) or "every harness"
            for line in verb.would_go(machine, options):
                typer.echo(line, err=True)
            typer.confirm(f"Remove the guard from {which}?", abort=True, err=True)
        return verb.run(machine, options)

    run("uninstall", command, as_json)


@app.command(epilog=examples("demo"))
def demo(as_json: AsJson = False) -> None:
    """Show the whole cycle in a scratch home.

    Needs no agent and touches nothing of yours.
    """

    def command(_: Machine) -> Result:
        from .commands import demo as verb
        from .terminal.error_handler import say

        return verb.run(_quiet if as_json else say)

    run("demo", command, as_json)


cli_watching.add_to(app)
cli_keeping.add_to(app)


def _scope(name: str) -> Scope:
    from .errors import Refusal

    if name not in SCOPES:
        text = f"There is no scope {name!r}; known are: {', '.join(SCOPES)}."
        raise Refusal(text, code="unknown-scope", usage=True)
    return name  # type: ignore[return-value]


def _on_terminal() -> bool:
    return sys.stdin.isatty() and sys.stdout.isatty()


def _quiet(_: str) -> None:
    return


def main() -> None:
    """Entry point of `runaway`: usage errors exit 2, Ctrl-C 130, a bug 3 with a log file."""
    from .terminal.error_handler import guarded

    sys.exit(guarded(app))
