from __future__ import annotations

import json
import os
import re
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from runaway.installer.errors import Refusal
from runaway.installer.harnesses import registry
from runaway.installer.machine import Machine
from tests.installer.harnesses.claude.test_validation import DROPPED
from tests.support.files import tree
from tests.support.installer import (
    PLAIN,
    bare_machine,
    codes,
    entry,
    in_file,
    in_project,
    project_file,
    row,
    user_file,
    wire,
)

BAD: dict[str, tuple[bytes, str]] = {
    "a comment": (b'{\n  // note\n  "a": 1\n}\n', "comment at 2:3"),
    "a trailing comma": (b'{"a": 1,}', "trailing comma at 1:8"),
    "cut off": (b'{"a": ', "at 1:"),
    "hooks twice": (b'{"hooks": {},\n"hooks": {}}', "at 2:1"),
    "hooks a list": (b'{\n  "hooks": []\n}', "hooks at 2:12"),
    "the event an object": (b'{"hooks": {"PreToolUse": {}}}', "hooks.PreToolUse at 1:26"),
    "a list": (b"[1]", "the top level at 1:1"),
    "no UTF-8": (b"\xff\xff", "not UTF-8"),
    "a flat sibling": (
        b'{"hooks": {"PreToolUse": [\n  {"type": "command", "command": "x"}]}}',
        "hooks.PreToolUse[0] at 2:3",
    ),
    "a sibling without type": (
        b'{"hooks": {"Stop": [{"hooks": [\n  {"command": "x"}]}]}}',
        "hooks.Stop[0].hooks[0] at 2:3",
    ),
    "a timeout in text": (
        b'{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "x",\n"timeout": "5"}]}]}}',
        "hooks.Stop[0].hooks[0].timeout at 2:12",
    ),
    "a switch in text": (b'{"disableAllHooks":\n "true"}', "disableAllHooks at 2:2"),
}


@pytest.mark.parametrize(("data", "reason"), BAD.values(), ids=BAD.keys())
def test_what_claude_code_would_drop_is_refused_with_place_and_reason(
    house: Machine, tmp_path: Path, data: bytes, reason: str
) -> None:
    file = project_file(house, tmp_path, data)
    before = tree(tmp_path)
    result = wire(house, **in_project(file))
    assert (result.exit_code, result.status, row(result)["action"]) == (1, "refused", "refused")
    [message] = result.messages
    assert reason in message.text
    assert (message.level, message.harness) == ("error", "claude")
    assert message.path == str(file)
    assert message.fix
    assert tree(tmp_path) == before


@pytest.mark.parametrize(("settings", "place"), DROPPED.values(), ids=DROPPED.keys())
def test_one_invalid_entry_anywhere_in_the_file_is_a_reason_to_refuse(
    house: Machine, tmp_path: Path, settings: Any, place: str
) -> None:
    """Also a stranger's: an entry of ours in such a file would only look like protection."""
    data = json.dumps(settings, indent=2).encode()
    file = project_file(house, tmp_path, data)
    result = wire(house, **in_project(file))
    assert (result.exit_code, row(result)["action"]) == (1, "refused")
    assert re.search(re.escape(place) + r" at \d+:\d+: ", result.messages[0].text)
    assert file.read_bytes() == data


def test_a_refusal_writes_nothing_of_our_own_either(machine: Machine) -> None:
    user_file(machine, b"{")
    before = tree(machine.home)
    assert wire(machine).exit_code == 1
    assert tree(machine.home) == before


def second_harness(monkeypatch: pytest.MonkeyPatch, broken: Path) -> None:
    """Claude Code once more under another name, in another place."""
    first = registry.HARNESSES["claude"]

    class Second:
        NAME, DISPLAY, SCOPES, NEXT_STEPS = "second", "Second", first.SCOPES, first.NEXT_STEPS

        def __getattr__(self, name: str) -> Any:
            return getattr(first, name)

        def path(self, *_: object) -> Path:
            return broken

        def edit_target(self, machine: Machine, scope: str, path: Path) -> Any:
            return first.edit_target(machine, scope, path)._replace(harness="second")

    monkeypatch.setitem(registry.HARNESSES, "second", Second())


@pytest.mark.parametrize("order", [("claude", "second"), ("second", "claude")])
def test_a_refusal_in_one_file_leaves_the_others_done(
    machine: Machine, monkeypatch: pytest.MonkeyPatch, order: tuple[str, str]
) -> None:
    broken = machine.home / "second.json"
    broken.write_bytes(b"{")
    second_harness(monkeypatch, broken)
    result = wire(machine, harnesses=order)
    done = {one["harness"]: one["action"] for one in result.data["harnesses"]}
    assert done == {"claude": "added", "second": "refused"}
    assert (result.exit_code, result.status) == (1, "refused")
    assert in_file(user_file(machine)) == [entry(machine)]
    assert broken.read_bytes() == b"{"


def lock_the_file(file: Path) -> None:
    file.chmod(0o444)


def lock_the_folder(file: Path) -> None:
    file.parent.chmod(0o555)


@pytest.mark.parametrize("lock", [lock_the_file, lock_the_folder], ids=lambda lock: lock.__name__)
def test_what_is_read_only_is_left_alone_and_the_snippet_is_shown(
    house: Machine, tmp_path: Path, lock: Callable[[Path], None]
) -> None:
    """A missing write bit is a statement of its owner, also where we are root."""
    file = project_file(house, tmp_path, PLAIN)
    lock(file)
    result = wire(house, **in_project(file))
    file.parent.chmod(0o755)
    assert (result.exit_code, codes(result)) == (1, ["read-only"])
    assert file.read_bytes() == PLAIN
    fix = result.messages[0].fix or ""
    pasted = json.loads(fix[fix.index("{") :])
    assert pasted["hooks"]["PreToolUse"] == [entry(house)]


@pytest.mark.parametrize("kind", ["folder", "FIFO", "dangling link", "link loop"])
def test_what_is_no_file_is_refused(house: Machine, tmp_path: Path, kind: str) -> None:
    file = project_file(house, tmp_path, None)
    if kind == "folder":
        file.mkdir()
    elif kind == "FIFO":
        os.mkfifo(file)
    else:
        file.symlink_to("nowhere" if kind == "dangling link" else file.name)
    result = wire(house, **in_project(file))
    assert (result.exit_code, row(result)["action"]) == (1, "refused")
    assert sorted(path.name for path in file.parent.iterdir()) == [file.name]


# -- hostile folders


def test_a_state_folder_that_others_can_write_is_refused(machine: Machine, tmp_path: Path) -> None:
    user_file(machine, PLAIN)
    planted = tmp_path / "planted"
    planted.mkdir()
    planted.chmod(0o777)
    machine.state.parent.mkdir(parents=True)
    machine.state.symlink_to(planted)
    with pytest.raises(Refusal) as caught:
        wire(machine)
    assert caught.value.code == "unsafe-state"
    assert user_file(machine).read_bytes() == PLAIN
    assert list(planted.iterdir()) == []


@pytest.mark.parametrize("name", ["backups", "receipts", "unfinished"])
def test_a_link_planted_inside_the_state_folder_is_refused(
    machine: Machine, tmp_path: Path, name: str
) -> None:
    user_file(machine, PLAIN)
    victim = tmp_path / "victim"
    victim.mkdir()
    machine.state.mkdir(parents=True)
    (machine.state / name).symlink_to(victim)
    with pytest.raises(Refusal) as caught:
        wire(machine)
    assert caught.value.code == "unsafe-state"
    assert user_file(machine).read_bytes() == PLAIN
    assert list(victim.iterdir()) == []


def test_a_link_planted_as_lock_is_not_written_through(machine: Machine, tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_bytes(b"precious")
    machine.state.mkdir(parents=True)
    (machine.state / "lock").symlink_to(victim)
    with pytest.raises(Refusal):
        wire(machine)
    assert victim.read_bytes() == b"precious"


@pytest.mark.parametrize("name", ["launch", "policy.json"])
def test_a_link_planted_as_a_file_of_ours_is_replaced(
    machine: Machine, tmp_path: Path, name: str
) -> None:
    victim = tmp_path / "victim"
    victim.write_bytes(b"precious")
    machine.data.mkdir(parents=True, mode=0o700)
    (machine.data / name).symlink_to(victim)
    assert wire(machine).exit_code == 0
    assert victim.read_bytes() == b"precious"
    assert stat.S_ISREG((machine.data / name).lstat().st_mode)


def test_a_home_that_json_cannot_name_is_refused_before_anything_is_written(
    tmp_path: Path,
) -> None:
    machine = bare_machine(Path(os.fsdecode(os.fsencode(tmp_path) + b"/\xff")))
    with pytest.raises(Refusal) as caught:
        wire(machine)
    assert caught.value.code == "undecodable-path"
    assert list(machine.home.iterdir()) == []
