from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from runaway.installer.machine import Machine
from runaway.installer.policy_edit import Wishes
from tests.support.files import tree
from tests.support.installer import (
    PLAIN,
    STYLES,
    in_project,
    needs_patch,
    project_file,
    row,
    user_file,
    wire,
)


def dry(machine: Machine, **options: Any) -> str:
    before = tree(machine.home)
    result = wire(machine, dry_run=True, **options)
    assert tree(machine.home) == before
    assert row(result)["diff"] in "\n".join(result.lines) + "\n"
    return "\n".join(result.lines) + "\n"


def patched(folder: Path, diff: str) -> None:
    subprocess.run(
        ["patch", "-p0", "--fuzz=0", "-s", "-d", str(folder)],
        input=diff.encode("utf-8", "surrogateescape"),
        check=True,
    )


@needs_patch
@pytest.mark.parametrize("data", [*STYLES.values(), None], ids=[*STYLES.keys(), "no file"])
def test_the_dry_run_writes_nothing_and_patch_makes_of_it_what_setup_writes(
    house: Machine, tmp_path: Path, data: bytes | None
) -> None:
    file = project_file(house, tmp_path, data)
    there = house._replace(cwd=file.parent.parent)
    before = tree(tmp_path)
    diff = dry(there, **in_project(file))
    assert tree(tmp_path) == before
    copy = tmp_path / "copy"
    shutil.copytree(file.parent.parent, copy)
    patched(copy, diff)
    wire(there, **in_project(file))
    assert (copy / ".claude/settings.local.json").read_bytes() == file.read_bytes()


@needs_patch
def test_a_file_outside_the_current_folder_is_patched_from_the_home(
    machine: Machine, tmp_path: Path
) -> None:
    file = user_file(machine, PLAIN)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    diff = dry(machine._replace(cwd=elsewhere))
    assert diff.startswith("Apply with: patch -p0 -d ~\n--- .claude/settings.json\n")
    patched(machine.home, diff)
    by_patch = file.read_bytes()
    file.write_bytes(PLAIN)
    wire(machine)
    assert file.read_bytes() == by_patch


SECRET = "Zq7xYw0123456789abcdef"
WITH_SECRETS = (
    b'{\n  "env": {\n    "ONE": "%(s)s"\n  },\n  "apiKeyHelper": "helper",\n'
    b'  "mcp": {"headers": {"Authorization": "Bearer %(s)s"}},\n  "model": "opus"\n}\n'
) % {b"s": SECRET.encode()}


@needs_patch
@pytest.mark.parametrize(
    "data",
    [
        WITH_SECRETS,
        b'{\n  "model": "opus",\n  "env": {\n    "ONE": "%s"\n  }\n}\n' % SECRET.encode(),
        b'{\n  "model": "opus",\n  "env": {"ONE": "%s"},\n  "z": 1\n}\n' % SECRET.encode(),
    ],
    ids=["at the top", "just above", "two lines above"],
)
def test_secrets_nearby_are_not_shown_and_patch_still_applies(
    house: Machine, tmp_path: Path, data: bytes
) -> None:
    file = project_file(house, tmp_path, data)
    there = house._replace(cwd=file.parent.parent)
    result = wire(there, dry_run=True, **in_project(file))
    assert SECRET not in repr(result)
    patched(file.parent.parent, row(result)["diff"])
    assert row(wire(there, **in_project(file)))["action"] == "unchanged"


def test_check_tells_by_its_exit_code_whether_anything_would_change(machine: Machine) -> None:
    before = tree(machine.home)
    first = wire(machine, check=True)
    assert (first.exit_code, row(first)["action"]) == (1, "added")
    assert first.lines == ("Claude Code: would be added in ~/.claude/settings.json",)
    assert tree(machine.home) == before
    wire(machine)
    assert wire(machine, check=True).exit_code == 0


def lose_the_entry(machine: Machine) -> None:
    user_file(machine, PLAIN)


def change_the_launcher(machine: Machine) -> None:
    machine.launcher.write_bytes(b"exit 0\n")


def lose_the_policy(machine: Machine) -> None:
    (machine.data / "policy.json").unlink()


def lose_a_module(machine: Machine) -> None:
    next(machine.data.glob("guard/*/guard/hook.py")).unlink()


def change_the_config(machine: Machine) -> None:
    machine.config_file.parent.mkdir(parents=True)
    machine.config_file.write_text('mode = "observe"\n')


CHANGES = [lose_the_entry, change_the_launcher, lose_the_policy, lose_a_module, change_the_config]


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
def test_check_sees_what_setup_would_mend(
    wired: Machine, change: Callable[[Machine], None]
) -> None:
    change(wired)
    assert wire(wired, check=True).exit_code == 1
    wire(wired)
    assert wire(wired, check=True).exit_code == 0


@needs_patch
def test_a_cap_to_be_stored_is_part_of_the_patch(machine: Machine) -> None:
    user_file(machine, PLAIN)
    wishes = Wishes(session_cap=5.0)
    diff = dry(machine, wishes=wishes)
    patched(machine.home, diff)
    stored = (machine.config / "config.toml").read_bytes()
    (machine.config / "config.toml").unlink()
    wire(machine, wishes=wishes)
    assert (machine.config / "config.toml").read_bytes() == stored
