"""A path in a receipt or a backup counts only where a harness keeps settings."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from runaway.installer.harnesses.base import Harness
from runaway.installer.harnesses.known_files import scope_of, targets_at
from runaway.installer.harnesses.registry import HARNESSES
from runaway.installer.machine import Machine, scratch_machine
from runaway.installer.managed_scope import of

MACHINE = scratch_machine(Path("/home/u"))
PROJECT = Path("/srv/app")
EACH = pytest.mark.parametrize("harness", HARNESSES.values(), ids=HARNESSES)


def files(machine: Machine, harness: Harness) -> Iterator[tuple[str, Path]]:
    for scope in harness.SCOPES:
        if (scope == "managed") is machine.shared:
            yield scope, harness.path(machine, scope, PROJECT)


@EACH
@pytest.mark.parametrize("machine", [MACHINE, of(MACHINE)], ids=["person", "owner"])
def test_what_setup_writes_is_the_harness_s_own(harness: Harness, machine: Machine) -> None:
    for scope, path in files(machine, harness):
        assert scope_of(harness, machine, path, scope) == scope
        assert [one.harness for one in targets_at(machine, path)].count(harness.NAME) == 1
    for path in harness.legacy_paths(machine) if any(files(machine, harness)) else ():
        assert scope_of(harness, machine, path) is not None


@pytest.mark.parametrize("name", [one.NAME for one in HARNESSES.values() if one.MOVED_BY])
def test_a_folder_that_the_variable_no_longer_names_is_known_by_the_file(name: str) -> None:
    harness = HARNESSES[name]
    moved = MACHINE._replace(environ={**MACHINE.environ, harness.MOVED_BY: "/srv/moved"})
    path = harness.path(moved, "user", PROJECT)
    assert path != harness.path(MACHINE, "user", PROJECT)
    assert scope_of(harness, MACHINE, path, "user") == "user"
    assert scope_of(harness, MACHINE, path, "user", moved=False) in (None, "project")


STRANGE = [
    "/home/u/.ssh/authorized_keys",
    "/home/u/.bashrc",
    "/home/u/.claude/settings.json/../../.bashrc",
    "/home/u/.claude/CLAUDE.md",
    "/home/u/.config/autostart/x.desktop",
    "/etc/passwd",
    "/",
    "/home/u/.claude",
    "/home/u/.claude/settings.json.bak",
    "/home/u/.local/share/runaway/launch",
]


@EACH
@pytest.mark.parametrize("path", STRANGE)
def test_nothing_else_is(harness: Harness, path: str) -> None:
    for machine in (MACHINE, of(MACHINE)):
        for scope in (*harness.SCOPES, "", "../.."):
            assert scope_of(harness, machine, Path(path), scope) is None


def test_both_files_of_codex_are_its_own_also_in_a_project() -> None:
    for name in ("hooks.json", "config.toml"):
        assert scope_of(HARNESSES["codex"], MACHINE, PROJECT / ".codex" / name) is not None


def test_managed_files_are_none_of_the_person_s_and_the_reverse() -> None:
    claude = HARNESSES["claude"]
    managed, user = (
        claude.path(of(MACHINE), "managed", PROJECT),
        claude.path(MACHINE, "user", PROJECT),
    )
    assert scope_of(claude, MACHINE, managed) is None
    assert scope_of(claude, of(MACHINE), user) is None
