"""The wizard: every answer and every way out, by keys through a pipe and on a real terminal."""

from __future__ import annotations

import io
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from prompt_toolkit.application import create_app_session
from prompt_toolkit.input import PipeInput, create_pipe_input
from prompt_toolkit.output import DummyOutput

from runaway.installer.commands.setup import Options
from runaway.installer.machine import Machine
from runaway.installer.policy_edit import Wishes
from runaway.installer.terminal import interactive_setup, wizard
from runaway.installer.terminal.preview import Preview
from runaway.installer.terminal.prompts import asker
from tests.support.files import tree
from tests.support.installer import in_file, install_claude, user_file, wire
from tests.support.live.terminal import DOWN, ENTER, ESCAPE, Terminal

SCRIPT = Path(sys.executable).with_name("runaway")
SECRET = "abcdefghijklmnopqrst12345"
SETTINGS = b'{\n  "env": {"MY_TOKEN": "%s"},\n  "model": "opus"\n}\n' % SECRET.encode()
SPACE, CTRL_C, CLEAR = " ", "\x03", "\x15"
UP_TO_WRITING = ENTER * 4  # harnesses, both caps and the mode as they are offered
NO_DRILL = ENTER
NOTHING = Options()


@pytest.fixture
def here(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> Machine:
    """This process runs on a machine that has the settings of Claude Code and no other harness."""
    for variable in ("XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "CLAUDE_CONFIG_DIR"):
        monkeypatch.delenv(variable, raising=False)
    for variable, value in {**machine.environ, "TERM": "xterm"}.items():
        monkeypatch.setenv(variable, value)
    monkeypatch.chdir(machine.home)
    user_file(machine, SETTINGS)
    return machine


@pytest.fixture
def keys() -> Iterator[PipeInput]:
    with create_pipe_input() as pipe, create_app_session(input=pipe, output=DummyOutput()):
        yield pipe


def run(keys: PipeInput, pressed: str, given: Options = NOTHING) -> int:
    keys.send_text(pressed)
    return interactive_setup.run(lambda: given)


def policy(machine: Machine) -> dict[str, Any]:
    return tomllib.loads((machine.config / "config.toml").read_text())


def capped(session: float, day: float, mode: str = "enforce") -> dict[str, Any]:
    return {"mode": mode, "spend": {"session_cap": session, "day_cap": day}}


# -- answers

# What is pressed before the last yes, and the policy that comes of it.
ANSWERS: dict[str, tuple[str, dict[str, Any]]] = {
    "as offered": (UP_TO_WRITING, capped(20, 100)),
    "caps": (ENTER + CLEAR + "7.5" + ENTER + CLEAR + "$30" + ENTER * 2, capped(7.5, 30)),
    "no caps": (ENTER + CLEAR + "0" + ENTER + CLEAR + "0" + ENTER * 2, capped(0, 0)),
    "no number, then one": (ENTER + CLEAR + "x" + ENTER + CLEAR + "5" + ENTER * 3, capped(5, 100)),
    "below zero, then not": (
        ENTER + CLEAR + "-1" + ENTER + CLEAR + "5" + ENTER * 3,
        capped(5, 100),
    ),
    "observe": (ENTER * 3 + DOWN + ENTER, capped(20, 100, "observe")),
    "back to the cap": (ENTER * 2 + ESCAPE + CLEAR + "3" + ENTER * 3, capped(3, 100)),
    "back at the first": (ESCAPE + UP_TO_WRITING, capped(20, 100)),
    "back from the last": (
        UP_TO_WRITING + DOWN * 2 + ENTER + DOWN + ENTER,
        capped(20, 100, "observe"),
    ),
    "nothing ticked, then one": (SPACE + ENTER + SPACE + UP_TO_WRITING, capped(20, 100)),
}


@pytest.mark.parametrize(("pressed", "wanted"), ANSWERS.values(), ids=ANSWERS.keys())
def test_what_is_answered_is_what_is_stored(
    here: Machine, keys: PipeInput, pressed: str, wanted: dict[str, Any]
) -> None:
    assert run(keys, pressed + ENTER + NO_DRILL) == 0
    assert policy(here) == wanted
    assert in_file(user_file(here))
    assert not (here.home / ".codex").exists()


def test_an_agent_that_is_not_there_yet_can_be_ticked(here: Machine, keys: PipeInput) -> None:
    no_trust = ENTER
    pressed = SPACE + DOWN + SPACE + UP_TO_WRITING + no_trust + ENTER + NO_DRILL
    assert run(keys, pressed) == 0
    assert user_file(here).read_bytes() == SETTINGS
    assert (here.home / ".codex/hooks.json").exists()
    assert not (here.home / ".codex/config.toml").exists()


def test_codex_trusts_the_hook_only_after_a_yes(here: Machine, keys: PipeInput) -> None:
    (here.home / ".codex").mkdir()
    assert run(keys, UP_TO_WRITING + DOWN + ENTER + ENTER + NO_DRILL) == 0
    assert b"trusted_hash" in (here.home / ".codex/config.toml").read_bytes()


def test_options_of_the_command_line_are_where_the_questions_start(
    here: Machine, keys: PipeInput
) -> None:
    given = Options(("codex",), wishes=Wishes("observe", 1.5, 0))
    no_trust = ENTER
    assert run(keys, UP_TO_WRITING + no_trust + ENTER + NO_DRILL, given) == 0
    assert policy(here) == capped(1.5, 0, "observe")
    assert user_file(here).read_bytes() == SETTINGS


def test_what_the_policy_says_is_offered_and_nothing_is_asked_twice(
    here: Machine, keys: PipeInput, capsys: pytest.CaptureFixture[str]
) -> None:
    """The second time there is nothing to write, so there is no last question."""
    assert run(keys, ENTER + CLEAR + "3" + ENTER * 3 + ENTER + NO_DRILL) == 0
    before = tree(here.home)
    assert run(keys, UP_TO_WRITING + NO_DRILL) == 0
    assert "Everything is as you want it." in capsys.readouterr().out
    after = tree(here.home)
    assert {path for path in after if after[path] != before.get(path)} <= {
        ".local/state/runaway/lock"
    }


# -- what is shown


def test_every_file_is_shown_before_the_last_question_and_no_secret(
    here: Machine, keys: PipeInput, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(keys, UP_TO_WRITING + CTRL_C) == 130
    shown = capsys.readouterr()
    assert "  Claude Code: ~/.claude/settings.json: 1 hook added, " in shown.out
    assert "  Your settings: ~/.config/runaway/config.toml: 5 new lines\n" in shown.out
    assert "+++" not in shown.out
    assert "\x1b[" not in shown.out
    assert shown.err == "Nothing was changed.\n"


def test_the_full_diff_is_shown_on_demand_and_no_secret(
    here: Machine, keys: PipeInput, capsys: pytest.CaptureFixture[str]
) -> None:
    """Then the same question is asked again."""
    show = DOWN + ENTER
    assert run(keys, UP_TO_WRITING + show + CTRL_C) == 130
    shown = capsys.readouterr().out
    assert shown.count("+++ .claude/settings.json") == 1
    assert shown.count("+++ .config/runaway/config.toml") == 1
    assert SECRET not in shown


def test_the_same_call_without_questions_is_told_and_changes_nothing_more(
    here: Machine, keys: PipeInput, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(keys, ENTER + CLEAR + "3" + ENTER * 3 + ENTER + NO_DRILL) == 0
    [line] = re.findall(r"without questions: `runaway (.*)`", capsys.readouterr().out)
    assert line == (
        "setup --non-interactive --harness claude --spend-cap 3 --day-cap 100 --enforce"
    )
    before = policy(here)
    assert subprocess.run([SCRIPT, *line.split(), "--check"], check=False).returncode == 0
    assert policy(here) == before


def test_an_unticked_agent_is_taken_out_and_stays_so(
    here: Machine, keys: PipeInput, capsys: pytest.CaptureFixture[str]
) -> None:
    project = here.home / "project"
    project.mkdir()
    wire(here, harnesses=("claude", "codex"), trust_codex_hook=True)
    wire(here, harnesses=("codex",), scope="project", project=project)
    untick = DOWN + SPACE
    show = DOWN + ENTER
    assert run(keys, untick + UP_TO_WRITING + show + ENTER + NO_DRILL) == 0
    shown = capsys.readouterr().out
    assert "  Codex: ~/.codex/hooks.json: 3 hooks taken out, " in shown
    assert "+++ .codex/hooks.json" in shown or "--- .codex/hooks.json" in shown
    assert "~/.codex/hooks.json: entry removed" in shown
    assert not (here.home / ".codex/hooks.json").exists()
    assert not (here.home / ".codex/config.toml").exists()
    assert (project / ".codex/hooks.json").exists(), "another scope is another choice"
    assert in_file(user_file(here))
    offers = {one.name: one for one in wizard.offers(here, "user", here.cwd)}
    assert [name for name, one in offers.items() if one.wired] == ["claude"]
    assert run(keys, UP_TO_WRITING + NO_DRILL) == 0
    assert "Everything is as you want it." in capsys.readouterr().out


def test_trust_is_not_asked_for_again(here: Machine, keys: PipeInput) -> None:
    wire(here, harnesses=("claude", "codex"), trust_codex_hook=True)
    before = (here.home / ".codex/config.toml").read_bytes()
    assert run(keys, ENTER + CLEAR + "3" + ENTER * 3 + ENTER + NO_DRILL) == 0
    assert (here.home / ".codex/config.toml").read_bytes() == before
    assert policy(here)["spend"]["session_cap"] == 3


def test_a_named_agent_is_ticked_beside_those_chosen_before(here: Machine, keys: PipeInput) -> None:
    wire(here)
    no_trust = ENTER
    assert run(keys, UP_TO_WRITING + no_trust + ENTER + NO_DRILL, Options(("codex",))) == 0
    assert in_file(user_file(here))
    assert (here.home / ".codex/hooks.json").exists()


def test_a_file_that_cannot_be_edited_is_told_and_cannot_be_agreed_to(
    here: Machine, keys: PipeInput, capsys: pytest.CaptureFixture[str]
) -> None:
    user_file(here, b"{ // a note\n}\n")
    before = tree(here.home)
    assert run(keys, UP_TO_WRITING + DOWN + ENTER) == 130
    assert "comment at 1:3" in capsys.readouterr().out
    assert tree(here.home) == before


def test_an_offer_tells_version_place_and_whether_it_is_guarded(here: Machine) -> None:
    install_claude(here, "2.1.332")
    before = {one.name: one for one in wizard.offers(here, "user", here.cwd)}
    assert before["claude"][2:6] == ("2.1.332", True, False, "~/.claude/settings.json")
    assert (before["codex"].detected, before["codex"].version) == (False, "")
    wire(here)
    after = {one.name: one for one in wizard.offers(here, "user", here.cwd)}
    assert after["claude"].wired


def test_a_program_that_tells_no_version_is_no_obstacle(here: Machine) -> None:
    install_claude(here, "x").write_text("#!/bin/sh\nexit 1\n")
    assert wizard.offers(here, "user", here.cwd)[0][:4] == ("claude", "Claude Code", "", True)


def test_only_harnesses_with_that_scope_are_offered(here: Machine) -> None:
    assert [one.name for one in wizard.offers(here, "local", here.cwd)] == ["claude"]


def test_a_cap_can_be_judged_by_what_was_spent(here: Machine) -> None:
    assert wizard.spent(here) == ("", "")
    ledger = here.state / "ledger/2026-01-02.jsonl"
    ledger.parent.mkdir(parents=True)
    ledger.write_text('{"dollars": 1.25, "harness": "claude", "project": "/x"}\n' * 2)
    assert wizard.spent(here) == ("", "Your dearest day so far: $2.50.")


# -- ways out


@pytest.mark.parametrize("step", range(5), ids=["harnesses", "session", "day", "mode", "write"])
def test_ctrl_c_at_any_question_leaves_everything_untouched(
    here: Machine, keys: PipeInput, step: int
) -> None:
    before = tree(here.home)
    assert run(keys, ENTER * step + CTRL_C) == 130
    assert tree(here.home) == before


def test_ctrl_c_at_the_question_of_trust_leaves_everything_untouched(
    here: Machine, keys: PipeInput
) -> None:
    (here.home / ".codex").mkdir()
    before = tree(here.home)
    assert run(keys, UP_TO_WRITING + DOWN + CTRL_C) == 130
    assert tree(here.home) == before


def test_going_back_over_the_question_of_trust_forgets_no_answer(
    here: Machine, keys: PipeInput
) -> None:
    (here.home / ".codex").mkdir()
    trust = DOWN + ENTER
    assert run(keys, UP_TO_WRITING + trust + DOWN * 2 + ENTER + ENTER + ENTER + NO_DRILL) == 0
    assert b"trusted_hash" in (here.home / ".codex/config.toml").read_bytes()


def test_a_no_at_the_last_question_leaves_everything_untouched(
    here: Machine, keys: PipeInput
) -> None:
    before = tree(here.home)
    assert run(keys, UP_TO_WRITING + DOWN * 3 + ENTER) == 130
    assert tree(here.home) == before


def test_whoever_leaves_at_the_offer_of_a_drill_has_finished_setup(
    here: Machine, keys: PipeInput
) -> None:
    assert run(keys, UP_TO_WRITING + ENTER + CTRL_C) == 0
    assert in_file(user_file(here))


def test_a_drill_that_is_wanted_is_run(
    here: Machine, keys: PipeInput, capsys: pytest.CaptureFixture[str]
) -> None:
    """Claude Code's program is not here, so the drill is skipped, and the doctor says so."""
    up = "\x1b[A"
    assert run(keys, UP_TO_WRITING + ENTER + up + ENTER) == 0
    assert "claude drill: `claude` is not on PATH" in capsys.readouterr().out


@pytest.mark.parametrize(
    "given", [Options(("emacs",)), Options(project=Path("/nonexistent"))], ids=["harness", "folder"]
)
def test_a_mistake_on_the_command_line_is_told_before_any_question(
    here: Machine, keys: PipeInput, given: Options
) -> None:
    assert run(keys, "", given) == 2


# -- plain lines


def answer(monkeypatch: pytest.MonkeyPatch, lines: str) -> int:
    monkeypatch.setenv("TERM", "dumb")
    monkeypatch.setattr(sys, "stdin", io.StringIO(lines))
    return interactive_setup.run(Options)


# What is typed, line by line, and the policy that comes of it.
TYPED: dict[str, tuple[str, dict[str, Any]]] = {
    "as offered": ("\n\n\n\n1\n\n", capped(20, 100)),
    "answers": ("1\n5\n$6\n2\n1\n\n", capped(5, 6, "observe")),
    "mistakes": ("9\nx\n1, 1\nx\n5\n-1\n6\n7\n1\n1\n\n", capped(5, 6)),
    "back": ("b\n\nb\n\n3\n4\nb\n5\n1\n1\n\n", capped(3, 5)),
}


@pytest.mark.parametrize(("lines", "wanted"), TYPED.values(), ids=TYPED.keys())
def test_a_dumb_terminal_gets_plain_lines(
    here: Machine,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    lines: str,
    wanted: dict[str, Any],
) -> None:
    assert answer(monkeypatch, lines) == 0
    assert policy(here) == wanted
    assert "\x1b" not in capsys.readouterr().out


@pytest.mark.parametrize("count", range(5))
def test_the_end_of_the_input_leaves_everything_untouched(
    here: Machine, monkeypatch: pytest.MonkeyPatch, count: int
) -> None:
    before = tree(here.home)
    assert answer(monkeypatch, "\n" * count) == 130
    assert tree(here.home) == before


# -- a real terminal

QUESTIONS = ("Which agents", "per session:", "per day:", "What should", "Write these changes?")


def on_terminal(machine: Machine, more: Mapping[str, str] = {}) -> Terminal:
    environment = {"HOME": str(machine.home), "PATH": "/usr/bin:/bin", **more}
    return Terminal(
        [str(SCRIPT), "setup"], cwd=machine.home, environment=environment, size=(24, 80)
    )


@pytest.mark.parametrize("more", [{}, {"NO_COLOR": "1"}], ids=["colour", "NO_COLOR"])
def test_on_a_terminal_of_80_by_24_the_whole_way_works(
    here: Machine, more: Mapping[str, str]
) -> None:
    with on_terminal(here, more) as terminal:
        for question in (
            "Which agents",
            "per session:",
            "per day:",
            "What should",
            "Write these changes?",
        ):
            terminal.wait_for(question)
            terminal.send(ENTER)
        terminal.wait_for("Prove now")
        assert "Claude Code: added in ~/.claude/settings.json" in terminal.text
        terminal.send(ENTER)
        assert terminal.exit_code() == 0
        assert terminal.has_colour is not bool(more)
    assert in_file(user_file(here))


def test_ctrl_c_on_a_terminal_exits_130(here: Machine) -> None:
    before = tree(here.home)
    with on_terminal(here) as terminal:
        terminal.wait_for("Which agents")
        terminal.send(CTRL_C)
        assert terminal.exit_code() == 130
        assert "Nothing was changed." in terminal.text
    assert tree(here.home) == before


def test_a_dumb_terminal_of_its_own_is_asked_line_by_line(here: Machine) -> None:
    with on_terminal(here, {"TERM": "dumb"}) as terminal:
        terminal.wait_for("Which agents should be guarded? Numbers, b goes back [1]:")
        terminal.send(CTRL_C)
        assert terminal.exit_code() == 130


def test_nobody_is_asked_to_trust_what_the_machines_owner_puts_in(machine: Machine) -> None:
    answers = wizard.Answers(("codex",), "enforce", 0, 0)
    context = wizard.Context(
        asker(), wizard.offers(machine, "managed", machine.home), ("", ""), _never, str, False
    )
    assert "codex" in [offer.name for offer in context.offers]
    assert wizard._trust(context, answers) is None


def _never(_: wizard.Answers) -> Preview:
    raise AssertionError
