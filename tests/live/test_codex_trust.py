"""What the real Codex says of trust: our arithmetic agrees with it, and so does what we write."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from runaway.installer.commands import doctor, setup
from runaway.installer.documents import toml_document
from runaway.installer.drill.scripts import looping
from runaway.installer.drill.server import ToolUse
from runaway.installer.harnesses.codex import app_server, paths, trust
from runaway.installer.harnesses.codex.validation import EVENTS, TOML_RULES
from runaway.installer.launch_command import command_for
from runaway.installer.machine import Machine
from tests.support.live import checks
from tests.support.live.codex_home import CodexHome, group

CHOSEN = ("codex",)
ODD: dict[str, dict[str, Any]] = {  # shapes of a handler, each put under every event
    "bare": {},
    "named": {"statusMessage": "réview 日本"},
    "timeout": {"timeout": 10},
    "least": {"timeout": 0},
    "default": {"timeout": 600},
    "above the most": {"timeout": 7},
    "null": {"timeout": None, "statusMessage": None},
    "async": {"async": True},
    "not async": {"async": False},
    "limit": {"additionalContextLimit": 5000},
    "windows": {"commandWindows": "dir"},
    "unknown field": {"note": "x", "timeoutSec": 3},
}
MATCHERS: tuple[dict[str, Any], ...] = (
    {},
    {"matcher": ""},
    {"matcher": "*"},
    {"matcher": "Bash|Edit"},
    {"matcher": None},
)


def shapes() -> dict[str, list[dict[str, Any]]]:
    """118 hooks: each event with each matcher, and some events with each odd handler."""
    every = {event: [{**group("echo é"), **one} for one in MATCHERS] for event in EVENTS}
    for event in ("PreToolUse", "SessionEnd", "Interrupt", "Stop"):
        every[event] += [group(f"run '{name}' || true", **odd) for name, odd in ODD.items()]
    return every


def test_key_and_hash_of_every_shape_are_those_of_codex(any_codex_home: CodexHome) -> None:
    any_codex_home.write(shapes())
    told = any_codex_home.listed()
    computed = {
        hook.key: hook.hash
        for hook in trust.hooks_in(
            json.loads(any_codex_home.hooks.read_bytes()), any_codex_home.hooks
        )
    }
    assert len(told) >= 80
    assert {key: hook.hash for key, hook in told.items()} == {key: computed[key] for key in told}
    unknown = {key.rsplit(":", 3)[1] for key in computed.keys() - told.keys()}
    assert unknown <= {"pre_model_request", "post_model_request"}  # 0.150 has neither


def test_toml_has_the_same_hashes_under_its_own_keys(codex_home: CodexHome) -> None:
    codex_home.config.mkdir()
    document = toml_document.parse(b"", TOML_RULES, "config.toml")
    for index in range(2):
        added = group("true", timeout=10 + index)
        document = toml_document.append(document, ("hooks", "PreToolUse"), added).document
    codex_home.settings.write_text(document.source.text)
    computed = {hook.key: hook.hash for hook in trust.hooks_in(document.value, codex_home.settings)}
    assert {key: hook.hash for key, hook in codex_home.listed().items()} == computed


STATES = {
    "untrusted": "",
    "trusted": "[hooks.state.'{key}']\ntrusted_hash = '{hash}'\n",
    "modified": "[hooks.state.'{key}']\ntrusted_hash = 'sha256:00'\n",
    "disabled": "[hooks.state.'{key}']\ntrusted_hash = '{hash}'\nenabled = false\n",
    "nothing said": "[hooks.state.'{key}']\nenabled = true\n",
    "one line": "hooks.state = {{ '{key}' = {{ trusted_hash = '{hash}' }} }}\n",
}


@pytest.mark.parametrize("record", STATES.values(), ids=STATES)
def test_our_reading_of_the_record_is_that_of_codex(codex_home: CodexHome, record: str) -> None:
    home = codex_home._replace(root=Path(str(codex_home.root).replace("'", "-")))
    home.project.mkdir(parents=True)
    home.write({"PreToolUse": [group("true")]})
    [hook] = trust.hooks_in(json.loads(home.hooks.read_bytes()), home.hooks)
    home.settings.write_text(record.format(key=hook.key, hash=hook.hash))
    ours = trust.status(hook, paths.values_of(home.settings))
    assert ours == home.status("true")


def wired(home: CodexHome, machine: Machine | None = None, **options: Any) -> list[dict[str, Any]]:
    chosen = setup.Options(CHOSEN, trust_codex_hook=True, **options)
    result = setup.run(machine or home.machine, chosen)
    assert result.exit_code == 0, result.messages
    rows: list[dict[str, Any]] = result.data["harnesses"]
    return rows


LAYOUTS = {
    "none": None,
    "plain": "# mine\nmodel = 'x'\n\n[features]\nhooks = true\n",
    "crlf": "model = 'x'\r\n\r\n[tui]\r\na = 1\r\n",
    "header": "[hooks.state]\n\n[tui]\n",
    "others' records": "[hooks.state.'/x:stop:0:0']\ntrusted_hash = 'sha256:11'\n\n[tui]\n",
    "inline": "hooks = { state = { '/x:stop:0:0' = { trusted_hash = 'sha256:11' } } }\n",
    "dotted": "hooks.state.'/x:stop:0:0'.trusted_hash = 'sha256:11'\nmodel = 'x'\n",
    "bom": "\ufeffmodel = 'x'\n",
}


@pytest.mark.parametrize("before", LAYOUTS.values(), ids=LAYOUTS)
def test_consent_is_recorded_in_any_layout_and_codex_believes_it(
    codex_home: CodexHome, before: str | None
) -> None:
    codex_home.config.mkdir()
    if before is not None:
        codex_home.settings.write_bytes(before.encode())
    wired(codex_home)
    ours = command_for(codex_home.machine.launcher, "codex")
    assert {hook.status for hook in codex_home.listed().values()} == {"trusted"}
    assert {hook.command for hook in codex_home.listed().values()} == {ours}
    if before:
        kept = [line for line in before.encode().splitlines() if not line.startswith(b"hooks = {")]
        assert set(kept) <= set(codex_home.settings.read_bytes().splitlines())


def test_what_only_codex_can_edit_it_is_asked_to_edit(codex_home: CodexHome) -> None:
    codex_home.config.mkdir()
    newer_toml = "[a]\nb = { x = 1,\n  y = 2 }\n"
    codex_home.settings.write_text(newer_toml)
    rows = wired(codex_home)
    assert [row["action"] for row in rows] == ["added", "added"]
    assert codex_home.settings.read_text().startswith(newer_toml)
    assert {hook.status for hook in codex_home.listed().values()} == {"trusted"}
    checks = {row["check"]: row["level"] for row in diagnose(codex_home)}
    assert checks["trusted.consent"] == "ok"
    assert checks["allowed.file"] == "warning"


def test_a_hook_of_a_project_runs_when_the_project_and_the_hook_are_trusted(
    codex_home: CodexHome,
) -> None:
    link = codex_home.root / "link to the project"
    link.symlink_to(codex_home.project)
    rows = wired(codex_home, scope="project", project=link)
    assert [Path(row["path"]).parent for row in rows] == [
        codex_home.project / ".codex",
        codex_home.config,
    ]
    loop = looping(ToolUse("exec_command", {"cmd": "true"}), times=8)
    assert not codex_home.run(loop).hooks
    failed = checks.failed(diagnose(codex_home))
    assert failed == {"allowed.project", "allowed.listed"}
    with codex_home.settings.open("a") as file:
        file.write(f'\n[projects."{codex_home.project}"]\ntrust_level = "trusted"\n')
    assert not checks.failed(diagnose(codex_home))
    assert [call.failed for call in codex_home.run(loop).calls] == [False] * 5 + [True] * 3


def diagnose(home: CodexHome, machine: Machine | None = None) -> list[dict[str, Any]]:
    options = doctor.Options(CHOSEN, home.project)
    rows: list[dict[str, Any]] = doctor.run(machine or home.machine, options, lambda _: None).data[
        "checks"
    ]
    return rows


@pytest.mark.parametrize("value", ["{root}/link", "../moved/", "{root}/moved"])
def test_a_moved_codex_home_is_known_by_its_real_place(codex_home: CodexHome, value: str) -> None:
    moved = codex_home.root / "moved"
    moved.mkdir()
    (codex_home.root / "link").symlink_to(moved)
    environ = {**codex_home.machine.environ, "CODEX_HOME": value.format(root=codex_home.root)}
    machine = codex_home.machine._replace(environ=environ, cwd=codex_home.project)
    wired(codex_home, machine)
    assert (moved / "hooks.json").exists()
    listing = app_server.hooks(codex_home.codex, machine, codex_home.project)
    assert listing
    assert {hook.status for hook in listing.hooks} == {"trusted"}
    assert not checks.failed(diagnose(codex_home, machine))


def test_an_empty_codex_home_is_none(codex_home: CodexHome) -> None:
    machine = codex_home.machine
    machine = machine._replace(environ={**machine.environ, "CODEX_HOME": ""})
    wired(codex_home, machine)
    listing = app_server.hooks(codex_home.codex, machine, codex_home.project)
    assert listing
    assert {hook.status for hook in listing.hooks} == {"trusted"}


def test_asking_codex_leaves_its_settings_alone(codex_home: CodexHome) -> None:
    wired(codex_home)
    files = (codex_home.hooks, codex_home.settings)
    before = [(path.read_bytes(), path.stat().st_mtime_ns) for path in files]
    diagnose(codex_home)
    assert [(path.read_bytes(), path.stat().st_mtime_ns) for path in files] == before
