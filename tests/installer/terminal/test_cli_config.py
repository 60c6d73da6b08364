"""config, prices and backups through the real console script."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

RUNAWAY = Path(sys.executable).with_name("runaway")


def runaway(home: Path, *words: str, editor: str = "true") -> tuple[int, Any]:
    """Exit code and the JSON object."""
    done = subprocess.run(
        [str(RUNAWAY), *words, "--json"],
        env={"HOME": str(home), "PATH": os.defpath, "EDITOR": editor},
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


def policy(home: Path) -> Any:
    return json.loads((home / ".local/share/runaway/policy.json").read_text())


def test_a_setting_reaches_the_policy_that_the_guard_reads(home: Path) -> None:
    assert runaway(home, "config", "set", "spend.session_cap", "12.5")[0] == 0
    assert policy(home)["session_cap"] == 12.5
    assert runaway(home, "config", "get", "spend.session_cap")[1]["data"]["value"] == 12.5
    assert runaway(home, "config", "show")[1]["data"]["values"]["mode"] == "enforce"
    path = runaway(home, "config", "path")[1]["data"]["path"]
    assert Path(path).read_text() == "[spend]\nsession_cap = 12.5\n"


def test_what_the_editor_leaves_behind_is_compiled_or_refused(home: Path, tmp_path: Path) -> None:
    good = tmp_path / "good"
    good.write_text('#!/bin/sh\nprintf \'mode = "observe"\\n\' > "$1"\n')
    good.chmod(0o755)
    assert runaway(home, "config", "edit", editor=str(good))[1]["status"] == "changed"
    assert policy(home)["observe"] is True
    bad = tmp_path / "bad"
    bad.write_text("#!/bin/sh\nprintf 'mode = ' > \"$1\"\n")
    bad.chmod(0o755)
    code, told = runaway(home, "config", "edit", editor=str(bad))
    assert (code, told["messages"][0]["code"]) == (1, "policy-syntax")
    assert policy(home)["observe"] is True, "the guard keeps its policy"


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
