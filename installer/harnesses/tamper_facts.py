"""What the wire TAMPER must know of a harness; its package alone says it, in `tamper.py`."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

Keys = tuple[str, ...]  # where a value stands in a parsed settings file


class TamperFacts(NamedTuple):
    """The settings files of a harness, and what keeps it from running hooks.

    A switch is known by its keys: of `on` any value but false silences, of `off` a false one, of
    `listed` a list that names us; of `values` any key with that value. `words` tell them in a text
    that cannot be parsed.
    """

    folder: Path  # of the user's settings, wherever a variable has moved it
    default: Path  # where it is without that variable
    files: tuple[str, ...]  # in such a folder
    project: tuple[str, ...] = ()  # in a project
    further: tuple[Path, ...] = ()  # anywhere else: the organisation's
    whole: tuple[str, ...] = ()  # names of files that are ours from first to last byte
    on: tuple[Keys, ...] = ()
    off: tuple[Keys, ...] = ()
    listed: tuple[Keys, ...] = ()
    values: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    programs: tuple[str, ...] = ()
    flags: tuple[str, ...] = ()  # of these programs; two words are an option and its value
    code: tuple[str, ...] = ()  # events that a program among its plugins takes from every hook
    variables: tuple[str, ...] = ()  # that silence, set to anything but "", 0 and false
