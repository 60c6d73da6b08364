"""The wizard: every answer and every way out, by keys through a pipe and on a real terminal."""

from __future__ import annotations

import io
import shutil
import sys
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from prompt_toolkit.application import create_app_session
from prompt_toolkit.input import PipeInput, create_pipe_input
from prompt_toolkit.output import DummyOutput

from runaway.installer import guided, wizard
from runaway.installer.commands.setup import Options
from runaway.installer.machine import Machine
from runaway.installer.plan import is_wired
from runaway.installer.policy_file import Wishes
from runaway.installer.harnesses.registry import HARNESSES
from tests.installer.files.support import tree
from tests.installer.support import NASTY, in_file, install_claude, user_file, wire
from tests.live.terminal import DOWN, ENTER, ESCAPE, Terminal

SETTINGS = b'{\n  "model": "opus",\n  "env": {"MY_TOKEN": "abcdefghijklmnopqrst12345"}\n}\n'
SCRIPT = Path(sys.executable).with_name("runaway")
SPACE, CTRL_C, CLEAR = " ", "\x03", "\x15"

# The keys that go on with what is offered, question by question.
GO_ON = {"harnesses": ENTER, "session": ENTER, "day": ENTER, "mode": ENTER, "write": ENTER}
NO_DRILL = ENTER


@pytest.fixture
def here(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> Machine:
    """This process runs on the scratch machine: Claude Code is there, with settings, and no other."""
    monkeypatch.setattr("os.environ", {"HOME": str(machine.home), "TERM": "xterm", "PATH": machine.environ["PATH"]})
    monkeypatch.chdir(machine.home)
    user_file(machine, SETTINGS)
    return machine


@pytest.fixture
def keys() -> Iterator[PipeInput]:
    with create_pipe_input() as pipe, create_app_session(input=pipe, output=DummyOutput()):
        yield pipe


def run(keys: PipeInput, pressed: str, given: Options = Options()) -> int:
    keys.send_text(pressed)
    return guided.run(lambda: given, lambda text: None)


def policy(machine: Machine) -> dict[str, Any]:
    return tomllib.loads((machine.config / "config.toml").read_text())


# -- answers


def test_going_on_at_each_question_wires_what_was_found(here: Machine, keys: PipeInput) -> None:
    assert run(keys, "".join(GO_ON.values()) + NO_DRILL) == 0
    assert in_file(user_file(here))
    assert policy(here) == {"mode": "enforce", "spend": {"session_cap": 20.0, "day_cap": 100.0}}
    assert not (here.home / ".codex").exists()


ANSWERS: list[tuple[str, dict[str, str], dict[str, Any]]] = [
    ("caps", {"session": CLEAR + "7.5" + ENTER, "day": CLEAR + "$30" + ENTER}, {"spend": {"session_cap": 7.5, "day_cap": 30.0}}),
    ("no caps", {"session": CLEAR + "0" + ENTER, "day": CLEAR + "0" + ENTER}, {"spend": {"session_cap": 0.0, "day_cap": 0.0}}),
    ("a word, mended", {"session": CLEAR + "much" + ENTER + CLEAR + "5" + ENTER}, {"spend": {"session_cap": 5.0, "day_cap": 100.0}}),
    ("observe", {"mode": DOWN + ENTER}, {"mode": "observe"}),
    ("back to the cap", {"day": ESCAPE, "again": CLEAR + "3" + ENTER + ENTER}, {"spend": {"session_cap": 3.0, "day_cap": 100.0}}),
]


@pytest.mark.parametrize(("changed", "wanted"), [one[1:] for one in ANSWERS], ids=[one[0] for one in ANSWERS])
def test_an_answer_is_stored(
    here: Machine, keys: PipeInput, changed: dict[str, str], wanted: dict[str, Any]
) -> None:
    again = changed.pop("again", "")
    pressed = {**GO_ON, **changed}
    pressed["day"] += again
    assert run(keys, "".join(pressed.values()) + NO_DRILL) == 0
    assert policy(here).items() >= wanted.items()
