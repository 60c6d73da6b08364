"""What the wire TAMPER knows of every harness: what setup wrote, and the switches of its module."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from runaway.guard.call import EDIT, NOTHING, SHELL, Call
from runaway.guard.judge import judge
from runaway.guard.policy import Policy, load
from runaway.installer import managed_scope, policy_file
from runaway.installer.harnesses.registry import HARNESSES
from runaway.installer.harnesses.tamper_facts import TamperFacts
from runaway.installer.machine import Machine
from tests.support.installer import bare_machine, wire

CASES = [
    pytest.param((name, scope, moved), id=f"{name}-{scope}{'-moved' if moved else ''}")
    for name, harness in HARNESSES.items()
    for scope in harness.SCOPES
    for moved in (False, True)
    if not moved or (scope == "user" and harness.MOVED_BY)
]


class Wired(NamedTuple):
    """A file that holds our entry, and what the guard goes by; `cwd` is the project."""

    name: str
    file: Path
    facts: TamperFacts
    policy: Policy
    cwd: Path

    def trips(self, kind: str, **arguments: Any) -> bool:
        call = Call(self.name, "s", tool="T", kind=kind, arguments=arguments, cwd=str(self.cwd))
        verdict, level, _ = judge(call, {}, self.policy, 1.0)
        return level != NOTHING and verdict.rule == "tamper"

    def runs(self, command: str) -> bool:
        return self.trips(SHELL, command=command)

    def writes(self, text: str) -> bool:
        return self.trips(EDIT, file_path=str(self.file), content=text)


@pytest.fixture(scope="module", params=CASES)
def wired(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Wired]:
    name, scope, moved = request.param
    harness, top = HARNESSES[name], tmp_path_factory.mktemp("tamper")
    elsewhere = top / "elsewhere/settings"
    elsewhere.mkdir(parents=True)
    machine = bare_machine(top / "home", **({harness.MOVED_BY: str(elsewhere)} if moved else {}))
    project = top / "project"
    project.mkdir()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HOME", str(machine.home))
        patch.setattr(policy_file, "USERS_STATE", str(machine.state))
        result = wire(machine, harnesses=(name,), scope=scope, project=project)
        file = Path(result.data["harnesses"][0]["path"])
        assert file.is_relative_to(elsewhere) == moved
        policy = load(str((managed_scope.of(machine) if scope == "managed" else machine).data))
        yield Wired(name, file, harness.tamper_facts(machine), policy, project)


def test_a_call_that_takes_the_entry_away_is_for_a_person(wired: Wired) -> None:
    file, folder = wired.file, wired.file.parent
    assert [
        command
        for command in (
            f"rm {file}",
            f"cd {folder} && rm -f {file.name}",
            f"mv {file} {file}.bak",
            f"sed -i s/runaway/x/ {file}",
            f"echo '{{}}' > {file}",
            f"rm -r {folder}",
            f"mv {folder} /tmp/away",
        )
        if not wired.runs(command)
    ] == []


def test_an_edit_that_takes_the_entry_out_is_for_a_person(wired: Wired) -> None:
    text = wired.file.read_text()
    assert wired.writes("{}" if wired.file.suffix == ".json" else "")
    assert wired.writes(text.replace("launch", "lunch"))
    assert wired.trips(EDIT, file_path=str(wired.file), old_string="launch", new_string="lunch")
    assert wired.trips(EDIT, patch=f"*** Begin Patch\n*** Delete File: {wired.file}\n*** End Patch")


def test_any_other_edit_of_the_file_is_nobodys_business(wired: Wired) -> None:
    if wired.file.name in wired.facts.whole:
        assert not wired.trips(EDIT, file_path=str(wired.file.with_name("x.js")), content="x")
        return
    values = json.loads(wired.file.read_text())
    assert not wired.writes(json.dumps({**values, "description": "x"}, indent=4))
    assert not wired.runs(f"cat {wired.file}")


def switched(facts: TamperFacts) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Each switch of a harness, set: its keys and a value that silences."""
    yield from ((keys, True) for keys in facts.on)
    yield from ((keys, False) for keys in facts.off)
    yield from ((keys, ["runaway"]) for keys in facts.listed)
    yield from ((("/p",), value) for value in facts.values)


def with_switch(values: dict[str, Any], keys: tuple[str, ...], value: Any) -> dict[str, Any]:
    first, *rest = keys
    inner = with_switch(values.get(first, {}), tuple(rest), value) if rest else value
    return {**values, first: inner}


def toml(keys: tuple[str, ...], value: Any) -> str:
    heading = f"[{'.'.join(keys[:-1])}]\n" if keys[1:] else ""
    return f"{heading}{keys[-1]} = {json.dumps(value)}\n"


def settings_files(wired: Wired) -> list[Path]:
    """All that the harness reads here: the user's, the project's, the organisation's."""
    facts = wired.facts
    user = [facts.folder / name for name in facts.files]
    project = [wired.cwd / name for name in facts.project]
    return [file for file in (*user, *project, *facts.further) if file.name not in facts.whole]


def test_every_switch_of_its_module_is_for_a_person_in_every_file(wired: Wired) -> None:
    unseen = []
    for file in settings_files(wired):
        before = file.read_text() if file.exists() else ""
        for keys, value in switched(wired.facts):
            if file.suffix == ".toml":
                after = before + toml(keys, value)
            else:
                after = json.dumps(with_switch(json.loads(before or "{}"), keys, value))
            if not wired.trips(EDIT, file_path=str(file), content=after):
                unseen.append((file.name, keys))
    assert unseen == []


def test_a_harness_is_not_started_without_its_hooks(wired: Wired) -> None:
    harness = HARNESSES[wired.name]
    for program in wired.facts.programs:
        calls = [f"{program} {flag}" for flag in wired.facts.flags]
        calls += [f"{name}=1 {program}" for name in wired.facts.variables]
        calls += [f"{harness.MOVED_BY}=/somewhere {program}"] if harness.MOVED_BY else []
        assert [call for call in calls if not wired.runs(call)] == []
        assert not wired.runs(program)
        assert not wired.runs(f"{program} 'is anything in settings.json disabled?'")


def test_a_later_compilation_still_knows_where_the_variable_led(tmp_path: Path) -> None:
    moved: dict[str, str] = {"CODEX_HOME": str(tmp_path / "other")}
    machine = bare_machine(tmp_path / "home", **moved)
    wire(machine, harnesses=("codex",))
    today: Machine = machine._replace(environ={})
    tamper = json.loads(policy_file.compiled(today, None))["tamper"]
    assert str(tmp_path / "other/config.toml") in json.loads(tamper["facts"])["files"]
    assert "other" in tamper["names"]
