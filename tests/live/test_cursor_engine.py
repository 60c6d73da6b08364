"""Cursor's own loader and executor, on the files that setup writes and with the guard that runs."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from runaway.guard.words import MARKER
from runaway.installer.commands import doctor, setup, uninstall
from runaway.installer.documents import json_document
from runaway.installer.errors import Refusal
from runaway.installer.harnesses.cursor import paths, third_party
from runaway.installer.harnesses.cursor.validation import RULES, problems
from runaway.installer.machine import Machine, scratch_machine
from runaway.installer.policy_edit import Wishes
from tests.installer.harnesses.cursor.tables import FOREIGN, IGNORED, LOADED, REFUSED
from tests.support.installer import present_shells
from tests.support.live.cursor_home import CALL, Job, Outcome, calls, run
from tests.support.live.recorder import Recorder
from tools import cursor_engine
from tools.cursor_engine import Engine

pytestmark = pytest.mark.live

DENIED_AT = 6  # by loop.same_result: the same call, the same result
TRANSPORTS = pytest.mark.parametrize("pipe", [True, False], ids=["pipe", "here-document"])
NEIGHBOUR = {"PostToolUse": [{"matcher": "Write", "hooks": [{"type": "command", "command": ":"}]}]}
Fire = Callable[..., Outcome]


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Engine:
    if not cursor_engine.installed():
        pytest.skip(cursor_engine.missing())
    return cursor_engine.copy(tmp_path_factory.mktemp("cursor"))


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    """Its name is as awkward as a real one may be."""
    home = tmp_path / "a user's $HOME é"
    (home / "project").mkdir(parents=True)
    return scratch_machine(home, {"PATH": "/usr/bin:/bin"})


@pytest.fixture
def fire(engine: Engine, machine: Machine) -> Fire:
    def one(*events: Any, **job: Any) -> Outcome:
        [outcome] = run(engine, [Job(machine.home, events, **job)])
        return outcome

    return one


def wire(machine: Machine, *harnesses: str, **options: Any) -> None:
    assert setup.run(machine, setup.Options(harnesses, **options)).exit_code == 0


def record_runs(machine: Machine) -> Recorder:
    """Another launcher: it keeps what it is given, each run by itself, and has no opinion."""
    recorder = Recorder(machine.home / "runs")
    machine.launcher.write_text(f"exec {recorder.command('{}')}\n")
    return recorder


def test_what_setup_writes_loads_without_a_complaint(machine: Machine, fire: Fire) -> None:
    wire(machine, "cursor")
    wire(machine, "cursor", scope="project", project=machine.home / "project")
    outcome = fire()
    assert not outcome.errors
    assert not outcome.warnings
    for file in ("userHooks", "projectHooks"):
        assert list(outcome.loaded[file]["hooks"]) == list(paths.EVENTS)


@TRANSPORTS
def test_every_event_that_is_wired_reaches_the_guard_with_its_payload(
    machine: Machine, fire: Fire, pipe: bool
) -> None:
    wire(machine, "cursor")
    runs = record_runs(machine)
    fire(*[(event, {**CALL, "note": "a 'quoted' $HOME\nö"}) for event in paths.EVENTS], pipe=pipe)
    told = runs.inputs()
    assert [payload["hook_event_name"] for payload in told] == list(paths.EVENTS)
    assert all(payload["note"] == "a 'quoted' $HOME\nö" for payload in told)
    assert all(payload["cursor_version"] for payload in told)


@pytest.mark.parametrize("neighbour", [False, True], ids=["alone", "beside a matcher"])
@pytest.mark.parametrize("wired", ["claude", "cursor", "claude cursor"])
def test_one_call_runs_the_guard_once(
    engine: Engine, machine: Machine, wired: str, neighbour: bool
) -> None:
    """Whatever transport, and whether Cursor reads Claude Code's files or not."""
    settings = machine.home / ".claude/settings.json"
    settings.parent.mkdir()
    settings.write_text(json.dumps({"hooks": NEIGHBOUR if neighbour else {}}))
    wire(machine, *wired.split())
    runs = record_runs(machine)
    ways = {f"{on} {pipe}": (on, pipe) for on in (True, False) for pipe in (True, False)}
    jobs = [
        Job(machine.home, [("preToolUse", {**CALL, "tool_use_id": way})], pipe, on)
        for way, (on, pipe) in ways.items()
    ]
    assert not any(outcome.errors for outcome in run(engine, jobs))
    told = [payload["tool_use_id"] for payload in runs.inputs()]
    for way, (on, _) in ways.items():
        only_claudes_is_read = on and neighbour
        assert told.count(way) == ("cursor" in wired or only_claudes_is_read)


@pytest.mark.parametrize("third_party", [False, True], ids=["third-party off", "third-party on"])
def test_the_doctor_counts_runs_as_the_engine_does(
    machine: Machine, fire: Fire, third_party: bool
) -> None:
    settings = machine.home / ".claude/settings.json"
    settings.parent.mkdir()
    settings.write_text(json.dumps({"hooks": NEIGHBOUR}))
    wire(machine, "claude", "cursor")
    wire(machine, "cursor", scope="project", project=machine.home / "project")
    options = doctor.Options(("cursor",), project=machine.home / "project")
    report = doctor.run(machine, options, progress=lambda _: None)
    [told] = [row for row in report.data["checks"] if row["check"] == "allowed.once"]
    runs = record_runs(machine)
    fire(("preToolUse", CALL), third_party=third_party)
    assert len(runs.inputs()) == 2
    assert "twice per call, and twice while third-party hooks are on" in told["message"]


@TRANSPORTS
def test_a_repeated_call_is_denied_at_the_configured_count(
    machine: Machine, fire: Fire, pipe: bool
) -> None:
    wire(machine, "cursor")
    outcome = fire(*calls(DENIED_AT + 1), pipe=pipe)
    before = outcome.permissions[::2]
    assert before == [""] * (DENIED_AT - 1) + ["deny"] * 2
    assert outcome.answers[-2]["user_message"].startswith(MARKER)


def test_the_note_before_it_reaches_the_agent(machine: Machine, fire: Fire) -> None:
    wire(machine, "cursor")
    notes = [answer.get("additional_context", "") for answer in fire(*calls(5)).answers]
    assert [bool(note) for note in notes[::2]] == [False, False, False, True, False]


def test_a_guard_wired_by_claude_code_alone_stops_a_loop_in_cursor_too(
    machine: Machine, fire: Fire
) -> None:
    settings = machine.home / ".claude/settings.json"
    settings.parent.mkdir()
    settings.write_text(json.dumps({"hooks": NEIGHBOUR}))
    wire(machine, "claude")
    outcome = fire(*calls(8))  # without results: the count of equal calls in a row
    assert outcome.permissions[::2] == [""] * 7 + ["deny"]


def test_both_runs_of_one_call_get_one_answer_and_count_once(machine: Machine, fire: Fire) -> None:
    wire(machine, "cursor")
    wire(machine, "cursor", scope="project", project=machine.home / "project")
    outcome = fire(*calls(DENIED_AT))
    assert outcome.permissions[::2] == [""] * (DENIED_AT - 1) + ["deny"]


def test_past_a_cap_the_next_prompt_is_held_back(machine: Machine, fire: Fire) -> None:
    wire(machine, "cursor", wishes=Wishes(None, 0.05, None))
    spent = {**CALL, "status": "completed", "input_tokens": 20000, "output_tokens": 9000}
    prompt = {**CALL, "generation_id": "turn-2", "prompt": "on", "attachments": []}
    first, _, second = fire(
        ("beforeSubmitPrompt", prompt), ("stop", spent), ("beforeSubmitPrompt", prompt)
    ).answers
    assert "continue" not in first
    assert second["continue"] is False
    assert "spend.session" in second["user_message"]


@TRANSPORTS
@pytest.mark.parametrize("lost", ["launch", "guard", "policy.json"])
def test_a_guard_whose_files_were_deleted_denies_nothing(
    machine: Machine, fire: Fire, lost: str, pipe: bool
) -> None:
    wire(machine, "cursor")
    path = machine.data / lost
    shutil.rmtree(path) if path.is_dir() else path.unlink()
    assert set(fire(*calls(3), pipe=pipe).permissions) == {""}


@pytest.mark.parametrize("state", ["wired", "broken", "damaged", "uninstalled"])
def test_a_login_shell_that_prints_does_not_turn_silence_into_a_denial(
    machine: Machine, fire: Fire, state: str
) -> None:
    wire(machine, "cursor")
    (machine.home / ".profile").write_text("echo Welcome back\n")
    registered = (machine.home / ".cursor/hooks.json").read_bytes()
    if state == "uninstalled":  # a session that runs on has the command still
        uninstall.run(machine, uninstall.Options(("cursor",)))
        (machine.home / ".cursor").mkdir(exist_ok=True)
        (machine.home / ".cursor/hooks.json").write_bytes(registered)
    elif state == "damaged":
        (machine.data / "policy.json").write_text("{")
    elif state == "broken":
        shutil.rmtree(machine.data / "guard")
    permissions = fire(*calls(DENIED_AT)).permissions[::2]
    assert permissions == [""] * 5 + (["deny"] if state == "wired" else [""])


def test_any_login_shell_will_do(engine: Engine, machine: Machine) -> None:
    """But for fish, which knows no here-documents, and tcsh, which takes no `-lc`: there no hook runs."""
    wire(machine, "cursor")
    runs = record_runs(machine)
    ways = [
        (shell, pipe)
        for shell in present_shells()
        for pipe in (True, False)
        if shell not in ("busybox", "tcsh") and (pipe or shell != "fish")
    ]
    jobs = [
        Job(
            machine.home,
            [("preToolUse", {**CALL, "tool_use_id": f"{shell} {pipe}"})],
            pipe,
            shell=str(shutil.which(shell)),
        )
        for shell, pipe in ways
    ]
    run(engine, jobs)
    told = [payload["tool_use_id"] for payload in runs.inputs()]
    assert told == [f"{shell} {pipe}" for shell, pipe in ways]


def test_what_a_here_document_cannot_carry_proceeds_unseen(machine: Machine, fire: Fire) -> None:
    """The limit of the system for one argument: Cursor's, and why the pipe is the better transport."""
    wire(machine, "cursor")
    runs = record_runs(machine)
    large = {**CALL, "tool_name": "Write", "tool_input": {"content": "x" * 200_000}}
    assert fire(("preToolUse", large), pipe=False).permissions == [""]
    assert runs.inputs() == []
    assert fire(("preToolUse", large), pipe=True).permissions == [""]
    assert len(runs.inputs()) == 1


def test_after_uninstall_cursor_loads_nothing_of_ours(machine: Machine, fire: Fire) -> None:
    before = b'{"version": 1, "hooks": {"stop": [{"command": "echo {}"}]}}\n'
    file = machine.home / ".cursor/hooks.json"
    file.parent.mkdir()
    file.write_bytes(before)
    wire(machine, "cursor")
    uninstall.run(machine, uninstall.Options(("cursor",)))
    assert file.read_bytes() == before
    assert list(fire().loaded["userHooks"]["hooks"]) == ["stop"]


def accepted(text: str) -> bool:
    try:
        document = json_document.parse(text.encode(), RULES, "hooks.json")
    except Refusal:
        return False
    return not list(problems(document))


def test_what_we_refuse_is_what_the_engine_ignores(engine: Engine, tmp_path: Path) -> None:
    rejected = {name: text for name, (text, _) in (IGNORED | REFUSED).items()}
    texts, jobs = LOADED | rejected, []
    for number, text in enumerate(texts.values()):
        file = tmp_path / str(number) / ".cursor/hooks.json"
        file.parent.mkdir(parents=True)
        file.write_text(text, "utf-8")
        jobs.append(Job(tmp_path / str(number)))
    outcomes = run(engine, jobs)
    engines = {name: not one.errors for name, one in zip(texts, outcomes, strict=True)}
    assert engines == {name: name in LOADED for name in texts}
    assert engines == {name: accepted(text) for name, text in texts.items()}


def test_what_we_say_cursor_takes_from_claude_code_is_what_the_engine_takes(
    engine: Engine, tmp_path: Path
) -> None:
    texts = {name: json.dumps({"hooks": hooks}) for name, (hooks, _) in FOREIGN.items()}
    texts["a comment"] = "// x\n" + texts["a star"]
    jobs = []
    for number, text in enumerate(texts.values()):
        file = tmp_path / str(number) / ".claude/settings.json"
        file.parent.mkdir(parents=True)
        file.write_text(text)
        jobs.append(Job(tmp_path / str(number)))
    outcomes = run(engine, jobs)
    for (name, text), outcome in zip(texts.items(), outcomes, strict=True):
        loaded = outcome.loaded.get("claudeUserHooks", {}).get("hooks", {})
        engines = [
            third_party.Hook(event, hook.get("matcher", ""), hook["command"])
            for event, hooks in loaded.items()
            for hook in hooks
        ]
        assert sorted(third_party.taken(text.encode()).hooks) == sorted(engines), name
