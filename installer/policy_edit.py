"""Change the user's policy in `config.toml`: comments and order kept, and read again before it counts."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping, MutableMapping
from typing import Any, NamedTuple

import tomlkit
from tomlkit.exceptions import TOMLKitError

from .errors import Refusal
from .machine import CONFIG_NAME
from .policy_file import CAPS, is_amount, parse

Keys = tuple[str, ...]  # from the outermost table to the setting
Table = MutableMapping[str, Any]
Edit = Callable[[Table, Callable[[], Table]], None]  # a document, and how it makes a table


class Wishes(NamedTuple):
    """What `setup` was asked to store; None leaves a setting as it is."""

    mode: str | None = None
    session_cap: float | None = None
    day_cap: float | None = None


def with_wishes(data: bytes | None, wishes: Wishes, name: str = CONFIG_NAME) -> bytes | None:
    """The file with the wishes in it; unchanged, None included, when there is nothing to say."""
    for cap, option in CAPS.items():
        if not is_amount(getattr(wishes, cap) or 0):
            text = f"{option} takes an amount of dollars, 0 or more."
            raise Refusal(text, code="usage", usage=True)
    keys = {"mode": ("mode",), **{cap: ("spend", cap) for cap in CAPS}}
    said = {keys[wish]: value for wish, value in wishes._asdict().items() if value is not None}
    return with_values(data, said, name) if said else data


def with_values(data: bytes | None, values: Mapping[Keys, Any], name: str = CONFIG_NAME) -> bytes:
    """The file with these settings, comments and order kept; Refusal where that cannot be proven."""
    return _edited(
        data,
        name,
        lambda document, table: _put(document, values, table),
        "Put the values in by hand.",
    )


def without(data: bytes | None, keys: Keys, name: str = CONFIG_NAME) -> bytes:
    """The file without a setting that it has; its table stays, with the comments in it."""
    return _edited(data, name, lambda document, _: _remove(document, keys), "Take it out by hand.")


def _edited(data: bytes | None, name: str, edit: Edit, by_hand: str) -> bytes:
    """Edit the text and the values alike: the one must say the other."""
    wanted = parse(data, name)
    edit(wanted, dict)
    text = _with_comments((data or b"").decode(), edit)
    if not _says(text, wanted):
        problem = f"{name} is laid out in a way that cannot be edited without harm."
        raise Refusal(problem, code="policy-layout", fix=by_hand)
    return text.encode()


def _with_comments(text: str, edit: Edit) -> str:
    """Unchanged where tomlkit, which knows less of TOML than the reader, gives up."""
    try:
        document = tomlkit.parse(text)
        edit(document, tomlkit.table)
        return tomlkit.dumps(document)
    except TOMLKitError:
        return text


def _put(
    document: Table,
    values: Mapping[Keys, Any],
    table: Callable[[], Table],
) -> None:
    for (*above, key), value in values.items():
        holder = document
        for name in above:
            holder = holder.setdefault(name, table())
        holder[key] = value


def _remove(document: Table, keys: Keys) -> None:
    *above, key = keys
    for name in above:
        document = document[name]
    del document[key]


def _says(text: str, values: Mapping[str, Any]) -> bool:
    """tomlkit can lose or misplace keys (python-poetry/tomlkit#588), so its work is read again."""
    try:
        return tomllib.loads(text) == values
    except tomllib.TOMLDecodeError:
        return False
