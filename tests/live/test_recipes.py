"""The recipes for Ansible and Dotbot, run with the real tools in an environment of their own."""

from __future__ import annotations

import subprocess
import sys
import venv
from pathlib import Path

import pytest

from tests.support.recipes import SETTINGS, dotfiles, recipe, run

TOOLS = ("ansible-core==2.19.14", "dotbot==1.24.1")
FOLDER = Path(__file__).parents[2] / ".cache/recipes"


@pytest.fixture(scope="session")
def programs() -> Path:
    """Where ansible-playbook and dotbot are; installed once for each set of versions."""
    stamp = FOLDER / "-".join(TOOLS)
    if not stamp.exists():
        venv.create(FOLDER, with_pip=True, clear=True)
        command = [str(FOLDER / "bin/python"), "-m", "pip", "install", "--quiet", *TOOLS]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            pytest.skip(f"pip could not install {' '.join(TOOLS)}: {done.stderr[-300:]}")
        stamp.touch()
    return FOLDER / "bin"


def test_ansible_changes_something_once(programs: Path, tmp_path: Path) -> None:
    (tmp_path / ".claude").mkdir()
    (tmp_path / "playbook.yml").write_text(recipe("Ansible"))
    python = f"ansible_python_interpreter={sys.executable}"
    command = ("ansible-playbook", "-i", "localhost,", "-c", "local", "-e", python, "playbook.yml")
    assert "changed=0" in run(tmp_path, *command, "--check", folder=programs)
    assert not (tmp_path / ".claude/settings.json").exists()
    assert "changed=1" in run(tmp_path, *command, folder=programs)
    assert b"runaway/launch" in (tmp_path / ".claude/settings.json").read_bytes()
    assert "changed=0" in run(tmp_path, *command, folder=programs)


def test_dotbot_links_and_guards(programs: Path, tmp_path: Path) -> None:
    file = dotfiles(tmp_path, "claude/settings.json")
    (tmp_path / "dotfiles/install.conf.yaml").write_text(recipe("Dotbot"))
    command = ("dotbot", "-d", "dotfiles", "-c", "dotfiles/install.conf.yaml")
    assert "added in ~/.claude/settings.json" in run(tmp_path, *command, folder=programs)
    assert (tmp_path / ".claude/settings.json").is_symlink()
    assert b"runaway/launch" in file.read_bytes()
    assert "unchanged" in run(tmp_path, *command, folder=programs)
    run(tmp_path, "runaway", "uninstall", "--yes")
    assert file.read_bytes() == SETTINGS
