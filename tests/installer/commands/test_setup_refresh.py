"""`setup --refresh` renews what is wired, wherever that is; plain setup keeps to what was chosen."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from runaway.guard import __version__
from runaway.installer import deploy, launcher_check
from runaway.installer.commands import setup, status
from runaway.installer.errors import Refusal
from runaway.installer.harnesses.registry import HARNESSES
from runaway.installer.interpreter import choose
from runaway.installer.launch_command import commands_for
from runaway.installer.machine import Machine
from runaway.installer.result import Result
from tests.support.files import tree
from tests.support.installer import diagnose, levels, unwire, wire

EARLIER = "0.0.9"
FOLDERS = (".claude", ".codex", ".cursor", ".gemini", ".qwen", ".factory", ".copilot")


def all_detected(machine: Machine) -> None:
    for folder in FOLDERS:
        (machine.home / folder).mkdir(exist_ok=True)


def renew(machine: Machine, **options: Any) -> Result:
    return setup.run(machine, setup.Options(refresh=True, **options))


def of_an_earlier_release(machine: Machine, *paths: Path) -> None:
    """The code of another version, and entries in an older form."""
    [code] = (machine.data / "guard").iterdir()
    old = code.with_name(f"{EARLIER}-{code.name.rpartition('-')[2]}")
    shutil.copytree(code, old)
    shutil.rmtree(code)
    machine.launcher.write_text(machine.launcher.read_text().replace(code.name, old.name))
    for path in paths:
        text = path.read_text()
        for name in HARNESSES:
            new, *older = commands_for(machine.launcher, name)
            text = text.replace(new.replace('"', '\\"'), older[0].replace('"', '\\"'))
        path.write_text(text)


def test_everything_that_is_wired_is_renewed_and_nothing_else(
    machine: Machine, tmp_path: Path
) -> None:
    all_detected(machine)
    project = tmp_path / "project"
    project.mkdir()
    wire(machine, harnesses=("claude", "gemini"))
    wire(machine, harnesses=("claude",), scope="local", project=project)
    files = [
        machine.home / ".claude/settings.json",
        machine.home / ".gemini/settings.json",
        project / ".claude/settings.local.json",
    ]
    today = [path.read_bytes() for path in files]
    of_an_earlier_release(machine, *files)
    assert [path.read_bytes() for path in files] != today
    before = tree(machine.home)
    result = renew(machine)
    assert [path.read_bytes() for path in files] == today
    assert result.lines[0] == f"Guard {EARLIER} → {__version__}"
    assert result.data["guard"] == {"before": EARLIER, "after": __version__}
    added = {path for path in tree(machine.home) if path not in before}
    assert not [path for path in added if path.startswith(FOLDERS)]
    assert renew(machine).status == "unchanged"


def test_trust_that_was_recorded_is_recorded_anew(machine: Machine) -> None:
    wire(machine, harnesses=("codex",), trust_codex_hook=True)
    before = (machine.home / ".codex/config.toml").read_bytes()
    of_an_earlier_release(machine, machine.home / ".codex/hooks.json")
    assert levels(diagnose(machine, harnesses=("codex",)))["trusted.consent"] == "error"
    renew(machine)
    assert (machine.home / ".codex/config.toml").read_bytes() == before
    assert levels(diagnose(machine, harnesses=("codex",)))["trusted.consent"] == "ok"


def test_where_nothing_is_wired_nothing_is_put_in_place(machine: Machine) -> None:
    all_detected(machine)
    with pytest.raises(Refusal, match="There is nothing to renew"):
        renew(machine)
    assert not machine.data.exists()


def test_another_version_is_told_apart_from_changed_bytes(machine: Machine) -> None:
    wire(machine)
    of_an_earlier_release(machine)
    found = levels(diagnose(machine))
    assert (found["installed.version"], found.get("installed.code")) == ("warning", None)
    [told] = [one for one in status.run(machine, 1.0).messages if one.code == "installed.version"]
    assert (
        told.text == f"The guard that runs is of runaway {EARLIER}; this is runaway {__version__}."
    )
    renew(machine)
    assert launcher_check.outdated(machine) is None
    for path in deploy.code_folder(machine, choose(machine)).rglob("*.py"):
        path.write_text("")
    found = levels(diagnose(machine))
    assert (found["installed.code"], found.get("installed.version")) == ("error", None)


def test_plain_setup_keeps_to_what_was_chosen_and_says_so(machine: Machine) -> None:
    all_detected(machine)
    wire(machine, harnesses=("claude", "gemini"))
    result = setup.run(machine, setup.Options())
    actions = {row["harness"]: row["action"] for row in result.data["harnesses"]}
    assert (actions["claude"], actions["gemini"], actions["qwen"]) == (
        "unchanged",
        "unchanged",
        "left-out",
    )
    assert not (machine.home / ".qwen/settings.json").exists()
    [told] = [one for one in result.messages if one.harness == "qwen"]
    assert (told.level, told.fix) == ("info", "Add it with --harness qwen.")
    wire(machine, harnesses=("qwen",))
    after = setup.run(machine, setup.Options()).data["harnesses"]
    assert "left-out" not in {row["action"] for row in after if row["harness"] == "qwen"}


def test_after_an_uninstall_all_that_are_there_are_meant_again(machine: Machine) -> None:
    all_detected(machine)
    wire(machine)
    unwire(machine, harnesses=())
    result = setup.run(machine, setup.Options())
    assert "left-out" not in {row["action"] for row in result.data["harnesses"]}
