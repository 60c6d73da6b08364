"""What needs no Claude Code; tests/live/test_claude_drill.py has the rest, with the real one."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from runaway.installer.drill.scripts import looping
from runaway.installer.drill.server import ToolUse
from runaway.installer.errors import Refusal
from runaway.installer.harnesses.claude.drill import Launch, drill, find, redirected, run

LOOP = looping(ToolUse("Read", {"file_path": "/x"}))


def program(path: Path, body: str) -> Path:
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(0o755)
    return path


def test_claude_is_found_on_the_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    claude = program(tmp_path / "claude", "exit 0")
    monkeypatch.setenv("PATH", str(tmp_path))
    assert find() == claude
    claude.unlink()
    assert find() is None


def test_a_given_program_is_found_without_the_path_and_made_absolute(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program(tmp_path / "my claude", "exit 0")
    monkeypatch.chdir(tmp_path)
    assert find(Path("./my claude")) == tmp_path / "my claude"


def test_a_given_file_that_is_no_program_is_not_found(tmp_path: Path) -> None:
    (tmp_path / "claude").write_text("")
    (tmp_path / "claude").chmod(0o644)
    assert find(tmp_path / "claude") is None


def test_a_program_that_cannot_be_started_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Refusal) as refusal:
        run(Launch(tmp_path / "claude", tmp_path, {}), LOOP)
    assert refusal.value.code == "harness-not-started"
    assert str(tmp_path / "claude") in refusal.value.text


def test_a_program_that_never_asks_the_model_proves_nothing(tmp_path: Path) -> None:
    claude = program(tmp_path / "claude", "echo 'please log in' >&2; exit 1")
    report = drill(claude, "guard: ", environment={}, managed=tmp_path)
    assert (report.level, report.requests, report.calls_before_stop) == ("error", 0, None)
    assert report.message.endswith("(please log in)")


TELL = f"""exec {sys.executable} -c '
import json, os, sys
settings = json.loads(sys.argv[sys.argv.index("--settings") + 1])
same = settings["env"].items() <= os.environ.items()
print(json.dumps(dict(session_id=os.getcwd(), names=sorted(os.environ), same=same)))
' "$@\""""


def test_the_cli_sees_a_clean_environment_that_says_the_same_as_its_settings(
    tmp_path: Path,
) -> None:
    claude = program(tmp_path / "claude", TELL)
    done = run(Launch(claude, tmp_path, {"HOME": "/h", "PATH": "/usr/bin:/bin"}), LOOP)
    assert done.session == str(tmp_path)
    (told,) = done.events
    assert told["same"]
    own = set(redirected("", {})["env"]) | {"HOME", "PATH"}
    assert set(told["names"]) - own <= {"LC_CTYPE", "PWD", "SHLVL", "_", "OLDPWD"}


def test_added_settings_win_and_leave_the_redirection_in_place() -> None:
    settings = redirected("http://x", {"model": "haiku", "env": {"ANTHROPIC_API_KEY": "mine"}})
    assert settings["model"] == "haiku"
    assert settings["env"]["ANTHROPIC_API_KEY"] == "mine"
    assert settings["env"]["ANTHROPIC_BASE_URL"] == "http://x"
    assert settings["apiKeyHelper"] == ""


@pytest.mark.parametrize(
    ("file", "content", "code"),
    [
        ("managed-settings.json", {"env": {"ANTHROPIC_BASE_URL": "http://x"}}, "managed-model"),
        ("managed-settings.d/9.json", {"env": {"CLAUDE_CODE_USE_VERTEX": "1"}}, "managed-model"),
        ("managed-settings.json", [], "managed-unreadable"),
        ("managed-settings.json", "{", "managed-unreadable"),
    ],
)
def test_managed_settings_that_decide_the_model_refuse_the_drill(
    tmp_path: Path, file: str, content: object, code: str
) -> None:
    path = tmp_path / file
    path.parent.mkdir(exist_ok=True)
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    with pytest.raises(Refusal) as refusal:
        drill(tmp_path / "claude", "guard: ", environment={}, managed=tmp_path)
    assert (refusal.value.code, refusal.value.path) == (code, path)


@pytest.mark.parametrize("content", [{}, {"env": {"NO_PROXY": "localhost"}}, {"model": "x"}])
def test_other_managed_settings_do_not_stand_in_the_way(
    tmp_path: Path, content: dict[str, object]
) -> None:
    (tmp_path / "managed-settings.json").write_text(json.dumps(content))
    claude = program(tmp_path / "claude", "exit 0")
    assert drill(claude, "guard: ", environment={}, managed=tmp_path).requests == 0
