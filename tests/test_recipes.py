"""The recipe for GNU stow, run with the real one; those for Ansible and Dotbot: tests/live."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.support.recipes import SETTINGS, dotfiles, recipe, run

STOW = shutil.which("stow")


@pytest.mark.skipif(STOW is None, reason="GNU stow is absent")
def test_stow_keeps_the_link_and_the_repository_gets_the_entry(tmp_path: Path) -> None:
    folder = Path(STOW or "").parent
    file = dotfiles(tmp_path, "claude/.claude/settings.json")
    first = run(tmp_path, "sh", "-ec", recipe("GNU stow"), folder=folder)
    link = tmp_path / ".claude/settings.json"
    assert "added in ~/.claude/settings.json -> ~/dotfiles/claude/.claude/settings.json" in first
    assert link.is_symlink()
    assert not link.parent.is_symlink()
    wired = file.read_bytes()
    assert b"runaway/launch" in wired
    assert "unchanged" in run(tmp_path, "sh", "-ec", recipe("GNU stow"), folder=folder)
    run(tmp_path, "runaway", "uninstall", "--yes")
    assert (link.is_symlink(), file.read_bytes()) == (True, SETTINGS)
