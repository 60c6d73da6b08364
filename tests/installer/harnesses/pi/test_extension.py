"""What the extension does with what Pi tells it, by node; Pi itself is for tests/live."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from runaway.installer.harnesses import plugin_file
from tests.support.installer import NASTY

pytestmark = pytest.mark.skipif(shutil.which("node") is None, reason="the program node is absent")

DRIVER = """
const [file, work] = process.argv.slice(1)
const { mode, yes, entries, cases } = JSON.parse(work)
const said = []
const ctx = {
  mode, cwd: "/p", hasUI: mode === "tui", abort: () => said.push("abort"),
  ui: {
    notify: (text) => said.push(text),
    confirm: async (_, text) => (said.push(`? ${text}`), yes),
  },
  sessionManager: { getSessionId: () => "s", getEntries: () => entries },
}
console.error = (text) => said.push(`stderr: ${text}`)
const handlers = {}
const extension = (await import(file)).default
extension({ on: (name, handler) => (handlers[name] = handler) })
const returned = []
for (const [name, event] of cases) {
  if (name === "entry") entries.push(event)
  else returned.push((await handlers[name](event, ctx)) ?? null)
}
process.stdout.write(JSON.stringify({ returned, said }))
"""
CALL = ("tool_call", {"toolName": "bash", "toolCallId": "c", "input": {"command": "true"}})
MESSAGE: dict[str, Any] = {
    "role": "assistant",
    "content": [
        {"type": "text", "text": "long"},
        {"type": "toolCall", "id": "c", "name": "bash", "arguments": {"command": "true"}},
    ],
    "usage": {"cost": {"total": 1}},
    "api": "x",
}
RESPONSE = {"type": "message", "id": "r", "timestamp": "T", "parentId": "p", "message": MESSAGE}
RESULT = {
    "type": "message",
    "id": "e",
    "timestamp": "T",
    "message": {"role": "toolResult", "toolCallId": "c", "content": [], "isError": False},
}
USER = {"type": "message", "id": "u", "timestamp": "T", "message": {"role": "user", "content": []}}
COMPACTED = {"type": "compaction", "id": "k", "timestamp": "T", "summary": "x", "usage": {}}


class Done(NamedTuple):
    """What the handlers returned, what was said or done, and what the guard was asked."""

    returned: list[Any]
    said: list[str]
    asked: list[dict[str, Any]]


def act(
    folder: Path,
    answer: str,
    *cases: Any,
    mode: str = "print",
    yes: bool = True,
    entries: Any = (),
) -> Done:
    """Each case is an event and what it holds; the guard always prints `answer`."""
    launcher = folder / NASTY.replace("\\", "") / "runaway/launch"
    launcher.parent.mkdir(parents=True)
    launcher.write_text('cat >>"${0%/*}/asked"; echo >>"${0%/*}/asked"; cat "${0%/*}/answer"\n')
    launcher.with_name("answer").write_text(answer)
    file = folder / "runaway.mjs"
    file.write_bytes(plugin_file.text("pi", launcher))
    work = {"mode": mode, "yes": yes, "entries": list(entries), "cases": cases}
    done = subprocess.run(
        ["node", "--input-type=module", "-e", DRIVER, file.as_uri(), json.dumps(work)],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    asked = launcher.with_name("asked")
    lines = asked.read_text().splitlines() if asked.exists() else []
    return Done(**json.loads(done.stdout), asked=[json.loads(line) for line in lines])


@pytest.mark.parametrize("answer", ["", "{}", "no JSON", "[]", "null"])
def test_whatever_the_guard_prints_but_a_denial_the_call_runs(tmp_path: Path, answer: str) -> None:
    done = act(tmp_path, answer, CALL)
    assert (done.returned, done.said) == ([None], [])
    assert done.asked == [
        {
            "event": "tool_call",
            "session": "s",
            "directory": "/p",
            "attended": False,
            "tool": "bash",
            "call": "c",
            "args": {"command": "true"},
            "told": [],
        }
    ]


def test_a_handler_that_is_given_something_else_throws_nothing(tmp_path: Path) -> None:
    names = (
        *("session_start", "input", "before_agent_start", "message_update", "tool_call"),
        *("tool_result", "turn_end", "agent_end", "agent_settled"),
    )
    strange: tuple[Any, ...] = (None, {}, 1)
    cases = [(name, given) for name in names for given in strange]
    assert act(tmp_path, "", *cases).returned == [None] * len(cases)


@pytest.mark.parametrize(
    ("mode", "said"), [("print", ["stderr: why", "abort"]), ("tui", ["why", "abort"])]
)
def test_a_denial_blocks_and_a_stop_aborts(tmp_path: Path, mode: str, said: list[str]) -> None:
    answer = json.dumps({"deny": "no", "show": "why", "stop": True})
    done = act(tmp_path, answer, CALL, mode=mode)
    assert (done.returned, done.said) == ([{"block": True, "reason": "no"}], said)


@pytest.mark.parametrize("yes", [True, False])
def test_a_person_is_asked_and_may_refuse(tmp_path: Path, yes: bool) -> None:
    done = act(tmp_path, json.dumps({"ask": "Run?"}), CALL, mode="tui", yes=yes)
    refused = {"block": True, "reason": "Run? The answer was no."}
    assert (done.returned, done.said) == ([None if yes else refused], ["? Run?"])


def test_a_note_stands_behind_the_result_of_its_call_once(tmp_path: Path) -> None:
    after = ("tool_result", {"toolCallId": "c", "content": [1]})
    done = act(tmp_path, json.dumps({"note": "mind"}), CALL, after, after)
    text = {"type": "text", "text": "mind"}
    assert done.returned == [None, {"content": [1, text]}, None]


def test_what_was_added_to_the_session_is_told_once_and_in_short(tmp_path: Path) -> None:
    news = [("entry", one) for one in (USER, RESPONSE, RESULT, COMPACTED)]
    end: tuple[str, Any] = ("agent_end", {})
    done = act(tmp_path, "", ("session_start", {}), *news, CALL, end, end, entries=[RESPONSE])
    [call] = done.asked
    kept = {**MESSAGE, "content": MESSAGE["content"][1:]}
    del kept["api"]
    result = {"role": "toolResult", "toolCallId": "c", "isError": False, "content": []}
    assert call["told"] == [
        {"id": "r", "timestamp": "T", "round": "r", "message": kept},
        {"id": "e", "timestamp": "T", "round": "r", "message": result},
        {"id": "k", "timestamp": "T", "usage": {}},
    ]


def test_what_is_left_is_told_when_the_run_ends(tmp_path: Path) -> None:
    done = act(tmp_path, "", ("entry", COMPACTED), ("agent_end", {}), ("agent_settled", {}))
    assert [one["event"] for one in done.asked] == ["agent_end"]


@pytest.mark.parametrize(
    ("unseen", "events"), [("c", ["tool_call"]), ("d", ["tool_call", "turn_end"])]
)
def test_a_turn_with_calls_that_were_not_asked_about_is_told(
    tmp_path: Path, unseen: str, events: list[str]
) -> None:
    end = ("turn_end", {"toolResults": [{"toolCallId": "c"}, {"toolCallId": unseen}]})
    assert [one["event"] for one in act(tmp_path, "", CALL, end).asked] == events


def test_who_wrote_a_prompt(tmp_path: Path) -> None:
    start = ("before_agent_start", {"messageType": "user"})
    cases = (
        ("input", {"source": "extension"}), start,
        ("input", {"source": "interactive"}), start,
        ("before_agent_start", {"messageType": "custom"}),
        ("input", {"source": "interactive", "streamingBehavior": "steer"}),
    )  # fmt: skip
    done = act(tmp_path, json.dumps({"deny": "no"}), *cases)
    assert [one["unasked"] for one in done.asked] == [True, False, True, False]
    assert done.said == ["abort"] * 4


def streamed(text: str, size: int = 500) -> list[tuple[str, Any]]:
    pieces = (text[at : at + size] for at in range(0, len(text), size))
    deltas = [{"type": "text_delta", "delta": piece} for piece in pieces]
    events = [{"type": "text_start"}, *deltas, {"type": "text_end"}]
    return [("message_update", {"assistantMessageEvent": event}) for event in events]


LOOP = "The same passage, again and again, from here to the end of the world. "
RESPONSES = {
    "one passage": (LOOP * 300, [16000 // len(LOOP)]),
    "one letter": ("0" * 20_000, [16_000]),
    "a long beginning": ("".join(map(str, range(9000))) + LOOP * 300, [230]),
    "too short": (LOOP * 200, []),
    "numbered": ("".join(f"{number} {LOOP}" for number in range(500)), []),
    "two halves, which the guard leaves alone": ("".join(map(str, range(3000))) * 2, [2]),
}


@pytest.mark.parametrize(("text", "repeats"), RESPONSES.values(), ids=RESPONSES)
def test_the_guard_is_asked_about_a_response_that_repeats_itself_to_the_letter(
    tmp_path: Path, text: str, repeats: list[int]
) -> None:
    asked = act(tmp_path, "", *streamed(text)).asked
    assert [one["event"] for one in asked] == ["message_update"] * len(repeats)
    assert [one["repeats"] for one in asked] == pytest.approx(repeats, abs=30)


def test_each_part_of_a_response_is_looked_at_alone(tmp_path: Path) -> None:
    assert act(tmp_path, "", *(streamed(LOOP * 200) * 4)).asked == []
