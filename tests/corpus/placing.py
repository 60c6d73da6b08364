"""How a settings file can lie on a disk: modes, links, hard links, read-only stores, no file at all."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple


class Placing(NamedTuple):
    """`put` makes the file that the harness knows by that path, with everything around it."""

    put: Callable[[Path, bytes], None]
    is_absent: bool = False


def _in_folder(file: Path, data: bytes) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(data)


def _nothing(file: Path, data: bytes) -> None:
    pass


def _only_folder(file: Path, data: bytes) -> None:
    file.parent.mkdir(parents=True)


def with_mode(mode: int) -> Placing:
    def put(file: Path, data: bytes) -> None:
        _in_folder(file, data)
        file.chmod(mode)

    return Placing(put)


def in_folder_with_mode(mode: int) -> Placing:
    def put(file: Path, data: bytes) -> None:
        _in_folder(file, data)
        file.parent.chmod(mode)

    return Placing(put)


def linked_to(goal: str) -> Placing:
    """The link's text, relative to the folder of the file; an absolute one starts with `~/`."""

    def put(file: Path, data: bytes) -> None:
        file.parent.mkdir(parents=True)
        home = file.parent.parent
        absolute = goal.startswith("~/")
        _in_folder(home / goal[2:] if absolute else file.parent / goal, data)
        file.symlink_to(home / goal[2:] if absolute else goal)

    return Placing(put)


def _chain(file: Path, data: bytes) -> None:
    """Three hops through three folders, as stow and a dotfiles repository make them."""
    home = file.parent.parent
    _in_folder(home / "dots/deep/settings", data)
    for link, goal in (
        ("stow/one", "../dots/two"),
        ("dots/two", "deep/settings"),
        (f"{file.parent.name}/{file.name}", "../stow/one"),
    ):
        (home / link).parent.mkdir(exist_ok=True)
        (home / link).symlink_to(goal)


def _linked_folder(file: Path, data: bytes) -> None:
    real = file.parent.parent / "dots" / "agent"
    _in_folder(real / file.name, data)
    file.parent.symlink_to("dots/agent")


def _linked_up_and_down(file: Path, data: bytes) -> None:
    """`..` behind a link to a folder means the parent of the folder it leads to."""
    home = file.parent.parent
    (home / "far/away").mkdir(parents=True)
    (home / "near").symlink_to("far/away")
    file.parent.mkdir()
    _in_folder(home / "far/settings", data)
    file.symlink_to("../near/../settings")


def _hard_link(file: Path, data: bytes) -> None:
    _in_folder(file, data)
    other = file.parent.parent / "other name"
    other.hardlink_to(file)


def _link_to_a_hard_link(file: Path, data: bytes) -> None:
    home = file.parent.parent
    _in_folder(home / "dots/one", data)
    (home / "dots/two").hardlink_to(home / "dots/one")
    file.parent.mkdir()
    file.symlink_to("../dots/one")


def _store(file: Path, data: bytes) -> None:
    """As Nix and home-manager do it: two links, a 0444 file, a 0555 folder."""
    home = file.parent.parent
    generation, stored = home / "nix/generation", home / "nix/store/abc-files"
    _in_folder(stored / file.name, data)
    (stored / file.name).chmod(0o444)
    stored.chmod(0o555)
    generation.mkdir()
    (generation / file.name).symlink_to(stored / file.name)
    file.parent.mkdir()
    file.symlink_to(generation / file.name)


def _link_into_read_only_folder(file: Path, data: bytes) -> None:
    home = file.parent.parent
    _in_folder(home / "store/settings", data)
    (home / "store").chmod(0o555)
    file.parent.mkdir()
    file.symlink_to("../store/settings")


def _dangling(file: Path, data: bytes) -> None:
    file.parent.mkdir()
    file.symlink_to("../dots/not-there")


def _dangling_folder(file: Path, data: bytes) -> None:
    file.parent.symlink_to("dots/not-there")


def _circle(file: Path, data: bytes) -> None:
    file.parent.mkdir()
    file.symlink_to("other")
    file.with_name("other").symlink_to(file.name)


def _folder_there(file: Path, data: bytes) -> None:
    file.mkdir(parents=True)


def _pipe(file: Path, data: bytes) -> None:
    file.parent.mkdir()
    os.mkfifo(file)


def _device(file: Path, data: bytes) -> None:
    file.parent.mkdir()
    file.symlink_to("/dev/null")


def _file_for_a_folder(file: Path, data: bytes) -> None:
    file.parent.write_bytes(data)


def _huge(file: Path, data: bytes) -> None:
    _in_folder(file, data)
    os.truncate(file, 16 * 1024 * 1024 + 1)


plain = Placing(_in_folder)
nothing = Placing(_nothing, is_absent=True)
only_folder = Placing(_only_folder, is_absent=True)
chain = Placing(_chain)
linked_folder = Placing(_linked_folder)
linked_up_and_down = Placing(_linked_up_and_down)
hard_link = Placing(_hard_link)
link_to_a_hard_link = Placing(_link_to_a_hard_link)
store = Placing(_store)
link_into_read_only_folder = Placing(_link_into_read_only_folder)
dangling = Placing(_dangling, is_absent=True)
dangling_folder = Placing(_dangling_folder, is_absent=True)
circle = Placing(_circle, is_absent=True)
folder_there = Placing(_folder_there, is_absent=True)
pipe = Placing(_pipe, is_absent=True)
device = Placing(_device, is_absent=True)
file_for_a_folder = Placing(_file_for_a_folder, is_absent=True)
huge = Placing(_huge)
