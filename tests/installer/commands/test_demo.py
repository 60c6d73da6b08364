from __future__ import annotations

import tempfile
from pathlib import Path

import pytest

from runaway.installer.commands import demo, uninstall
from runaway.installer.errors import Refusal
from runaway.installer.machine import Machine
from runaway.installer.result import Result


@pytest.fixture(autouse=True)
def scratch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The only folder for temporary files; its name is one that a careless program stumbles over."""
    folder = tmp_path / "it's a $TMPDIR"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


def test_the_whole_cycle_is_shown_and_leaves_nothing(
    scratch: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    said: list[str] = []
    result = demo.run(said.append)
    assert (result.exit_code, result.data) == (0, {"identical": True})
    assert list(scratch.iterdir()) == []
    assert list(home.iterdir()) == []
    shown = "\n".join(said)
    for step in ("setup --non-interactive --harness claude --dry-run", "doctor", "uninstall"):
        assert f"$ runaway {step}" in shown
    assert "calls 1 to 7: no opinion" in shown
    assert "ended the turn: the model is asked no more" in shown
    assert said[-1] == "~/.claude/settings.json is byte for byte what it was."


def test_a_demo_that_is_interrupted_leaves_nothing_either(scratch: Path) -> None:
    def say(text: str) -> None:
        if "doctor" in text:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        demo.run(say)
    assert list(scratch.iterdir()) == []


def test_a_demo_that_does_not_end_as_it_began_fails(
    scratch: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def forgetful(machine: Machine, options: uninstall.Options) -> Result:
        return Result("uninstall", "removed")

    monkeypatch.setattr(uninstall, "run", forgetful)
    with pytest.raises(Refusal) as caught:
        demo.run(lambda _: None)
    assert caught.value.code == "demo-failed"
    assert list(scratch.iterdir()) == []
