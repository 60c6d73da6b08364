"""What the doctor says of Cursor: what it runs, how often, and why not."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from runaway.installer.harnesses import cursor
from runaway.installer.harnesses.base import Check
from runaway.installer.harnesses.cursor import paths
from runaway.installer.harnesses.cursor.checks import checks as examine
from runaway.installer.harnesses.drill_check import drill
from runaway.installer.launch_command import command_for
from runaway.installer.machine import Machine
from tests.installer.harnesses.cursor.tables import IGNORED, group
from tests.support.installer import diagnose, levels, wire


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    return folder


def registered(machine: Machine) -> str:
    return command_for(machine.launcher, "claude")


def entries(machine: Machine, *events: str, **changes: Any) -> dict[str, Any]:
    entry = {"command": registered(machine), "timeout": 10, **changes}
    return {event: [entry] for event in events or paths.EVENTS}


def cursors(folder: Path, hooks: dict[str, Any]) -> Path:
    """`hooks.json` of this home or project."""
    path = folder / ".cursor/hooks.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"version": 1, "hooks": hooks}))
    return path


def claudes(folder: Path, hooks: dict[str, Any], name: str = "settings.json") -> Path:
    path = folder / ".claude" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"hooks": hooks}))
    return path


def checks(machine: Machine, project: Path) -> dict[str, Check]:
    return {check.check: check for check in examine(machine, project)}


def told(found: Iterable[Check]) -> list[tuple[str, str]]:
    return [(check.check, check.level) for check in found]


def test_a_healthy_setup_is_all_ok(machine: Machine, project: Path) -> None:
    cursors(machine.home, entries(machine))
    assert told(examine(machine, project)) == [
        ("installed.entry", "ok"),
        ("allowed.once", "ok"),
        ("trusted.workspace", "ok"),
        ("fires.log", "info"),
    ]


def test_the_registered_command_is_run_as_it_stands_and_denies(machine: Machine) -> None:
    wire(machine, harnesses=("cursor",))
    assert levels(diagnose(machine, harnesses=("cursor",)))["fires.command"] == "ok"


def test_the_drill_says_why_there_is_none(machine: Machine) -> None:
    [check] = drill(cursor, machine, None, lambda _: None)
    assert (check.check, check.level) == ("drill", "skipped")
    assert "Cursor's own service" in check.message


# -- installed

STALE: dict[str, tuple[dict[str, Any], str]] = {
    "another timeout": ({"timeout": 60}, "warning"),
    "another launcher": ({"command": command_for(Path("/x/runaway/launch"), "claude")}, "error"),
    "failClosed": ({"failClosed": True}, "error"),
}


@pytest.mark.parametrize(("changes", "level"), STALE.values(), ids=STALE)
def test_an_entry_that_setup_would_write_otherwise_is_told(
    machine: Machine, project: Path, changes: dict[str, Any], level: str
) -> None:
    cursors(machine.home, entries(machine, **changes))
    assert checks(machine, project)["installed.entry"].level == level


def test_a_missing_entry_is_an_error(machine: Machine, project: Path) -> None:
    assert checks(machine, project)["installed.entry"].level == "error"
    cursors(machine.home, {"preToolUse": [{"command": "another"}]})
    assert checks(machine, project)["installed.entry"].level == "error"


@pytest.mark.parametrize(("event", "level"), [("preToolUse", "error"), ("stop", "warning")])
def test_an_event_that_is_not_bound_is_told(
    machine: Machine, project: Path, event: str, level: str
) -> None:
    rest = [one for one in paths.EVENTS if one != event]
    cursors(machine.home, entries(machine, *rest))
    found = checks(machine, project)["installed.events"]
    assert found.level == level
    assert event in found.message


def test_two_entries_for_one_event_are_told(machine: Machine, project: Path) -> None:
    hooks = entries(machine)
    hooks["preToolUse"] *= 2
    cursors(machine.home, hooks)
    found = checks(machine, project)
    assert found["installed.once"].level == "warning"
    assert "twice per call" in found["allowed.once"].message


# -- allowed


@pytest.mark.parametrize(("text", "place"), IGNORED.values(), ids=IGNORED)
def test_a_file_that_cursor_ignores_is_an_error(
    machine: Machine, project: Path, text: str, place: str
) -> None:
    path = cursors(machine.home, {})
    path.write_text(text)
    found = checks(machine, project)["allowed.file"]
    assert found.level == "error"
    assert "Cursor ignores the whole file ~/.cursor/hooks.json" in found.message
    assert place in found.message


@pytest.mark.parametrize(("ours", "level"), [(True, "error"), (False, "warning")])
def test_a_broken_project_file_is_an_error_where_it_holds_the_guard(
    machine: Machine, project: Path, ours: bool, level: str
) -> None:
    path = cursors(project, entries(machine) if ours else {})
    path.write_text(path.read_text() + "}")
    assert checks(machine, project)["allowed.file"].level == level


def test_an_organisations_broken_file_is_told(machine: Machine, project: Path) -> None:
    path = paths.enterprise_file(machine)
    path.parent.mkdir(parents=True)
    path.write_text("{")
    assert checks(machine, project)["allowed.file"].level == "warning"


def test_a_link_that_cursor_does_not_follow_is_an_error(machine: Machine, project: Path) -> None:
    real = cursors(project.parent / "real", entries(machine))
    (project / ".cursor").symlink_to(real.parent)
    assert checks(machine, project)["allowed.link"].level == "error"


PRE = {"PreToolUse": [group()]}
MATCHER = {"PostToolUse": [group("Write")]}
# (Claude Code's hooks, is Cursor wired) -> level and words of allowed.once
RUNS: dict[str, tuple[dict[str, Any] | None, bool, str, str]] = {
    "cursor": (None, True, "ok", "once per call"),
    "claude, not recognised": ({}, False, "", ""),
    "claude, recognised": (MATCHER, False, "warning", "only while third-party hooks are on"),
    "both, not recognised": ({}, True, "ok", "once per call"),
    "both, recognised": (MATCHER, True, "ok", "once per call"),
}


@pytest.mark.parametrize(("others", "wired", "level", "words"), RUNS.values(), ids=RUNS)
def test_how_often_a_call_runs_the_guard(
    machine: Machine,
    project: Path,
    others: dict[str, Any] | None,
    wired: bool,
    level: str,
    words: str,
) -> None:
    if others is not None:
        ours = {"PreToolUse": [group(command=registered(machine))]}
        claudes(machine.home, {**ours, **others})
    if wired:
        cursors(machine.home, entries(machine))
    once = checks(machine, project).get("allowed.once")
    assert (once.level if once else "") == level
    assert words in (once.message if once else "")


def test_another_spelling_of_the_command_in_claude_codes_file_runs_twice(
    machine: Machine, project: Path
) -> None:
    other = command_for(machine.launcher, "cursor")
    claudes(machine.home, {"PreToolUse": [group("", command=other)]})
    cursors(machine.home, entries(machine))
    message = checks(machine, project)["allowed.once"].message
    assert "once per call, and twice while third-party hooks are on" in message


def test_what_becomes_of_the_entry_in_claude_codes_file_is_told(
    machine: Machine, project: Path
) -> None:
    ours = group(command=registered(machine))
    path = claudes(machine.home, {"PreToolUse": [ours]})
    assert "`matcher`" in checks(machine, project)["allowed.third-party"].message
    claudes(machine.home, {"PreToolUse": [ours], **MATCHER})
    found = checks(machine, project)["allowed.third-party"]
    assert "Cursor runs those of ~/.claude/settings.json too" in found.message
    assert "Include third-party" in found.fix
    path.write_text("// x\n" + path.read_text())
    assert "plain JSON" in checks(machine, project)["allowed.third-party"].message


def test_claude_codes_moved_folder_is_nothing_to_cursor(machine: Machine, project: Path) -> None:
    moved = machine._replace(environ={"CLAUDE_CONFIG_DIR": str(machine.home / "elsewhere")})
    files = paths.claude_files(moved, project)
    assert files[0] == machine.home / ".claude/settings.json"
    assert [path.name for path in files[1:]] == ["settings.json", "settings.local.json"]


# -- trusted


def test_a_project_file_needs_trust_and_its_marker_is_looked_for(
    machine: Machine, project: Path
) -> None:
    cursors(project, entries(machine))
    assert checks(machine, project)["trusted.workspace"].level == "info"
    marker = paths.trust_marker(machine, project)
    marker.parent.mkdir(parents=True)
    marker.touch()
    assert checks(machine, project)["trusted.workspace"].level == "ok"


def test_the_marker_lies_in_a_folder_named_after_the_project(machine: Machine) -> None:
    marker = paths.trust_marker(machine, Path("/home/u/my app_2/é"))
    assert marker == machine.home / ".cursor/projects/home-u-my-app-2/.workspace-trusted"
    moved = machine._replace(environ={"CURSOR_DATA_DIR": "/data"})
    assert paths.trust_marker(moved, Path("/a")) == Path("/data/projects/a/.workspace-trusted")


# -- Cursor's own log

LOGS: dict[str, tuple[str, str]] = {
    "it ran": ('Executing hook {ours} from user config\n{{"permission":…}}\n', "ok"),
    "others ran": ("Executing hook other from user config\n", "info"),
    "nothing": ("", "info"),
    "rejected": ("User hooks.json at …: Invalid user config: Unknown hook type: x\n", "error"),
    "rejected long ago": (
        "Invalid user config: x\nLoaded 6 user hook(s) for steps\nExecuting hook {ours}\n",
        "ok",
    ),
}


@pytest.mark.parametrize(("text", "level"), LOGS.values(), ids=LOGS)
def test_cursors_log_of_hooks_is_read(
    machine: Machine, project: Path, text: str, level: str
) -> None:
    name = "20261130T120000/window1/output/cursor.hooks.workspaceId-1.log"
    log = paths.log_folder(machine) / name
    log.parent.mkdir(parents=True)
    log.write_text(text.format(ours=registered(machine)))
    assert checks(machine, project)["fires.log"].level == level


def test_the_newest_log_counts(machine: Machine, project: Path) -> None:
    for stamp, text in ((1, "Invalid user config"), (2, registered(machine))):
        log = paths.log_folder(machine) / f"{stamp}/window1/x/cursor.hooks.log"
        log.parent.mkdir(parents=True)
        log.write_text(text)
        os.utime(log, (stamp, stamp))
    assert checks(machine, project)["fires.log"].level == "ok"
