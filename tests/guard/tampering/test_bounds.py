"""Whatever a call says, the look at it ends soon and never raises: neither deep nor long ones harm."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest

from runaway.guard.call import EDIT, SHELL, Call
from runaway.guard.judge import judge
from runaway.guard.policy import Policy
from runaway.guard.tampering.meaning import tampers
from tests.support.homes import tamper

POLICY = Policy(
    {
        "protected": ["/home/u/.local/share/runaway"],
        "wired": ["/home/u/.claude/settings.json"],
        "tamper": tamper(Path("/home/u")),
    },
    "/nowhere",
)
MANY = 10**6
SECONDS = 60.0  # of the processor; one is usual, what grows with the square takes hours
SETTINGS = "/home/u/.claude/settings.json"
CODEX = "/home/u/.codex/config.toml"
COMMANDS = {
    "parentheses": "runaway " + "(" * MANY,
    "substitutions": "runaway " + "$(" * MANY,
    "quotes": "runaway " + "\"'" * MANY,
    "substitutions in quotes": "runaway " + '"$(' * MANY,
    "back quotes": "runaway " + "`" * MANY,
    "backslashes": "runaway " + "\\" * MANY,
    "braces of a variable": "runaway " + "${" * MANY,
    "here-documents": "runaway\n" + "cat <<-A\n" * MANY,
    "growing variables": "runaway; a=xxxxxxxxxx\n" + "a=$a$a\n" * MANY,
    "many paths": "rm " + "a/../~/.claude/x " * MANY,
    "many copies": "cp " + "~/.claude/x " * MANY,
    "many folders": "cd .claude;" * MANY,
    "patterns": "rm " + "~/.claude/*a*b*c*d[ab]* " * MANY,
    "one pattern": "rm ~/.claude/" + "*a" * MANY,
    "alternatives": "rm ~/.claude/" + "{a,b}" * MANY,
    "climbing": "rm ~/.claude/" + "/.." * MANY,
    "shells in shells": "sh -c 'sh -c \"runaway\"';" * MANY,
    "wrappers": "echo runaway | xargs " + "xargs sudo " * MANY,
    "programs": "python3 -c 'runaway ' " * MANY,
    "searches": "find ~/.local -name x " + "-exec rm {} \\; " * MANY,
}
EDITS: dict[str, dict[str, Any]] = {
    "a deep list": {"file_path": SETTINGS, "content": "[" * MANY},
    "deep hooks": {"file_path": SETTINGS, "content": '{"hooks":' * MANY},
    "many edits": {
        "file_path": SETTINGS,
        "edits": [{"old_string": "a", "new_string": "b"}] * (MANY // 10),
    },
    "many files": {
        "command": "*** Begin Patch\n" + f"*** Update File: {CODEX}\n@@\n-a\n+b\n" * 99_999
    },
    "many hunks": {
        "command": f"*** Begin Patch\n*** Update File: {CODEX}\n" + "@@\n-a\n+b\n" * MANY
    },
    "many lines": {"file_path": CODEX, "content": "[hooks]\na=b\n" * MANY},
    "64 MB": {"file_path": SETTINGS, "content": "x" * (1 << 26)},
}


def spent(kind: str, arguments: dict[str, Any]) -> float:
    before = time.process_time()
    judge(Call("claude", "s", tool="T", kind=kind, arguments=arguments, cwd="/p"), {}, POLICY, 1.0)
    return time.process_time() - before


@pytest.mark.parametrize("command", COMMANDS.values(), ids=COMMANDS)
def test_a_command_of_any_shape_is_looked_at_in_bounded_time(command: str) -> None:
    assert spent(SHELL, {"command": command}) < SECONDS


@pytest.mark.parametrize("arguments", EDITS.values(), ids=EDITS)
def test_an_edit_of_any_size_is_looked_at_in_bounded_time(arguments: dict[str, Any]) -> None:
    assert spent(EDIT, arguments) < SECONDS


ODD: list[Any] = [
    {"command": ["sh", 5]},
    {"command": {"runaway": 1}},
    {"command": "runaway\0pause; rm ~/.claude/\0/\ud800"},
    {"file_path": "\0.claude/settings.json", "content": "{}"},
    {"file_path": SETTINGS, "edits": [None, 3, {"old_string": 4}], "content": None},
    {"path": SETTINGS, "content": '{"hooks": {"PreToolUse": {"a": [1, null]}, "x": [[1]]}}'},
    {"path": SETTINGS, "content": '{"hooksConfig": [], "env": 3, "hooks": [1]}'},
    {"patch": "*** Begin Patch\n*** Update File: \n*** Move to: \n*** Delete File"},
    "*** Begin Patch\n*** Update File: .claude/settings.json",
    {"file_path": "runaway", "path": 3, "content": "x", "code": "runaway"},
    {"command": "cp -t; rm; git -C; find -exec; sed -i; dd of=; cd; env; xargs; for; ~/.claude"},
]


@pytest.mark.parametrize("arguments", ODD)
@pytest.mark.parametrize("kind", [SHELL, EDIT])
def test_arguments_that_make_no_sense_raise_nothing(kind: str, arguments: Any) -> None:
    tampers(Call("claude", "s", tool="move_file", kind=kind, arguments=arguments, cwd=""), POLICY)


def test_a_fault_of_the_look_lets_the_other_wires_judge(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_arguments: Any) -> bool:
        raise RuntimeError("broken")

    monkeypatch.setattr("runaway.guard.tampering.meaning.tampers", fail)
    policy = Policy({"state": str(tmp_path), "tamper": POLICY.tamper}, "")
    memory: Any = {}
    rules = []
    for number in range(8):
        command = {"command": "cat ~/.claude/settings.json"}
        call = Call("claude", "s", tool="Bash", kind=SHELL, arguments=command, id=str(number))
        rules.append(judge(call, memory, policy, float(number))[0].rule)
    assert rules[-1] == "loop.same_call"
    assert "broken" in (tmp_path / "health.log").read_text()
