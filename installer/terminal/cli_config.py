"""The commands about what is kept: config, prices, backups."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any

import typer

from . import completing
from .options import AsJson, examples, run

if TYPE_CHECKING:
    from ..errors import Refusal
    from ..machine import Machine
    from ..result import Result

Key = Annotated[
    str,
    typer.Argument(
        metavar="KEY",
        help="Such as mode, spend.session_cap or limits.loop.same_call.",
        autocompletion=completing.keys,
    ),
]
BackupId = Annotated[str, typer.Argument(metavar="ID", help="The beginning of its id.")]

config = typer.Typer(help="Show and change the policy.", no_args_is_help=True)
prices = typer.Typer(help="Show, check and set prices of models.", no_args_is_help=True)
backups = typer.Typer(help="List, show, restore and prune backups.", no_args_is_help=True)


@config.command("show", epilog=examples("config show"))
def config_show(as_json: AsJson = False) -> None:
    """Print every setting, and what is in force where it differs."""
    _config(lambda verbs, machine: verbs.show(machine), as_json)


@config.command("get", epilog=examples("config get spend.session_cap"))
def config_get(key: Key, as_json: AsJson = False) -> None:
    """Print one setting."""
    _config(lambda verbs, machine: verbs.get(machine, key), as_json)


@config.command(
    "set",
    epilog=examples(
        "config set spend.session_cap 20", "config set limits.loop.same_call 0,8,12,20"
    ),
)
def config_set(
    key: Key,
    value: Annotated[str, typer.Argument(metavar="VALUE", help="The new value.")],
    as_json: AsJson = False,
) -> None:
    """Set one setting; comments in the file are kept."""
    _config(lambda verbs, machine: verbs.put(machine, key, value), as_json)


@config.command("unset", epilog=examples("config unset spend.day_cap"))
def config_unset(key: Key, as_json: AsJson = False) -> None:
    """Remove one setting; its default applies again."""
    _config(lambda verbs, machine: verbs.unset(machine, key), as_json)


@config.command("explain", epilog=examples("config explain limits.loop.same_call"))
def config_explain(key: Key, as_json: AsJson = False) -> None:
    """Tell what a setting does, its value, where it comes from, its default."""
    _config(lambda verbs, machine: verbs.explain(machine, key), as_json)


@config.command("edit", epilog=examples("config edit"))
def config_edit(as_json: AsJson = False) -> None:
    """Open the policy in your editor and check it afterwards.

    After a mistake it tells what is wrong and opens the file again, if you like.
    """

    def edit(verbs: Any, machine: Machine) -> Result:
        from ..errors import Refusal

        if not sys.stdin.isatty():
            text = "config edit needs a terminal for your editor; use `runaway config set` without one."
            raise Refusal(text, code="no-terminal", usage=True)
        result: Result = verbs.edit(machine, _again)
        return result

    _config(edit, as_json)


def _again(mistake: Refusal) -> bool:
    typer.echo(mistake.text, err=True)
    typer.echo("Until it is corrected, the guard keeps the settings it has.", err=True)
    return typer.confirm("Open the editor again?", default=True, err=True)


@config.command("path", epilog=examples("config path"))
def config_path(as_json: AsJson = False) -> None:
    """Print where the policy is."""
    _config(lambda verbs, machine: verbs.path(machine), as_json)


def _config(command: Callable[..., Result], as_json: bool) -> None:
    def verb(machine: Machine) -> Result:
        from ..commands import config as verbs

        return command(verbs, machine)

    run("config", verb, as_json)


@prices.command("list", epilog=examples("prices list"))
def prices_list(as_json: AsJson = False) -> None:
    """Print the price of every known model, in dollars per million tokens."""
    _prices(lambda verbs, machine: verbs.listing(machine), as_json)


@prices.command("check", epilog=examples("prices check"))
def prices_check(as_json: AsJson = False) -> None:
    """Tell how old the table is and whether your own prices are sound."""
    _prices(lambda verbs, machine: verbs.checked(machine), as_json)


@prices.command(
    "set", epilog=examples("prices set my-model 1.25 10", "prices set my-model 1.25 10 0.125")
)
def prices_set(
    model: Annotated[str, typer.Argument(metavar="MODEL", help="The model's name.")],
    input_price: Annotated[float, typer.Argument(metavar="IN", help="Dollars per million tokens.")],
    output_price: Annotated[
        float, typer.Argument(metavar="OUT", help="Dollars per million tokens.")
    ],
    cache_read: Annotated[
        float | None, typer.Argument(metavar="CACHE_READ", help="The same for cached input.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Store your own price of a model."""
    price = (input_price, output_price, cache_read)
    _prices(lambda verbs, machine: verbs.store(machine, model, price), as_json)


@prices.command("unset", epilog=examples("prices unset my-model"))
def prices_unset(
    model: Annotated[str, typer.Argument(metavar="MODEL", help="The model's name.")],
    as_json: AsJson = False,
) -> None:
    """Remove your own price of a model; the table's applies again."""
    _prices(lambda verbs, machine: verbs.unset(machine, model), as_json)


def _prices(command: Callable[..., Result], as_json: bool) -> None:
    def verb(machine: Machine) -> Result:
        from ..commands import prices as verbs

        return command(verbs, machine)

    run("prices", verb, as_json)


@backups.command("list", epilog=examples("backups list"))
def backups_list(as_json: AsJson = False) -> None:
    """List what was kept before files were changed."""
    _backups(lambda verbs, machine: verbs.listing(machine), as_json)


@backups.command("show", epilog=examples("backups show 3f2a"))
def backups_show(backup: BackupId, as_json: AsJson = False) -> None:
    """Print one, with secrets masked."""
    _backups(lambda verbs, machine: verbs.show(machine, backup), as_json)


@backups.command("restore", epilog=examples("backups restore 3f2a"))
def backups_restore(backup: BackupId, as_json: AsJson = False) -> None:
    """Put one back; what is there now is kept first."""
    _backups(lambda verbs, machine: verbs.restore(machine, backup), as_json)


@backups.command("prune", epilog=examples("backups prune --older-than 90d"))
def backups_prune(
    older_than: Annotated[str, typer.Option(metavar="30d", help="Keep what is newer.")] = "30d",
    as_json: AsJson = False,
) -> None:
    """Remove old ones, but for those that `uninstall --restore` needs."""

    def length() -> float:
        from ..durations import seconds

        return seconds(older_than)

    _backups(lambda verbs, machine: verbs.prune(machine, length()), as_json)


def _backups(command: Callable[..., Result], as_json: bool) -> None:
    def verb(machine: Machine) -> Result:
        from ..commands import backups as verbs

        return command(verbs, machine)

    run("backups", verb, as_json)


def add_to(app: typer.Typer) -> None:
    app.add_typer(config, name="config")
    app.add_typer(prices, name="prices")
    app.add_typer(backups, name="backups")
