"""The plugin's file: known byte for byte, put where nothing is, and taken away alone."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from runaway.installer.errors import Refusal
from runaway.installer.harnesses import plugin_file
from runaway.installer.harnesses.opencode import plugin
from runaway.installer.machine import Machine
from tests.support.installer import NASTY, codes, row, unwire, wire

CHOSEN = ("opencode",)
LAUNCHER = Path("/home/u/.local/share/runaway/launch")
OURS = plugin.text(LAUNCHER)
FOREIGN = {
    "empty": b"",
    "another plugin": b"export const Mine = async () => ({})\n",
    "ours without its first line": OURS.split(b"\n", 1)[1],
    "ours with one more line": OURS + b"\n",
    "ours with other line ends": OURS.replace(b"\n", b"\r\n"),
    "ours disarmed": OURS.replace(b"throw new Error", b"console.log"),
    "ours with another digest": OURS.replace(b"sha256 ", b"sha256 0"),
}


def file_of(machine: Machine) -> Path:
    return machine.home / ".config/opencode/plugin/runaway.js"


def put(machine: Machine, data: bytes) -> Path:
    file = file_of(machine)
    file.parent.mkdir(parents=True)
    file.write_bytes(data)
    return file


def test_a_file_of_any_version_that_nobody_has_changed_is_ours() -> None:
    assert plugin.is_ours(OURS)
    assert plugin.is_ours(plugin_file._signed(b"// what another version wrote\n"))


@pytest.mark.parametrize("data", FOREIGN.values(), ids=FOREIGN)
def test_any_other_file_is_not(data: bytes) -> None:
    assert not plugin.is_ours(data)


@pytest.mark.parametrize("data", FOREIGN.values(), ids=FOREIGN)
def test_setup_refuses_it_and_nothing_changes(machine: Machine, data: bytes) -> None:
    file = put(machine, data)
    result = wire(machine, harnesses=CHOSEN)
    assert (result.exit_code, row(result)["action"]) == (1, "refused")
    assert codes(result) == ["foreign-plugin"]
    assert file.read_bytes() == data


def test_setup_writes_the_file_and_uninstall_leaves_everything_as_it_was(machine: Machine) -> None:
    config = machine.home / ".config"
    config.mkdir()
    assert row(wire(machine, harnesses=CHOSEN))["action"] == "added"
    assert file_of(machine).read_bytes() == plugin.text(machine.launcher)
    assert file_of(machine).stat().st_mode & 0o777 == 0o600
    assert row(wire(machine, harnesses=CHOSEN))["action"] == "unchanged"
    assert row(unwire(machine, harnesses=CHOSEN))["action"] == "removed"
    assert list(config.iterdir()) == []


def test_uninstall_takes_nothing_else_out_of_its_folders(machine: Machine) -> None:
    file = put(machine, plugin.text(machine.launcher))
    beside = file.with_name("mine.js")
    beside.write_text("export const Mine = async () => ({})\n")
    assert row(unwire(machine, harnesses=CHOSEN))["action"] == "removed"
    assert not file.exists()
    assert beside.exists()


def test_restore_and_uninstall_are_the_same(machine: Machine) -> None:
    wire(machine, harnesses=CHOSEN)
    assert row(unwire(machine, harnesses=CHOSEN, restore=True))["action"] == "restored"
    assert not (machine.home / ".config/opencode").exists()


def test_an_older_plugin_of_ours_is_renewed(machine: Machine) -> None:
    file = put(machine, plugin_file._signed(b"// what another version wrote\n"))
    assert row(wire(machine, harnesses=CHOSEN))["action"] == "updated"
    assert file.read_bytes() == plugin.text(machine.launcher)


def test_uninstall_refuses_a_changed_plugin_that_still_calls_the_guard(machine: Machine) -> None:
    wire(machine, harnesses=CHOSEN)
    file = file_of(machine)
    file.write_bytes(file.read_bytes() + b"// mine\n")
    result = unwire(machine, harnesses=CHOSEN)
    assert result.exit_code == 1
    assert codes(result) == ["foreign-plugin", "still-wired"]
    assert machine.launcher.exists()
    assert file.exists()


def test_uninstall_says_nothing_of_a_plugin_that_is_somebody_elses(machine: Machine) -> None:
    put(machine, FOREIGN["another plugin"])
    result = unwire(machine, harnesses=CHOSEN)
    assert (result.exit_code, result.data["files"]) == (0, [])


def test_the_project_scope(machine: Machine, tmp_path: Path) -> None:
    project = tmp_path / "project"
    project.mkdir()
    options: dict[str, Any] = {"harnesses": CHOSEN, "scope": "project", "project": project}
    assert row(wire(machine, **options))["path"] == str(project / ".opencode/plugin/runaway.js")
    assert row(unwire(machine, harnesses=CHOSEN, project=project))["action"] == "removed"
    assert list(project.iterdir()) == []


def test_a_moved_folder_of_settings_is_followed_and_the_one_left_behind_is_cleaned(
    machine: Machine,
) -> None:
    wire(machine, harnesses=CHOSEN)
    moved = machine._replace(environ={**machine.environ, "XDG_CONFIG_HOME": "xdg"})
    wire(moved, harnesses=CHOSEN)
    there = machine.cwd / "xdg/opencode/plugin/runaway.js"
    assert there.exists()
    assert unwire(moved, harnesses=CHOSEN).exit_code == 0
    assert not there.exists()
    assert not file_of(machine).exists()


def test_a_launcher_that_no_text_can_name_is_refused() -> None:
    with pytest.raises(Refusal) as refusal:
        plugin.text(Path("/home/\udcff/runaway/launch"))
    assert refusal.value.code == "undecodable-path"


# What the file does, by node: OpenCode itself is for tests/live

needs_node = pytest.mark.skipif(shutil.which("node") is None, reason="the program node is absent")
DRIVER = """
const [file, work] = process.argv.slice(1)
const { events, cases } = JSON.parse(work)
const said = []
const client = {
  session: { abort: async ({ path }) => said.push(`abort ${path.id}`) },
  tui: { showToast: async ({ body }) => said.push(body.message) },
}
const { Runaway } = await import(file)
const hooks = await Runaway({ client, directory: "/p" })
for (const event of events) await hooks.event({ event })
const thrown = []
for (const [hook, ...given] of cases) {
  await hooks[hook](...given).then(() => thrown.push(null), (error) => thrown.push(error.message))
}
process.on("exit", () => console.log(JSON.stringify({ thrown, said, cases })))
"""
CALL = ("tool.execute.before", {"tool": "bash", "sessionID": "s", "callID": "c"})
ARGUMENTS = {"args": {"command": "true"}}
BEFORE = (*CALL, ARGUMENTS)


class Done(NamedTuple):
    """What the hooks threw, what a person was shown or happened to sessions, what they were given
    (and may have changed), and the payload of the guard's last run."""

    thrown: list[str | None]
    said: list[str]
    cases: list[Any]
    asked: dict[str, Any] | None


def act(
    folder: Path, answer: str, *cases: tuple[Any, ...], events: Any = (), gone: bool = False
) -> Done:
    """Each case is a hook and what it is given; the guard always prints `answer`."""
    launcher = folder / NASTY.replace("\\", "") / "runaway/launch"
    launcher.parent.mkdir(parents=True)
    launcher.write_text('cat >"${0%/*}/asked"; cat "${0%/*}/answer"\n')
    launcher.with_name("answer").write_text(answer)
    if gone:
        launcher.unlink()
    file = folder / "runaway.mjs"
    file.write_bytes(plugin.text(launcher))
    work = json.dumps({"events": list(events), "cases": cases})
    done = subprocess.run(
        ["node", "--input-type=module", "-e", DRIVER, file.as_uri(), work],
        capture_output=True,
        text=True,
        check=True,
        timeout=30,
    )
    asked = launcher.with_name("asked")
    payload = json.loads(asked.read_text()) if asked.exists() else None
    return Done(**json.loads(done.stdout), asked=payload)


@needs_node
@pytest.mark.parametrize("answer", ["", "{}", "no JSON", "[]", "null"])
def test_whatever_the_guard_prints_but_a_denial_the_call_runs(tmp_path: Path, answer: str) -> None:
    done = act(tmp_path, answer, BEFORE)
    assert (done.thrown, done.said) == ([None], [])
    assert done.asked == {
        "event": "tool.execute.before",
        "session": "s",
        "agent": "",
        "directory": "/p",
        "attended": True,
        "tool": "bash",
        "call": "c",
        "args": ARGUMENTS["args"],
        "told": [],
    }


@needs_node
def test_a_hook_that_is_given_something_else_throws_nothing(tmp_path: Path) -> None:
    hooks = ("tool.execute.before", "tool.execute.after", "chat.message", "event")
    given: tuple[tuple[Any, ...], ...] = ((), (None,), ({},), ({}, None), ({}, {}), (1, 2))
    cases = [(hook, *values) for hook in hooks for values in given]
    assert act(tmp_path, "", *cases).thrown == [None] * len(cases)


@needs_node
def test_a_plugin_whose_launcher_was_deleted_is_harmless(tmp_path: Path) -> None:
    done = act(tmp_path, json.dumps({"deny": "no"}), BEFORE, gone=True)
    assert (done.thrown, done.asked) == ([None], None)


@needs_node
def test_a_denial_is_thrown_and_a_stop_ends_the_session(tmp_path: Path) -> None:
    done = act(tmp_path, json.dumps({"deny": "no", "show": "why", "stop": True}), BEFORE)
    assert (done.thrown, done.said) == (["no"], ["abort s", "why"])


@needs_node
def test_a_note_is_shown_and_stands_behind_the_result_of_its_call(tmp_path: Path) -> None:
    after = ("tool.execute.after", {"callID": "c"}, {"output": "done"})
    again = ("tool.execute.after", {"callID": "c"}, {"output": "done"})
    done = act(tmp_path, json.dumps({"note": "mind", "show": "mind"}), BEFORE, after, again)
    assert (done.thrown, done.said) == ([None] * 3, ["mind"])
    assert [case[2] for case in done.cases[1:]] == [{"output": "done\n\nmind"}, {"output": "done"}]


def created(session: str, parent: str = "", at: int = 0) -> dict[str, Any]:
    info = {"id": session, "time": {"created": at}, **({"parentID": parent} if parent else {})}
    return {"type": "session.created", "properties": {"info": info}}


def part_event(call: str, session: str = "s", end: int | None = 1) -> dict[str, Any]:
    """A call that has ended; without an end one that runs."""
    state = {"status": "error", "time": {"start": 0}, "metadata": {"exit": 1}, "attachments": ["x"]}
    if end is not None:
        state["time"] = {"end": end}
    part = {"callID": call, "tool": "bash", "messageID": "m", "id": "p", "state": state}
    return {"type": "message.part.updated", "properties": {"sessionID": session, "part": part}}


def message_event(message: str, role: str = "assistant", at: int | None = 1) -> dict[str, Any]:
    info = {"id": message, "role": role, "time": {} if at is None else {"completed": at}}
    return {"type": "message.updated", "properties": {"sessionID": "s", "info": info}}


@needs_node
def test_what_happened_since_the_last_call_is_told_with_the_next(tmp_path: Path) -> None:
    events = [
        created("s", parent="root"),
        part_event("b"),
        part_event("c", end=None),
        part_event("d", session="other"),
        message_event("m", at=None),
        message_event("m"),
        message_event("n", role="user"),
        {"type": "server.connected", "properties": {}},
    ]
    asked = act(tmp_path, "", BEFORE, events=events).asked
    assert asked is not None
    assert (asked["session"], asked["agent"]) == ("root", "s")
    state = {"status": "error", "time": {"end": 1}, "metadata": {"exit": 1}}
    assert asked["told"] == [
        {"callID": "b", "tool": "bash", "messageID": "m", "state": state},
        {"id": "m", "role": "assistant", "time": {"completed": 1}},
    ]


@needs_node
def test_what_a_fork_has_from_its_parent_is_not_told(tmp_path: Path) -> None:
    events = [created("s", at=5), part_event("b", end=4), message_event("m", at=4)]
    asked = act(tmp_path, "", BEFORE, events=[*events, message_event("n", at=6)]).asked
    assert asked is not None
    assert [one["id"] for one in asked["told"]] == ["n"]


@needs_node
def test_what_is_left_when_a_session_rests_is_told_then(tmp_path: Path) -> None:
    idle = {"type": "session.idle", "properties": {"sessionID": "s"}}
    asked = act(tmp_path, "", events=[message_event("m"), idle, idle]).asked
    assert asked is not None
    assert asked["event"] == "session.idle"
    assert [one["id"] for one in asked["told"]] == ["m"]


@needs_node
def test_a_prompt_of_opencodes_own_is_told_as_such(tmp_path: Path) -> None:
    message = {"message": {"id": "m"}, "parts": [{"text": "x", "synthetic": True}]}
    synthetic = act(tmp_path, "", ("chat.message", {"sessionID": "s"}, message)).asked
    assert synthetic is not None
    assert synthetic["unasked"] is True
    own = {"message": {"id": "m"}, "parts": [{"text": "x"}]}
    (tmp_path / "own").mkdir()
    asked = act(tmp_path / "own", "", ("chat.message", {"sessionID": "s"}, own)).asked
    assert asked is not None
    assert (asked["prompt"], asked["unasked"]) == ("m", False)
