"""The console script in a process of its own: exit codes, streams, and one JSON object per run."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from tests.installer.console import SCRIPT, SETTINGS, SETUP, environment, run, settings_in
from tests.support.files import tree
from tests.support.installer import NASTY, call, decision, needs_patch, payload

# -- the whole way


@pytest.mark.parametrize(
    ("name", "more"),
    [
        (NASTY, {}),
        (NASTY, {"LC_ALL": "C", "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}),
        ("ünï", {"LC_ALL": "POSIX", "PYTHONCOERCECLOCALE": "0", "NO_COLOR": "1", "TERM": "dumb"}),
    ],
    ids=["nasty", "nasty in ascii", "POSIX locale"],
)
def test_setup_doctor_and_uninstall_in_any_home_and_locale(
    tmp_path: Path, name: str, more: dict[str, str]
) -> None:
    home = tmp_path / name
    home.mkdir()
    file = settings_in(home)
    added = run(home, *SETUP, more=more)
    assert (added.code, added.err) == (0, b"")
    assert added.out.startswith(b"Claude Code: added in ~/.claude/settings.json\n")
    [group] = json.loads(file.read_bytes())["hooks"]["PreToolUse"]
    command = group["hooks"][0]["command"]
    answers = [call(command, payload("cli", number)) for number in range(1, 9)]
    assert answers[:7] == [(0, b"")] * 7
    assert decision(answers[7][1]) == "deny"
    healthy = run(home, "doctor", "--verbose", "--harness", "claude", more=more)
    assert (healthy.code, healthy.err) == (0, b"")
    assert "✓ claude fires.command".encode() in healthy.out
    removed = run(home, "uninstall", "--yes", more=more)
    assert (removed.code, removed.err) == (0, b"")
    assert file.read_bytes() == SETTINGS


def test_setup_twice_says_added_then_unchanged_and_changes_nothing(home: Path) -> None:
    settings_in(home)
    first = run(home, *SETUP, "--json")
    before = tree(home)
    second = run(home, *SETUP, "--json")
    assert [ran.told["data"]["harnesses"][0]["action"] for ran in (first, second)] == [
        "added",
        "unchanged",
    ]
    assert [ran.told["status"] for ran in (first, second)] == ["changes", "unchanged"]
    locked = {".local/state/runaway/lock"}  # who holds it is written there
    assert {k: v for k, v in tree(home).items() if k not in locked} == {
        k: v for k, v in before.items() if k not in locked
    }


@needs_patch
@pytest.mark.parametrize(
    "data",
    [SETTINGS.replace(b"\n", b"\r\n"), b'{"n": "\xe2\x80\xa8"}', None],
    ids=["CRLF", "U+2028 and no final newline", "no file"],
)
def test_patch_makes_of_the_dry_run_what_setup_writes(tmp_path: Path, data: bytes | None) -> None:
    home = tmp_path / "a home"
    home.mkdir()
    file = home / ".claude/settings.json"
    if data is not None:
        settings_in(home, data)
    dry = run(home, *SETUP, "--dry-run")
    assert (dry.code, dry.err) == (0, b"")
    subprocess.run(["patch", "-p0", "--fuzz=0", "-s"], input=dry.out, cwd=home, check=True)
    patched = file.read_bytes()
    shutil.rmtree(file.parent)
    if data is not None:
        settings_in(home, data)
    assert run(home, *SETUP).code == 0
    assert file.read_bytes() == patched


# -- exit codes

BROKEN = b'{\n  // a note\n  "model": "opus"\n}\n'


def test_check_exits_1_before_setup_and_0_after(home: Path) -> None:
    assert run(home, "setup", "--check", "--harness", "claude").code == 1
    assert not (home / ".claude").exists()
    run(home, *SETUP)
    assert run(home, "setup", "--check", "--harness", "claude").code == 0


def test_a_refused_file_exits_1_with_the_reason_on_stderr(home: Path) -> None:
    file = settings_in(home, BROKEN)
    ran = run(home, *SETUP)
    assert ran.code == 1
    assert b"~/.claude/settings.json" in ran.err
    assert b"comment at 2:3" in ran.err
    assert file.read_bytes() == BROKEN


def test_a_doctor_who_finds_an_error_exits_1(home: Path) -> None:
    assert run(home, "doctor", "--harness", "claude").code == 1


# A mistake in the call: exit code 2, and the word that the sentence must hold.
MISTAKES: list[tuple[Sequence[str | bytes], str]] = [
    (("setup",), "--non-interactive"),
    (("uninstall",), "--yes"),
    ((*SETUP, "--harness", "emacs"), "claude"),
    (("doctor", "--harness", "emacs"), "claude"),
    ((*SETUP, "--scope", "world"), "user, project, local"),
    ((*SETUP, "--project", "/nonexistent/folder"), "/nonexistent/folder"),
    ((*SETUP, "--project"), "--project"),
    ((*SETUP, "--spend-cap", "much"), "--spend-cap"),
    ((*SETUP, "--day-cap", "nan"), "--day-cap"),
    ((*SETUP, "--no-such-option"), "--no-such-option"),
    ((*SETUP, b"--\xff\xfe"), "--"),
    ((*SETUP, "--scope", b"\xff"), "user, project, local"),
    (("no-such-command",), "no-such-command"),
    (("demo", "--harness", "claude"), "--harness"),
]


@pytest.mark.parametrize(("arguments", "word"), MISTAKES, ids=lambda value: str(value)[:60])
def test_a_mistake_in_the_call_exits_2_and_touches_nothing(
    empty: Path, arguments: Sequence[str | bytes], word: str
) -> None:
    verb, *rest = arguments
    ran = run(empty, verb, "--json", *rest)
    assert (ran.code, ran.err) == (2, b"")
    assert (ran.told["exit_code"], ran.told["schema"]) == (2, "runaway/1")
    assert word in ran.told["messages"][0]["text"]
    assert list(empty.iterdir()) == []


@pytest.mark.parametrize("arguments", [(*SETUP, "--scope", "world"), ("setup", "--no-such-option")])
def test_a_person_is_told_of_a_mistake_on_stderr(home: Path, arguments: Sequence[str]) -> None:
    ran = run(home, *arguments)
    assert (ran.code, ran.out) == (2, b"")
    assert arguments[-1].encode() in ran.err


def test_no_arguments_show_the_state_and_the_next_step(home: Path) -> None:
    ran = run(home)
    assert (ran.code, ran.err) == (0, b"")
    assert ran.out.endswith(b"Next: runaway setup; all commands: runaway --help\n")


def test_help_has_a_short_form_everywhere(home: Path) -> None:
    assert run(home, "-h").out == run(home, "--help").out
    assert run(home, "config", "set", "-h").out == run(home, "config", "set", "--help").out


@pytest.mark.parametrize("verb", ["setup", "doctor", "uninstall", "demo"])
def test_every_command_has_help_for_each_of_its_options(empty: Path, verb: str) -> None:
    ran = run(empty, verb, "--help", more={"LC_ALL": "C", "PYTHONIOENCODING": "ascii"})
    assert (ran.code, ran.err) == (0, b"")
    options = [line for line in ran.out.decode().splitlines() if re.match(r"  -", line)]
    assert options
    lonely = [line for line in options if not re.search(r"\S {2,}\S", line.strip())]
    assert [line for line in lonely if len(line) < 28] == []
    assert list(empty.iterdir()) == []


def test_the_version_is_told(home: Path) -> None:
    assert re.fullmatch(rb"runaway \d+\.\d+\.\d+\n", run(home, "--version").out)


# -- one object

FAR = {"CLAUDE_CONFIG_DIR": "/dev/null/x"}
RUNS: list[tuple[Sequence[str], Mapping[str, str], int]] = [
    ((*SETUP,), {}, 0),
    (("setup", "--non-interactive"), {}, 0),
    ((*SETUP, "--dry-run"), {}, 0),
    (("setup", "--check", "--harness", "claude"), {}, 1),
    ((*SETUP,), FAR, 1),
    ((*SETUP,), {"XDG_DATA_HOME": "/dev/null"}, 1),
    ((*SETUP,), {"XDG_STATE_HOME": "/dev/null"}, 1),
    ((*SETUP,), {"XDG_CONFIG_HOME": "/dev/null"}, 1),
    (("doctor",), {}, 1),
    (("uninstall", "--yes"), {}, 0),
    (("uninstall", "--dry-run"), FAR, 0),
    (("uninstall", "--yes"), {"XDG_STATE_HOME": "/dev/null"}, 1),
    (("demo",), {"LC_ALL": "C", "PYTHONIOENCODING": "ascii"}, 0),
]


@pytest.mark.parametrize(("arguments", "more", "code"), RUNS, ids=str)
def test_stdout_is_exactly_one_object_whatever_happens(
    home: Path, arguments: Sequence[str], more: Mapping[str, str], code: int
) -> None:
    ran = run(home, *arguments, "--json", more=more)
    told = ran.told
    assert list(told) == ["schema", "command", "status", "exit_code", "data", "messages"]
    assert (told["command"], told["exit_code"], ran.code) == (arguments[0], code, code)
    assert told["messages"] or code == 0 or told["status"] == "changes"
    assert ran.err == b""


def test_a_home_that_no_settings_file_can_name_is_refused(tmp_path: Path) -> None:
    home = Path(os.fsdecode(os.fsencode(tmp_path) + b"/\xff\xfe"))
    home.mkdir()
    ran = run(home, *SETUP, "--json")
    assert ran.code == 1
    assert ran.told["messages"][0]["code"] == "undecodable-path"
    assert list(home.iterdir()) == []


def test_a_current_folder_that_is_gone_is_one_sentence(home: Path) -> None:
    command = f'mkdir gone && cd gone && rmdir ../gone && exec "{SCRIPT}" doctor --json'
    done = subprocess.run(
        ["/bin/sh", "-c", command],
        capture_output=True,
        env=environment(home),
        cwd=home,
        check=False,
    )
    assert done.returncode == 1
    assert json.loads(done.stdout)["messages"][0]["code"] == "no-folder"
    assert done.stderr == b""


def test_a_reader_that_leaves_early_is_no_bug(home: Path) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(
        [str(SCRIPT), *SETUP, "--dry-run"],
        stdout=writing,
        stderr=subprocess.PIPE,
        env=environment(home),
        check=False,
    )
    os.close(writing)
    assert done.returncode == 1
    assert done.stderr == b""


def test_without_any_variable_of_the_environment_it_still_runs(home: Path) -> None:
    done = subprocess.run(
        [
            str(SCRIPT),
            "setup",
            "--dry-run",
            "--harness",
            "claude",
            "--project",
            str(home),
            "--json",
        ],
        capture_output=True,
        env={"HOME": str(home)},
        cwd="/",
        check=False,
    )
    assert json.loads(done.stdout)["status"] == "changes"


LOST = {
    "closed": (">&-", "it is closed"),
    "on a full disk": (">/dev/full", "No space left on device"),
}
SPEAKING = ("status", "status --json", "report", "config show", "--version", "--help", "demo")


@pytest.mark.parametrize(("where", "why"), LOST.values(), ids=LOST.keys())
@pytest.mark.parametrize("command", SPEAKING)
def test_output_that_nobody_takes_is_one_sentence(
    home: Path, command: str, where: str, why: str
) -> None:
    done = in_shell(home, f"{command} {where}")
    told = f"Cannot write to standard output: {why}.\n".encode()
    assert (done.returncode, done.stderr) == (1, told)


@pytest.mark.parametrize("where", ["<&-", "2>&-", "2>/dev/full"])
def test_a_result_needs_neither_stdin_nor_stderr(home: Path, where: str) -> None:
    done = in_shell(home, f"status {where}")
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.startswith(b"NOT armed")


@pytest.mark.parametrize("where", ["<&-", "2>&-", "2>/dev/full", ">&- 2>&-", "<&- >&- 2>&-"])
def test_an_error_keeps_its_exit_code_where_it_cannot_be_told(home: Path, where: str) -> None:
    assert in_shell(home, f"no-such-command {where}").returncode == 2
    assert in_shell(home, f"uninstall {where}").returncode == 2


def in_shell(home: Path, words: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        ["/bin/sh", "-c", f'"{SCRIPT}" {words}'],
        capture_output=True,
        env=environment(home),
        cwd=home,
        check=False,
    )
