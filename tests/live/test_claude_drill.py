"""The drill of `runaway doctor` with the real Claude Code: only a guard that stops passes."""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path

import pytest

from runaway.installer.drill.outcome import DrillReport
from runaway.installer.drill.scripts import looping
from runaway.installer.drill.server import ApiError, ToolUse
from runaway.installer.errors import Refusal
from runaway.installer.harnesses import release
from runaway.installer.harnesses.claude.drill import DRILL_REQUESTS, drill
from tests.support.live.claude_home import ClaudeHome, hooked
from tests.support.live.recorder import Recorder
from tools.live_harnesses import CLAUDE_CODE

MARKER = "guard: "
DENY = {
    "hookSpecificOutput": {
        "hookEventName": "PreToolUse",
        "permissionDecision": "deny",
        "permissionDecisionReason": MARKER + "the same call again",
    }
}
STOP = {"continue": False}


def drilled(home: ClaudeHome, marker: str = MARKER) -> DrillReport:
    return drill(home.claude, marker, environment=home.environment)


def test_it_knows_the_version(claude: Path) -> None:
    assert release.version(claude, os.environ) == tuple(map(int, CLAUDE_CODE.version.split(".")))


def test_a_guard_that_denies_and_ends_the_turn_passes(home: ClaudeHome, recorder: Recorder) -> None:
    heard: list[int] = []
    home.write(hooked(PreToolUse=recorder.command(DENY | STOP, after=4)))
    report = drill(home.claude, MARKER, environment=home.environment, on_progress=heard.append)
    assert (report.level, report.calls_before_stop, report.requests) == ("ok", 4, 5), report
    assert heard == [1, 2, 3, 4, 5]


def test_a_guard_of_the_project_counts_where_the_project_is_drilled(
    home: ClaudeHome, recorder: Recorder
) -> None:
    settings = hooked(PreToolUse=recorder.command(DENY | STOP, after=1))
    home.write(settings, home.project / ".claude" / "settings.json")
    assert drilled(home).level == "error"
    report = drill(home.claude, MARKER, environment=home.environment, project=home.project)
    assert report.level == "ok", report
    assert [path.name for path in home.project.iterdir()] == [".claude"]


def test_no_guard_at_all_fails(home: ClaudeHome) -> None:
    report = drilled(home)
    assert (report.level, report.calls_before_stop) == ("error", None)
    assert f"{DRILL_REQUESTS} equal calls went through and no hook was run" in report.message


def test_a_guard_that_only_watches_fails(home: ClaudeHome, recorder: Recorder) -> None:
    home.write(hooked(PreToolUse="true"))
    report = drilled(home)
    assert report.level == "error"
    assert "hooks were run, but" in report.message


def test_a_guard_that_denies_for_ever_fails(home: ClaudeHome, recorder: Recorder) -> None:
    home.write(hooked(PreToolUse=recorder.command(DENY, after=2)))
    report = drilled(home)
    assert (report.level, report.calls_before_stop) == ("error", 2)
    assert "asked again" in report.message


def test_a_turn_that_another_hook_ends_proves_nothing(home: ClaudeHome, recorder: Recorder) -> None:
    home.write(hooked(PreToolUse=recorder.command(DENY | STOP)))
    report = drilled(home, marker="somebody else: ")
    assert report.level == "error"
    assert "another hook ended the turn" in report.message


def test_a_guard_in_a_file_that_is_dropped_fails(home: ClaudeHome, recorder: Recorder) -> None:
    sound = json.dumps(hooked(PreToolUse=recorder.command(DENY | STOP)))
    home.write(b"// mine\n" + sound.encode())
    assert drilled(home).level == "error"


def test_it_says_so_where_permissions_take_its_tool_away(home: ClaudeHome) -> None:
    home.write({"permissions": {"deny": ["Read"]}})
    report = drilled(home)
    assert report.level == "skipped"
    assert "Read" in report.message


def test_a_managed_model_refuses_before_anything_is_run(home: ClaudeHome, tmp_path: Path) -> None:
    managed = tmp_path / "managed"
    home.write({"env": {"ANTHROPIC_BASE_URL": "http://x"}}, managed / "managed-settings.json")
    with pytest.raises(Refusal) as refusal:
        drill(home.claude, MARKER, environment=home.environment, managed=managed)
    assert refusal.value.code == "managed-model"
    assert list(home.root.iterdir()) == [home.project]


def test_it_changes_nothing_of_the_user_but_the_harness_own_bookkeeping(
    home: ClaudeHome, recorder: Recorder
) -> None:
    home.write(hooked(PreToolUse=recorder.command(DENY | STOP)))
    drilled(home)  # the first start of a fresh home writes its usual files
    before = contents(home.root)
    drilled(home)
    after = contents(home.root)
    changed = {path for path in before | after if before.get(path) != after.get(path)}
    assert all(path.startswith(".claude/plugins/store/") for path in changed), changed


def contents(folder: Path) -> dict[str, str]:
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in folder.rglob("*")
        if path.is_file()
    }


def test_nothing_of_the_user_but_hooks_is_started_and_no_setting_leads_it_astray(
    home: ClaudeHome, recorder: Recorder
) -> None:
    touch = {
        name: f"touch '{home.root.parent / name}'" for name in ("key-helper", "server", "hook")
    }
    dead = "http://127.0.0.1:9"
    home.write(
        {
            "apiKeyHelper": touch["key-helper"],
            "env": {
                "ANTHROPIC_BASE_URL": dead,
                "ANTHROPIC_AUTH_TOKEN": "a secret",
                "CLAUDE_CODE_USE_BEDROCK": "1",
                "HTTP_PROXY": dead,
                "HTTPS_PROXY": dead,
            },
            **hooked(PreToolUse=touch["hook"]),
        }
    )
    server = {"type": "stdio", "command": "sh", "args": ["-c", touch["server"]]}
    home.write({"mcpServers": {"mine": server}}, home.root / ".claude.json")
    report = drilled(home)
    assert report.requests == DRILL_REQUESTS + 1, report
    assert [name for name in touch if (home.root.parent / name).exists()] == ["hook"]


@pytest.mark.parametrize(
    ("status", "kind"), [(529, "overloaded_error"), (400, "invalid_request_error")]
)
def test_an_error_of_the_api_ends_the_turn(home: ClaudeHome, status: int, kind: str) -> None:
    def failing(request: object) -> ApiError:
        return ApiError(status, kind)

    settings = {"env": {"CLAUDE_CODE_MAX_RETRIES": "0"}}
    run = home.run(failing, settings=settings)
    assert (run.exit_code, run.terminal_reason) == (1, "api_error")
    assert f"{status}" in run.text


def test_a_run_that_takes_too_long_is_killed(home: ClaudeHome) -> None:
    home.write(hooked(PreToolUse="sleep 60"))
    run = home.run(looping(ToolUse("Bash", {"command": "echo x"})), timeout=5)
    assert run.exit_code is None
    assert {call.result for call in run.calls} <= {None}  # a busy machine has not come to the call
