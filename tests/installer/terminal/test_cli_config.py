"""config, prices and backups through the real console script."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from runaway.installer import policy_keys
from runaway.installer.commands import config
from runaway.installer.machine import Machine
from tests.support.installer import bare_machine, wire
from tests.support.live.terminal import Terminal

RUNAWAY = Path(sys.executable).with_name("runaway")


def runaway(home: Path, *words: str) -> tuple[int, Any]:
    """Exit code and the JSON object."""
    done = subprocess.run(
        [str(RUNAWAY), *words, "--json"],
        env={"HOME": str(home), "PATH": os.defpath},
        capture_output=True,
        text=True,
        check=False,
    )
    assert "Traceback" not in done.stderr
    return done.returncode, json.loads(done.stdout)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    code, _ = runaway(tmp_path, "setup", "--non-interactive", "--harness", "claude")
    assert code == 0
    return tmp_path


@pytest.fixture(scope="module")
def wired(tmp_path_factory: pytest.TempPathFactory) -> Machine:
    machine = bare_machine(tmp_path_factory.mktemp("wired") / "home")
    assert wire(machine).exit_code == 0
    return machine


def policy(home: Path) -> Any:
    return json.loads((home / ".local/share/runaway/policy.json").read_text())


def test_a_setting_reaches_the_policy_that_the_guard_reads(home: Path) -> None:
    assert runaway(home, "config", "set", "spend.session_cap", "12.5")[0] == 0
    assert policy(home)["session_cap"] == 12.5
    assert runaway(home, "config", "get", "spend.session_cap")[1]["data"]["value"] == 12.5
    assert runaway(home, "config", "show")[1]["data"]["values"]["mode"] == "enforce"
    path = runaway(home, "config", "path")[1]["data"]["path"]
    assert Path(path).read_text() == "[spend]\nsession_cap = 12.5\n"


def test_an_unset_setting_has_its_default_again_and_comments_stay(home: Path) -> None:
    file = Path(runaway(home, "config", "path")[1]["data"]["path"])
    file.parent.mkdir(parents=True)
    file.write_text("# mine\n[spend]  # money\nsession_cap = 5  # five\nday_cap = 9\n")
    code, told = runaway(home, "config", "unset", "spend.session_cap")
    assert (code, told["status"], told["data"]["value"]) == (0, "changed", 0)
    assert file.read_text() == "# mine\n[spend]  # money\nday_cap = 9\n"
    assert "session_cap" not in policy(home)
    assert policy(home)["day_cap"] == 9
    assert runaway(home, "config", "unset", "spend.session_cap")[1]["status"] == "unchanged"


@pytest.mark.parametrize("key", policy_keys.ABOUT)
def test_every_setting_can_be_set_explained_and_unset(key: str, wired: Machine) -> None:
    default = policy_keys.default(key)
    value = "observe" if key == "mode" else "1, 2, 3, 4" if isinstance(default, list) else "7"
    before = config.explain(wired, key).data
    assert (before["value"], before["source"]) == (default, "default")
    config.put(wired, key, value)
    after = config.explain(wired, key)
    assert policy_keys.shown(after.data["value"]) == value
    assert (after.data["source"], after.data["default"]) == (
        "~/.config/runaway/config.toml",
        default,
    )
    assert after.lines[0] == policy_keys.ABOUT[key]
    config.unset(wired, key)
    assert config.explain(wired, key).data == before


def test_explain_tells_what_is_not_in_force_yet(wired: Machine) -> None:
    wired.config.mkdir(parents=True, exist_ok=True)
    wired.config_file.write_text('mode = "observe"\n')
    [message] = config.explain(wired, "mode").messages
    assert message.code == "not-in-force"


def editor(folder: Path, *texts: str) -> Path:
    """A program that leaves the next of these texts behind each time it is started."""
    for number, text in enumerate(texts):
        (folder / str(number)).write_text(text)
    program = folder / "editor"
    program.write_text(
        f"#!/bin/sh\ncd '{folder}'\nn=$(ls opened* 2>/dev/null | wc -l)\n"
        'touch "opened$n"\ncat "$((n))" > "$1"\n'
    )
    program.chmod(0o755)
    return program


def edited(home: Path, program: Path) -> Terminal:
    environment = {"HOME": str(home), "PATH": os.defpath, "EDITOR": str(program)}
    return Terminal([str(RUNAWAY), "config", "edit"], cwd=home, environment=environment)


def test_what_the_editor_leaves_behind_is_in_force(home: Path, tmp_path: Path) -> None:
    with edited(home, editor(tmp_path, 'mode = "observe"\n')) as terminal:
        assert terminal.exit_code() == 0
    assert policy(home)["observe"] is True


def test_after_a_mistake_the_editor_opens_again(home: Path, tmp_path: Path) -> None:
    with edited(home, editor(tmp_path, "mode = ", 'mode = "observe"\n')) as terminal:
        terminal.wait_for("Open the editor again? [Y/n]")
        assert "is not valid TOML" in terminal.text
        terminal.send("\r")
        assert terminal.exit_code() == 0
    assert policy(home)["observe"] is True


def test_whoever_gives_up_keeps_the_policy_in_force(home: Path, tmp_path: Path) -> None:
    with edited(home, editor(tmp_path, "mode = ")) as terminal:
        terminal.wait_for("Open the editor again? [Y/n]")
        terminal.send("n\r")
        assert terminal.exit_code() == 1
    assert policy(home)["observe"] is False


def test_without_a_terminal_no_editor_is_started(home: Path) -> None:
    code, told = runaway(home, "config", "edit")
    assert (code, told["messages"][0]["code"]) == (2, "no-terminal")


def test_a_price_that_is_unset_is_the_tables_again(home: Path) -> None:
    for model in ("claude-opus-5-5", "mine"):
        runaway(home, "prices", "set", model, "1", "2")
    assert runaway(home, "prices", "unset", "Claude-Opus-5.5")[0] == 0
    assert list(policy(home)["prices"]) == ["mine"]
    code, told = runaway(home, "prices", "unset", "claude-opus-5-5")
    assert (code, told["messages"][0]["code"]) == (1, "no-price")


def test_own_prices_are_listed_first_and_reach_the_guard(home: Path) -> None:
    assert runaway(home, "prices", "set", "claude-opus-5-5", "1", "2", "0.5")[0] == 0
    first = runaway(home, "prices", "list")[1]["data"]["prices"][0]
    assert (first["model"], first["input"], first["own"]) == ("claude-opus-5-5", 1, True)
    assert policy(home)["prices"]["claude-opus-5-5"][0][1:4] == [1, 2, 0.5]
    code, told = runaway(home, "prices", "check")
    assert (code, "price-own" in {message["code"] for message in told["messages"]}) == (0, True)


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["config", "set", "nope", "1"], 2),
        (["config", "get", "nope"], 2),
        (["config", "set", "mode", "maybe"], 1),
        (["config", "set", "spend.day_cap", "nan"], 2),
        (["config", "set", "spend.day_cap", "much"], 2),
        (["config", "set", "limits.loop.same_call", "0,12,8,20"], 1),
        (["config", "set", "limits.loop.same_call", "1,2"], 1),
        (["config", "unset", "nope"], 2),
        (["config", "explain", "nope"], 2),
        (["prices", "set", "", "1", "2"], 1),
        (["prices", "set", "x", "-1", "2"], 2),
        (["backups", "show", "nope"], 1),
        (["backups", "prune", "--older-than", "soon"], 2),
    ],
)
def test_mistakes_get_one_sentence_and_an_exit_code(
    home: Path, words: list[str], code: int
) -> None:
    exit_code, told = runaway(home, *words)
    assert exit_code == told["exit_code"] != 0
    assert exit_code == code
    assert len([message for message in told["messages"] if message["level"] == "error"]) == 1
