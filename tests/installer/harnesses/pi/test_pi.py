"""Pi's extension: put where nothing is, taken away alone, and what keeps Pi from loading it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from runaway.installer.harnesses import plugin_file
from runaway.installer.harnesses.base import Check
from runaway.installer.harnesses.pi.checks import checks as examine
from runaway.installer.machine import Machine
from tests.support.installer import codes, diagnose, levels, row, unwire, wire

CHOSEN = ("pi",)
FOREIGN = b"export default function (pi) {}\n"


def file_of(machine: Machine) -> Path:
    return machine.home / ".pi/agent/extensions/runaway.js"


def put(machine: Machine, name: str, contents: Any) -> Path:
    path = machine.home / ".pi/agent" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(contents if isinstance(contents, str) else json.dumps(contents))
    return path


def checks(machine: Machine) -> dict[str, Check]:
    return {check.check: check for check in examine(machine, machine.cwd)}


def test_setup_writes_the_file_and_uninstall_leaves_everything_as_it_was(machine: Machine) -> None:
    assert row(wire(machine, harnesses=CHOSEN))["action"] == "added"
    assert file_of(machine).read_bytes() == plugin_file.text("pi", machine.launcher)
    assert row(wire(machine, harnesses=CHOSEN))["action"] == "unchanged"
    assert row(unwire(machine, harnesses=CHOSEN))["action"] == "removed"
    assert not (machine.home / ".pi").exists()


def test_an_older_file_of_ours_is_renewed(machine: Machine) -> None:
    file = put(machine, "extensions/runaway.js", plugin_file._signed(b"// older\n").decode())
    assert row(wire(machine, harnesses=CHOSEN))["action"] == "updated"
    assert file.read_bytes() == plugin_file.text("pi", machine.launcher)


def test_somebody_elses_file_stays_untouched(machine: Machine) -> None:
    file = put(machine, "extensions/runaway.js", FOREIGN.decode())
    result = wire(machine, harnesses=CHOSEN)
    assert (result.exit_code, codes(result)) == (1, ["foreign-plugin"])
    assert file.read_bytes() == FOREIGN


@pytest.mark.parametrize("named", ["moved", "~/moved"])
def test_a_moved_folder_is_followed_and_the_one_left_behind_is_cleaned(
    machine: Machine, named: str
) -> None:
    wire(machine, harnesses=CHOSEN)
    moved = machine._replace(environ={**machine.environ, "PI_CODING_AGENT_DIR": named})
    wire(moved, harnesses=CHOSEN)
    above = machine.home if named.startswith("~") else machine.cwd
    there = above / "moved/extensions/runaway.js"
    assert there.exists()
    assert unwire(moved, harnesses=CHOSEN).exit_code == 0
    assert not there.exists()
    assert not file_of(machine).exists()


def test_a_healthy_setup_is_all_ok(machine: Machine) -> None:
    wire(machine, harnesses=CHOSEN)
    found = [(check.check, check.level) for check in examine(machine, machine.cwd)]
    assert found == [
        ("installed.entry", "ok"),
        ("allowed.disabled", "ok"),
        ("trusted.consent", "ok"),
    ]
    assert levels(diagnose(machine, harnesses=CHOSEN))["fires.command"] == "ok"


FILES = {
    "none": (None, "is not in ~/.pi/agent/extensions"),
    "another launcher": (
        plugin_file.text("pi", Path("/x/runaway/launch")),
        "not the extension that setup writes",
    ),
    "another version": (plugin_file._signed(b"// older\n"), "not the extension that setup writes"),
    "another harness's": (plugin_file.text("opencode", Path("/x")), "not the extension that"),
    "somebody else's": (FOREIGN, "somebody else's"),
}


@pytest.mark.parametrize(("data", "words"), FILES.values(), ids=FILES)
def test_anything_but_the_extension_of_today_is_an_error(
    machine: Machine, data: bytes | None, words: str
) -> None:
    if data is not None:
        put(machine, "extensions/runaway.js", data.decode())
    found = checks(machine)["installed.entry"]
    assert found.level == "error"
    assert words in found.message


EXCLUDED = {
    "the path": (["-extensions/runaway.js"], "error"),
    "the path from here": (["-./extensions/runaway.js"], "error"),
    "a pattern": (["!extensions/*"], "error"),
    "the name as a pattern": (["!runaway.*"], "error"),
    "included again": (["!**/*.js", "+extensions/runaway.js"], "ok"),
    "excluded for good": (["+extensions/runaway.js", "-extensions/runaway.js"], "error"),
    "another one": (["-extensions/other.js", "!other*", "/x/more.js"], "ok"),
    "the name as a path": (["-runaway.js"], "ok"),
    "no list": ("-extensions/runaway.js", "ok"),
    "something else in it": ([1, None], "ok"),
}


@pytest.mark.parametrize(("entries", "level"), EXCLUDED.values(), ids=EXCLUDED)
def test_the_setting_that_excludes_extensions(machine: Machine, entries: Any, level: str) -> None:
    wire(machine, harnesses=CHOSEN)
    put(machine, "settings.json", "\ufeff" + json.dumps({"extensions": entries}))
    found = checks(machine)["allowed.disabled"]
    assert found.level == level
    assert ("~/.pi/agent/settings.json" in found.fix) == (level == "error")


@pytest.mark.parametrize("mark", ["-", "!"])
@pytest.mark.parametrize("home", ["~", ""])
def test_the_whole_path_excludes_too(machine: Machine, mark: str, home: str) -> None:
    wire(machine, harnesses=CHOSEN)
    entry = f"{mark}{home or machine.home}/.pi/agent/extensions/runaway.js"
    put(machine, "settings.json", {"extensions": [entry]})
    assert checks(machine)["allowed.disabled"].level == "error"


HIDDEN = {
    "an index": ("index.ts", "x", True),
    "a manifest": ("package.json", {"pi": {"extensions": ["./runaway.js"]}}, True),
    "a manifest of nothing": ("package.json", {"pi": {"extensions": ["./gone.js"]}}, False),
    "a package": ("package.json", {"name": "x"}, False),
    "ignored": (".gitignore", "# mine\n/runaway.js\n", True),
    "ignored by a pattern": (".fdignore", "*.js", True),
    "not ignored again": (".ignore", "*.js\n!runaway.js", False),
    "others": (".gitignore", "node_modules\n", False),
}


@pytest.mark.parametrize(("name", "contents", "hidden"), HIDDEN.values(), ids=HIDDEN)
def test_files_beside_it_that_hide_it(
    machine: Machine, name: str, contents: Any, hidden: bool
) -> None:
    wire(machine, harnesses=CHOSEN)
    path = put(machine, f"extensions/{name}", contents)
    found = checks(machine)
    assert ("allowed.folder" in found) is hidden
    assert not hidden or machine.tilde(path) in found["allowed.folder"].message


@pytest.mark.parametrize(
    ("script", "told"), [("#!/bin/sh\nexec pi --no-extensions\n", True), ("#!/bin/sh\n", False)]
)
def test_a_wrapper_that_switches_extensions_off_is_told(
    machine: Machine, script: str, told: bool
) -> None:
    program = machine.home / "bin/pi"
    program.parent.mkdir(exist_ok=True)
    program.write_text(script)
    program.chmod(0o755)
    assert ("allowed.option" in checks(machine)) is told
