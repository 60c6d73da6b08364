"""How the files of Codex are edited: nobody else's hook may move, so that each keeps its trust."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest

from runaway.installer.errors import Refusal
from runaway.installer.harnesses import codex
from runaway.installer.harnesses.codex import paths
from runaway.installer.harnesses.codex.trust import hooks_in
from runaway.installer.launch_command import command_for
from runaway.installer.machine import Machine
from runaway.installer.plan import Target

OTHER = {"hooks": [{"type": "command", "command": "mine"}]}
LATER = {"hooks": [{"type": "command", "command": "later"}]}
INERT: dict[str, Any] = {"hooks": []}
NARROW = {"matcher": "Bash", "hooks": []}
NOTHING = b'{"hooks": {"PreToolUse": []}}'


@pytest.fixture
def target(machine: Machine) -> Target:
    return codex.edit_target(machine, "user", machine.home / ".codex/hooks.json")


@pytest.fixture
def config(machine: Machine) -> Target:
    return codex.edit_target(machine, "user", machine.home / ".codex/config.toml")


def ours(machine: Machine, **changes: Any) -> dict[str, Any]:
    handler = paths.handler(command_for(machine.launcher, "codex"))
    return {"hooks": [handler | changes]}


def with_groups(*groups: Any) -> bytes:
    return json.dumps({"hooks": {"PreToolUse": groups}}, indent=2).encode()


def groups_of(data: bytes | None, event: str = "PreToolUse") -> list[Any]:
    assert data is not None
    groups: list[Any] = json.loads(data)["hooks"].get(event, [])
    return groups


def test_the_entry_is_what_every_user_has_reviewed(machine: Machine) -> None:
    """Another text would cost every user another review: this test is meant to be in the way."""
    handler = paths.handler("run")
    assert handler == {
        "type": "command",
        "command": "run",
        "timeout": 10,
        "statusMessage": "runaway guard",
    }
    assert paths.BOUND == ("PreToolUse", "UserPromptSubmit", "PostModelRequest")


@pytest.mark.parametrize("data", [None, b"", b"{}", b'{"description": "x"}'])
def test_a_file_without_hooks_gets_ours(machine: Machine, target: Target, data: bytes) -> None:
    wired = target.install_entry(data).data
    assert [groups_of(wired, event) for event in paths.BOUND] == [[ours(machine)]] * 3
    assert target.install_entry(wired).data == wired


WIRED = {
    "last": ([OTHER], [OTHER, "ours"]),
    "kept in place": (["ours", LATER], ["ours", LATER]),
    "renewed in place": (["old", LATER], ["ours", LATER]),
    "in the inert group": ([OTHER, INERT, LATER], [OTHER, "ours", LATER]),
    "in the first inert group": ([INERT, INERT], ["ours", INERT]),
    "not in a narrow group": ([NARROW], [NARROW, "ours"]),
    "a second one at the end goes": (["ours", OTHER, "ours"], ["ours", OTHER]),
    "a second one in the middle leaves its place": (["ours", "ours", OTHER], ["ours", INERT, OTHER]),
}  # fmt: skip


@pytest.mark.parametrize(("before", "after"), WIRED.values(), ids=WIRED)
def test_ours_is_added_without_moving_any_other(
    machine: Machine, target: Target, before: list[Any], after: list[Any]
) -> None:
    names = {"ours": ours(machine), "old": ours(machine, timeout=5)}
    data = with_groups(*(names[one] if isinstance(one, str) else one for one in before))
    expected = [names[one] if isinstance(one, str) else one for one in after]
    assert groups_of(target.install_entry(data).data) == expected


SHARED = {
    "hooks": [{"type": "command", "command": "a"}, "ours", {"type": "command", "command": "b"}]
}
EMPTY_HANDLER = {"type": "command", "command": ""}
UNWIRED: dict[str, tuple[list[Any], list[Any]]] = {
    "the last one goes": ([OTHER, "ours"], [OTHER]),
    "before others its place stays": ([OTHER, "ours", LATER], [OTHER, INERT, LATER]),
    "among others in a group its place stays": (
        [SHARED],
        [{"hooks": [SHARED["hooks"][0], EMPTY_HANDLER, SHARED["hooks"][2]]}],
    ),
    "at the end of a group it goes": (
        [{"hooks": [*OTHER["hooks"], "ours"]}],
        [OTHER],
    ),
    "flat before others": (["flat", LATER], [INERT, LATER]),
    "flat at the end": ([OTHER, "flat"], [OTHER]),
}


@pytest.mark.parametrize(("before", "after"), UNWIRED.values(), ids=UNWIRED)
def test_ours_is_taken_out_without_moving_any_other(
    machine: Machine, target: Target, before: list[Any], after: list[Any]
) -> None:
    handler = ours(machine)["hooks"][0]

    def named(one: Any) -> Any:
        if isinstance(one, str):
            return handler if one == "flat" else ours(machine)
        return {"hooks": [handler if each == "ours" else each for each in one["hooks"]]}

    data = with_groups(*map(named, before))
    rest = target.remove_entry(data, ()).data
    assert groups_of(rest) == after
    assert target.remove_entry(rest, ()).data == rest


@pytest.mark.parametrize("data", [NOTHING, with_groups(OTHER), b'{"hooks":{"Stop":[]}}', b"{}\n"])
def test_what_setup_added_uninstall_takes_back_to_the_byte(target: Target, data: bytes) -> None:
    wired = target.install_entry(data)
    assert target.remove_entry(wired.data, wired.created).data == data


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"// mine\n{}", "json-comment"),
        (b"\xef\xbb\xbf{}", "json-bom"),
        (b'{"version": 1}', "codex-drops-file"),
        (b'{"hooks": {"Stop": [{"hooks": [{"type": "http"}]}]}}', "codex-drops-file"),
        (b'{"hooks": {"Stop": [], "Stop": []}}', "codex-drops-file"),
        (b'{"description": "a", "description": "b"}', "codex-drops-file"),
    ],
)
def test_a_file_that_codex_drops_is_refused(target: Target, data: bytes, code: str) -> None:
    with pytest.raises(Refusal) as refusal:
        target.install_entry(data)
    assert refusal.value.code == code
    assert "hooks.json" in refusal.value.text


TOML = """\
# mine
[[hooks.PreToolUse]]
[[hooks.PreToolUse.hooks]]
type = "command"
command = "mine"

[tui]
a = 1
"""


def test_config_toml_is_edited_in_the_same_way(machine: Machine, config: Target) -> None:
    wired = config.install_entry(TOML.encode())
    assert wired.data
    groups = tomllib.loads(wired.data.decode())["hooks"]["PreToolUse"]
    assert groups == [OTHER, ours(machine)]
    later = (
        wired.data
        + b'\n[[hooks.PreToolUse]]\n[[hooks.PreToolUse.hooks]]\ntype="command"\ncommand="later"\n'
    )
    rest = config.remove_entry(later, wired.created).data
    assert rest
    assert tomllib.loads(rest.decode())["hooks"]["PreToolUse"] == [OTHER, {}, LATER]
    again = config.install_entry(rest).data
    assert again
    assert tomllib.loads(again.decode())["hooks"]["PreToolUse"] == [OTHER, ours(machine), LATER]
    assert config.remove_entry(wired.data, wired.created).data == TOML.encode()


def test_a_config_that_keeps_codex_from_starting_is_refused(config: Target) -> None:
    with pytest.raises(Refusal, match="Codex does not start with"):
        config.install_entry(b"[hooks]\nPreToolUse = 3\n")


# Where.


def write(path: Path, data: bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return path


STATE_ONLY = b"[hooks.state.'/x:stop:0:0']\ntrusted_hash = 'sha256:00'\n"


@pytest.mark.parametrize(
    ("hooks", "config", "chosen"),
    [
        (None, None, "hooks.json"),
        (None, TOML.encode(), "config.toml"),
        (b"{}", TOML.encode(), "hooks.json"),
        (None, STATE_ONLY, "hooks.json"),
        (None, b"hooks = 3", "hooks.json"),
        (None, b"not toml", "hooks.json"),
        (None, b"\xef\xbb\xbf" + TOML.encode(), "config.toml"),
    ],
)
def test_the_entry_goes_where_the_user_keeps_hooks(
    machine: Machine, hooks: bytes | None, config: bytes | None, chosen: str
) -> None:
    folder = machine.home / ".codex"
    for name, data in (("hooks.json", hooks), ("config.toml", config)):
        if data is not None:
            write(folder / name, data)
    assert codex.path(machine, "user", machine.cwd) == folder / chosen


def test_codex_home_moves_it_and_an_empty_one_does_not(machine: Machine, tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")

    def place(value: str) -> Path:
        environ = {**machine.environ, "CODEX_HOME": value}
        return codex.path(machine._replace(environ=environ), "user", machine.cwd).parent

    assert place(str(tmp_path / "link")) == tmp_path / "real"
    assert place("sub/../other") == machine.cwd / "other"
    assert place("") == machine.home / ".codex"
    assert place(" ") == machine.cwd / " "


# Trust.


def test_consent_is_one_more_edit_and_says_nothing_of_others(machine: Machine) -> None:
    path = write(machine.home / ".codex/hooks.json", with_groups(OTHER))
    target, record = codex.consent_targets(machine, codex.edit_target(machine, "user", path))
    assert record.path == machine.home / ".codex/config.toml"
    trusted = tomllib.loads((record.install_entry(None).data or b"").decode())["hooks"]["state"]
    wired = json.loads(target.install_entry(path.read_bytes()).data or b"")
    command = command_for(machine.launcher, "codex")
    assert trusted == {
        hook.key: {"trusted_hash": hook.hash}
        for hook in hooks_in(wired, path)
        if hook.command == command
    }
    assert len(trusted) == 3
    assert f"{path}:pre_tool_use:1:0" in trusted


def test_consent_in_the_file_of_the_hooks_is_one_edit(machine: Machine) -> None:
    path = write(machine.home / ".codex/config.toml", TOML.encode())
    [both] = codex.consent_targets(machine, codex.edit_target(machine, "user", path))
    written = both.install_entry(path.read_bytes())
    values = tomllib.loads((written.data or b"").decode())
    assert len(values["hooks"]["state"]) == 3
    assert both.install_entry(written.data).data == written.data
    assert both.remove_entry(written.data, written.created).data == TOML.encode()


def test_a_hook_that_the_person_has_switched_off_stays_off(machine: Machine) -> None:
    path = machine.home / ".codex/hooks.json"
    _, record = codex.consent_targets(machine, codex.edit_target(machine, "user", path))
    off = f"[hooks.state.'{path}:pre_tool_use:0:0']\nenabled = false\n".encode()
    state = tomllib.loads((record.install_entry(off).data or b"").decode())["hooks"]["state"]
    assert state[f"{path}:pre_tool_use:0:0"]["enabled"] is False
    assert state[f"{path}:pre_tool_use:0:0"]["trusted_hash"]


def test_removal_forgets_the_trust_in_ours_and_in_nobody_else(machine: Machine) -> None:
    path = machine.home / ".codex/hooks.json"
    _, record = codex.consent_targets(machine, codex.edit_target(machine, "user", path))
    written = record.install_entry(STATE_ONLY)
    assert written.data != STATE_ONLY
    plain = codex.edit_target(machine, "user", record.path)
    assert plain.remove_entry(written.data, written.created).data == STATE_ONLY


def test_no_trust_is_recorded_for_a_file_that_cannot_be_wired(machine: Machine) -> None:
    path = write(machine.home / ".codex/hooks.json", b"// mine\n{}")
    _, record = codex.consent_targets(machine, codex.edit_target(machine, "user", path))
    assert record.install_entry(STATE_ONLY).data == STATE_ONLY


def test_what_to_paste_says_the_same_as_what_is_written(machine: Machine, config: Target) -> None:
    _, record = codex.consent_targets(
        machine, codex.edit_target(machine, "user", machine.home / ".codex/hooks.json")
    )
    assert tomllib.loads(record.snippet()) == tomllib.loads(
        (record.install_entry(None).data or b"").decode()
    )
    assert tomllib.loads(config.snippet()) == tomllib.loads(
        (config.install_entry(None).data or b"").decode()
    )
