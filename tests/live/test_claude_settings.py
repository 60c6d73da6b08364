"""Which settings make the real Claude Code run with its hooks, and which silently without."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from runaway.installer.drill.scripts import looping
from runaway.installer.drill.server import ToolUse
from runaway.installer.harnesses.claude import mods
from runaway.installer.machine import scratch_machine
from tests.support.live.claude_home import ClaudeHome, hooked
from tests.support.live.recorder import Recorder

Damage = Callable[[str], str]

CALL = ToolUse("Bash", {"command": "echo x", "description": "a test"})


def is_guarded(home: ClaudeHome, recorder: Recorder, **launch: Any) -> bool:
    """Whether the hook sees the one call that is made."""
    run = home.run(looping(CALL, times=1), **launch)
    assert [call.result for call in run.calls] == ["x"]
    return bool(recorder.inputs())


def test_a_hook_in_the_user_settings_fires(home: ClaudeHome, recorder: Recorder) -> None:
    home.write(hooked(PreToolUse=recorder.command()))
    assert is_guarded(home, recorder)


def commented(text: str) -> str:
    return text.replace("{", "{ // mine\n", 1)


def with_trailing_comma(text: str) -> str:
    return text[:-1] + ",}"


def with_second_hooks_key(text: str) -> str:
    return text[:-1] + ', "hooks": {}}'


def with_timeout_as_text(text: str) -> str:
    return text.replace('"type": "command"', '"type": "command", "timeout": "10"')


def with_untyped_sibling(text: str) -> str:
    return text.replace('"PreToolUse": [', '"PreToolUse": [{"hooks": [{"command": "true"}]}, ')


def with_flat_sibling(text: str) -> str:
    return text.replace(
        '"PreToolUse": [', '"PreToolUse": [{"type": "command", "command": "true"}, '
    )


def with_broken_permission_request(text: str) -> str:
    return text.replace('"PreToolUse"', '"PermissionRequest": [{}], "PreToolUse"')


def with_broken_stop_hook(text: str) -> str:
    return text.replace('"PreToolUse"', '"Stop": [{}], "PreToolUse"')


@pytest.mark.parametrize(
    "damage",
    [
        commented,
        with_trailing_comma,
        with_second_hooks_key,
        with_timeout_as_text,
        with_untyped_sibling,
        with_flat_sibling,
        with_broken_permission_request,
    ],
)
def test_damage_to_the_file_or_to_a_guarding_event_makes_it_run_unguarded(
    home: ClaudeHome, recorder: Recorder, damage: Damage
) -> None:
    sound = json.dumps(hooked(PreToolUse=recorder.command()))
    assert damage(sound) != sound
    home.write(damage(sound).encode())
    assert not is_guarded(home, recorder)


def test_a_broken_entry_of_another_event_silences_nothing_else(
    home: ClaudeHome, recorder: Recorder
) -> None:
    home.write(with_broken_stop_hook(json.dumps(hooked(PreToolUse=recorder.command()))).encode())
    assert is_guarded(home, recorder)


@pytest.mark.parametrize(
    "file",
    [
        ".claude/settings.json",
        "project/.claude/settings.json",
        "project/.claude/settings.local.json",
    ],
)
def test_disable_all_hooks_makes_it_run_unguarded_from_any_file(
    home: ClaudeHome, recorder: Recorder, file: str
) -> None:
    home.write(hooked(PreToolUse=recorder.command()))
    target = home.root / file
    earlier = json.loads(target.read_bytes()) if target.exists() else {}
    home.write(earlier | {"disableAllHooks": True}, target)
    assert not is_guarded(home, recorder)


def test_a_project_that_enables_hooks_overrules_a_user_who_disabled_them(
    home: ClaudeHome, recorder: Recorder
) -> None:
    home.write(hooked(PreToolUse=recorder.command()) | {"disableAllHooks": True})
    home.write({"disableAllHooks": False}, home.project / ".claude" / "settings.json")
    assert is_guarded(home, recorder)


@pytest.mark.parametrize("switch", ["CLAUDE_CODE_SIMPLE", "CLAUDE_CODE_SAFE_MODE"])
def test_an_environment_switch_makes_it_run_unguarded(
    home: ClaudeHome, recorder: Recorder, switch: str
) -> None:
    home.write(hooked(PreToolUse=recorder.command()))
    assert not is_guarded(home, recorder, environment={switch: "1"})


@pytest.mark.parametrize("file", ["settings.json", "settings.local.json"])
def test_hooks_of_a_project_fire_headless_without_trust(
    home: ClaudeHome, recorder: Recorder, file: str
) -> None:
    home.write(hooked(PreToolUse=recorder.command()), home.project / ".claude" / file)
    assert is_guarded(home, recorder)


def test_the_same_command_in_two_files_is_run_once_per_call(
    home: ClaudeHome, recorder: Recorder
) -> None:
    settings = hooked(PreToolUse=recorder.command())
    home.write(settings)
    home.write(settings, home.project / ".claude" / "settings.json")
    assert is_guarded(home, recorder)
    assert len(recorder.inputs()) == 1


def test_claude_config_dir_is_where_the_user_settings_are(
    home: ClaudeHome, recorder: Recorder, tmp_path: Path
) -> None:
    home.write(hooked(PreToolUse=recorder.command()), tmp_path / "elsewhere" / "settings.json")
    assert not is_guarded(home, recorder)
    assert is_guarded(
        home, recorder, environment={"CLAUDE_CONFIG_DIR": str(tmp_path / "elsewhere")}
    )


def test_an_empty_claude_config_dir_means_the_working_directory(
    home: ClaudeHome, recorder: Recorder
) -> None:
    empty = {"CLAUDE_CONFIG_DIR": ""}
    home.write(hooked(PreToolUse=recorder.command()))
    assert not is_guarded(home, recorder, environment=empty)
    home.write(hooked(PreToolUse=recorder.command()), home.project / "settings.json")
    assert is_guarded(home, recorder, environment=empty)


@pytest.mark.parametrize(
    "launcher", [None, b"", b"\x00\xff garbage", b"if then (", b"no-such-program\n"]
)
def test_the_registered_command_is_harmless_when_the_files_behind_it_are_gone_or_broken(
    home: ClaudeHome, launcher: bytes | None
) -> None:
    path = home.root / "it's $data" / "runaway" / "launch"
    path.parent.mkdir(parents=True)
    if launcher is not None:
        path.write_bytes(launcher)
    command = f"""sh -c 'command . "$0" 2>/dev/null || true' {shlex.quote(str(path))} claude"""
    home.write(hooked(PreToolUse=command))
    run = home.run(looping(CALL, times=2), keep_session=True)
    assert [call.result for call in run.calls] == ["x", "x"]
    assert [(hook.exit_code, hook.stdout, hook.stderr) for hook in run.hooks] == [(0, "", "")] * 2
    assert not any("hook_" in str(record.get("attachment")) for record in home.records())


# Mods: functions inside Claude Code, before any hook.


@pytest.mark.parametrize(
    ("event", "is_silenced"), [("classic.PreToolUse", True), ("session.start", False)]
)
def test_a_mod_that_takes_the_event_silences_every_hook_and_the_doctor_sees_it(
    home: ClaudeHome, recorder: Recorder, event: str, is_silenced: bool
) -> None:
    home.write(hooked(PreToolUse=recorder.command()))
    folder = home.root / ".claude/skills/odd"
    for name, text in {
        ".claude-plugin/plugin.json": '{"name": "odd", "version": "0.1.0", "description": "x"}',
        "hooks/hooks.json": '{"modules": ["./register.js"]}',
        "hooks/register.js": f"export function register(on) {{ on('{event}', () => ({{}})) }}\n",
    }.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    assert is_guarded(home, recorder) is not is_silenced
    [*found] = mods.found(scratch_machine(home.root), home.project)
    assert [one.silences for one in found] == ([True] if is_silenced else [])
