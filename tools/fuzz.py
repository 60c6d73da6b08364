"""Random payloads, logs and state files against the guard: whatever comes, it must not do harm.

    python -m tools.fuzz [--rounds N] [--processes N] [--seed N]

Most rounds call the guard within this process, which is a hundred times faster; the others are deployed
guard processes, frozen and from source. Each must end with exit code 0 (within the process: raise nothing
but what becomes a line in the health log), give at most one valid answer, and say nothing on stderr.
The same seed gives the same rounds.
"""

from __future__ import annotations

import argparse
import copy
import io
import json
import random
import shutil
import subprocess
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import redirect_stderr
from pathlib import Path
from typing import Any, NamedTuple

from runaway.guard.dialects import DIALECTS
from runaway.guard.hook import reply
from runaway.guard.ledger import Day
from runaway.guard.policy import Policy
from runaway.guard.words import MARKER
from runaway.installer import deploy, policy_file
from runaway.installer.interpreter import choose
from runaway.installer.machine import scratch_machine

GOLDEN = Path(__file__).parents[1] / "tests/guard/transcripts/golden"
PROGRAMS = ("guard.pyc", "run.py")
ANSWERS = {  # the keys of each harness's answers
    "claude": {"continue", "stopReason", "systemMessage", "hookSpecificOutput"},
    "codex": {"systemMessage", "hookSpecificOutput", "decision", "reason"},
    "cursor": {"permission", "user_message", "agent_message", "additional_context", "continue"},
    "qwen": {"decision", "reason", "systemMessage", "hookSpecificOutput"},
    "gemini": {
        "decision",
        "reason",
        "systemMessage",
        "continue",
        "stopReason",
        "hookSpecificOutput",
    },
    "copilot": {"systemMessage", "hookSpecificOutput", "decision", "reason"},
    "grok": {"decision", "reason", "hookSpecificOutput"},
    "vscode": {"systemMessage", "hookSpecificOutput", "decision", "reason"},
    "droid": {"continue", "stopReason", "hookSpecificOutput"},
    "opencode": {"show", "note", "deny", "stop"},
    "pi": {"show", "note", "ask", "deny", "stop"},
    "antigravity": {"decision", "reason", "terminationBehavior"},
}
JUDGING = ("consider", "explain", "answer")  # functions that may raise nothing any more
HARMFUL = ("SystemError", "MemoryError", "UnboundLocalError", "NameError", "ImportError")
DECISIONS = {None, "ask", "deny"}
TIGHT = {  # so that wires trip and speak
    "limits": {"loop.same_call": [2, 3, 4, 6], "failure.rounds": [1, 2, 3, 4]},
    "session_cap": 3,
    "day_cap": 20,
    "protected": ["/protected"],
}
ODD: list[Any] = [
    None, True, False, 0, -1, 1.5, 10**40, 1e308, float("nan"), float("-inf"), "", " ", "x", "\x00",
    "\ud83d", "\u2028", "é", "../../x", "/", "/dev/zero", "~", "x" * 5000, [], {}, [[]], [None], [{}],
    {"": ""}, {"text": 1}, {"type": "text"}, "2026-11-30T99:99:99Z", "PreToolUse", "PostToolBatch",
    "Bash", "Agent", "runaway pause", "/protected/x", "Exit code 1", "[runaway]",
]  # fmt: skip
PIECES = (b"{", b"}", b"[", b"]", b",", b":", b'"', b"\\", b"null", b"1e9", b"\xff",
          b"\xef\xbb\xbf", b"\x00", b'"session_id"', b'"tool_input"', b'"tool_calls"',
          b'"a"', b" ", b"\n", b"\\ud83d")  # fmt: skip
SESSIONS = 30  # that share the rounds, so that their memories fill up
FRESH_EVERY = 5000  # rounds, after which all is forgotten


class Failed(Exception):
    """What the guard did that it must not do; `data` is the payload that made it do so."""

    def __init__(self, what: str, data: bytes) -> None:
        super().__init__(f"{what}\npayload: {data[:2000]!r}")


class Report(NamedTuple):
    """`errors`: by place, what was raised and noted in the health log; `answers`: by decision."""

    rounds: int
    errors: Counter[str]
    answers: Counter[str]


# Payloads


def payloads(log: str) -> dict[str, list[dict[str, Any]]]:
    """What each harness sends; `log` is where its transcript lies."""
    common = {
        "session_id": "s",
        "transcript_path": log,
        "cwd": "/home/u",
        "permission_mode": "default",
    }
    call = {"tool_name": "Bash", "tool_input": {"command": "npm test"}, "tool_use_id": "toolu_1"}
    edit = {
        "tool_name": "Edit",
        "tool_input": {"file_path": "/a", "old_string": "b", "new_string": "c"},
    }
    ended = {
        **edit,
        "tool_use_id": "toolu_2",
        "tool_response": "<tool_use_error>no</tool_use_error>",
    }
    agent = {
        "tool_name": "Agent",
        "tool_input": {"prompt": "x"},
        "agent_id": "a1",
        "agent_type": "x",
    }
    before, batch = {"hook_event_name": "PreToolUse"}, {"hook_event_name": "PostToolBatch"}
    turn = {"turn_id": "t1", "model": "gpt-6-sol"}
    counts = {"input_tokens": 90000, "cached_input_tokens": 10, "output_tokens": 900}
    cursor = {
        "conversation_id": "s",
        "generation_id": "g1",
        "cursor_version": "3",
        "model": "default",
    }
    shell = {"tool_name": "Shell", "tool_input": {"command": "ls"}, "tool_use_id": "u1"}
    again = {"tool_name": "run_shell_command", "tool_input": {"command": "echo a"}}
    written = {"tool_name": "write_file", "tool_input": {"file_path": "/a", "content": "x"}}
    moment = {"timestamp": "2026-11-30T12:00:00.000Z"}
    copilot = {"session_id": "s", "timestamp": "2026-11-30T12:00:00.000Z", "cwd": "/home/u"}
    bash = {"tool_name": "Bash", "tool_input": {"command": "ls", "description": "x"}}
    grok = {"sessionId": "s", "workspaceRoot": "/home/u"}
    opencode = {"event": "tool.execute.before", "session": "s", "agent": "", "directory": "/home/u"}
    asked = {"tool": "bash", "args": {"command": "ls"}, "call": "c1"}
    part = {
        "callID": "c1",
        "tool": "bash",
        "messageID": "m",
        "state": {"status": "completed", "output": "x", "metadata": {"exit": 1}},
    }
    message = {"id": "m", "modelID": "x", "cost": 0.5, "tokens": {"input": 9, "cache": {"read": 1}}}
    pi = {"event": "tool_call", "session": "s", "directory": "/home/u"}
    entry = {"id": "e1", "timestamp": moment["timestamp"], "round": "e1"}
    response = {
        "role": "assistant",
        "model": "x",
        "usage": {"input": 9, "cost": {"total": 0.5}},
        "content": [{"type": "toolCall", "id": "c1", "name": "bash", "arguments": {}}],
    }
    failed = {"role": "toolResult", "toolCallId": "c1", "isError": True, "content": [{"text": "x"}]}
    entries = [{**entry, "message": response}, {**entry, "message": failed}]
    return {
        "claude": [
            {**common, **before, **call, "prompt_id": "p1"},
            {**common, **before, **edit, "tool_use_id": "toolu_3", "prompt_id": "p1"},
            {**common, **before, **agent, "tool_use_id": "toolu_4", "prompt_id": "p1"},
            {**common, **batch, "tool_calls": [ended, {**call, "tool_response": [{"text": "ok"}]}]},
        ],
        "codex": [
            {**common, **before, **call, **turn},
            {**common, **turn, "hook_event_name": "UserPromptSubmit", "prompt": "go"},
            {**common, **turn, "hook_event_name": "PostModelRequest", "response_id": "r",
             "token_usage": counts},
        ],
        "cursor": [
            {**cursor, "hook_event_name": "preToolUse", **shell},
            {**cursor, "hook_event_name": "postToolUse", **shell, "tool_output": '{"exitCode":1}'},
            {**cursor, "hook_event_name": "postToolUseFailure", **shell, "error_message": "no"},
            {**cursor, "hook_event_name": "beforeSubmitPrompt", "prompt": "go"},
            {**cursor, "hook_event_name": "afterAgentResponse", "input_tokens": 9, "output_tokens": 9},
        ],
        "qwen": [
            {**common, **before, **again, "tool_call_id": "c1", "prompt_id": "p"},
            {**common, "hook_event_name": "UserPromptSubmit", "prompt": "go", "prompt_id": "p"},
            {**common, "hook_event_name": "UserPromptSubmit", "prompt": ""},
        ],
        "gemini": [
            {**common, **moment, "hook_event_name": "BeforeTool", **again},
            {**common, **moment, "hook_event_name": "BeforeTool", **written},
            {**common, **moment, "hook_event_name": "BeforeAgent", "prompt": "go"},
        ],
        "copilot": [
            {**copilot, **before, **bash},
            {**copilot, **before, **bash, "agent_id": "a1", "parent_agent_id": "s"},
            {**copilot, **before, **call, "transcript_path": log},
            {**copilot, "hook_event_name": "UserPromptSubmit", "prompt": "go"},
        ],
        "vscode": [
            {**copilot, **before, **call, "transcript_path": log},
            {**copilot, "hook_event_name": "UserPromptSubmit", "prompt": "go",
             "transcript_path": log},
        ],
        "grok": [
            {**common, **before, **again, **grok, "hookEventName": "pre_tool_use"},
            {**common, **grok, "hookEventName": "user_prompt_submit",
             "hook_event_name": "UserPromptSubmit", "prompt": "go"},
        ],
        "droid": [{**common, **before, "tool_name": "Execute", "tool_input": {"command": "ls"}}],
        "opencode": [
            {**opencode, **asked, "told": []},
            {**opencode, **asked, "agent": "a1", "attended": True, "told": [part, message]},
            {**opencode, "event": "chat.message", "prompt": "m"},
            {**opencode, "event": "session.idle", "told": [message]},
        ],
        "kiro": [
            {**before, "session_id": "s", "cwd": "/home/u", "tool_name": "execute_bash",
             "tool_input": {"command": "ls", "summary": "x"}},
            {"hook_event_name": "preToolUse", "cwd": "/home/u", "tool_name": "fs_write",
             "tool_input": {"command": "create", "path": "/a", "file_text": "x"}},
            {"hook_event_name": "userPromptSubmit", "cwd": "/home/u", "prompt": "go"},
        ],
        "antigravity": [
            {"conversationId": "s", "stepIdx": 2, "workspacePaths": ["/home/u"],
             "toolCall": {"name": "run_command", "args": {"CommandLine": "ls"}}},
            {"conversationId": "s", "invocationNum": 0, "initialNumSteps": 1},
        ],
        "pi": [
            {**pi, **asked, "told": []},
            {**pi, **asked, "attended": True, "told": entries},
            {**pi, "event": "before_agent_start", "prompt": "1"},
            {**pi, "event": "message_update", "repeats": 12},
            {**pi, "event": "turn_end", "told": entries},
        ],
    }  # fmt: skip


def payload(chance: random.Random, plain: dict[str, Any]) -> bytes:
    """One payload: as it comes, mutated, damaged, or nothing but noise."""
    kind = chance.random()
    if kind < 0.05:
        return noise(chance)
    value = copy.deepcopy(plain)
    for key in ("session_id", "conversation_id", "session"):
        if key in value:
            value[key] = f"s{chance.randrange(SESSIONS)}"
    for key in ("tool_use_id", "tool_call_id", "call"):
        if key in value:
            value[key] = f"t{chance.randrange(400)}"
    if "timestamp" in value:
        value["timestamp"] = f"2026-11-30T12:{chance.randrange(60):02}:00.000Z"
    if kind < 0.65:
        mutate(chance, value)
    data = json.dumps(value, ensure_ascii=chance.random() < 0.5).encode("utf-8", "surrogatepass")
    return damaged(chance, data) if kind > 0.85 else data


def noise(chance: random.Random) -> bytes:
    if chance.random() < 0.1:
        return chance.choice([b"[", b'{"session_id":', b'{"tool_input":[']) * chance.randrange(
            20_000
        )
    return b"".join(chance.choices(PIECES, k=chance.randrange(40)))


def mutate(chance: random.Random, value: Any) -> None:
    """Some values replaced by odd ones, some keys dropped or added."""
    for _ in range(chance.randint(1, 4)):
        spots = list(containers(value))
        if not spots:
            return
        container, key = chance.choice(spots)
        what = chance.random()
        if what < 0.15 and isinstance(container, dict):
            del container[key]
        elif what < 0.25 and isinstance(container, dict):
            container[str(chance.choice(ODD))] = copy.deepcopy(chance.choice(ODD))
        elif what < 0.28:
            container[key] = nested(chance.choice((20, 400, 700)))
        else:
            container[key] = copy.deepcopy(chance.choice(ODD))


def containers(value: Any) -> Iterator[tuple[Any, Any]]:
    """(container, key) of everything in a JSON value that is not nested very deep."""
    stack = [(value, 0)]
    while stack:
        container, depth = stack.pop()
        for key, item in list(
            container.items() if isinstance(container, dict) else enumerate(container)
        ):
            yield container, key
            if isinstance(item, (dict, list)) and item and depth < 20:
                stack.append((item, depth + 1))


def nested(depth: int) -> Any:
    value: Any = {}
    for _ in range(depth):
        value = [value]
    return value


def damaged(chance: random.Random, data: bytes) -> bytes:
    """Bytes changed, cut off, doubled, or in another encoding."""
    what = chance.randrange(5)
    if what == 0:
        return data[: chance.randrange(len(data) + 1)]
    if what == 1:
        return data + data
    if what == 2:
        return data.decode("utf-8", "replace").encode(
            chance.choice(["utf-16", "utf-8-sig", "utf-32"])
        )
    changed = bytearray(data)
    for _ in range(chance.randint(1, 8)):
        if changed:
            changed[chance.randrange(len(changed))] = chance.randrange(256)
    return bytes(changed)


# Logs


class Log:
    """A transcript that grows by mutated lines of real ones, and is sometimes torn or replaced."""

    def __init__(self, path: Path, harness: str) -> None:
        self.path = path
        self._lines = [
            line
            for file in sorted((GOLDEN / harness).rglob("*.jsonl"))
            for line in file.read_bytes().split(b"\n")
            if 0 < len(line) < 4000
        ]

    def grow(self, chance: random.Random) -> None:
        if not self._lines:
            return
        if chance.random() < 0.02:
            self.path.unlink(missing_ok=True)
        added = b"".join(self._line(chance) for _ in range(chance.randint(1, 4)))
        with self.path.open("ab") as file:
            file.write(added[: chance.randrange(len(added))] if chance.random() < 0.1 else added)
            if chance.random() < 0.02:
                file.truncate(chance.randrange(file.tell() + 1))

    def _line(self, chance: random.Random) -> bytes:
        line = chance.choice(self._lines)
        if chance.random() < 0.2:
            return damaged(chance, line) + b"\n"
        record = json.loads(line)
        if chance.random() < 0.7:
            mutate(chance, record)
        text = json.dumps(record, ensure_ascii=chance.random() < 0.5)
        return text.encode("utf-8", "surrogatepass") + b"\n"


# Rounds


def valid(harness: str, output: bytes) -> str:
    """The decision of an answer; Failed where it is none that the harness would understand."""
    if output in (b"", b"{}"):
        return "nothing"
    if harness == "kiro":  # the reason alone
        if not output.decode().startswith(MARKER):
            raise Failed("a text without the marker: " + output.decode(), b"")
        return "deny"
    if harness == "copilot" and b"\n" in output:  # a line that is shown, and then the answer
        shown, _, output = output.partition(b"\n")
        if json.loads(shown.decode("ascii")).keys() != {"type", "message"}:
            raise Failed("a line that is not shown: " + shown.decode(), b"")
    answer = json.loads(output.decode("ascii") or "{}")
    if not isinstance(answer, dict) or not answer.keys() <= ANSWERS[harness]:
        raise Failed("an answer of other keys: " + output.decode(), b"")
    hook = answer.get("hookSpecificOutput", {})
    decision = answer.get("permission") or answer.get("decision") or hook.get("permissionDecision")
    decision = decision or ("deny" if "deny" in answer else None)
    if decision not in {*DECISIONS, "block", "force_ask"}:
        raise Failed("an answer of another decision: " + output.decode(), b"")
    ends = answer.get("continue") is False or answer.get("stop") is True
    return "end" if ends else decision or "note"


def harness_of(harness: str, data: bytes) -> str:
    """Cursor is known by its payload, whoever is named; Copilot, where Claude Code is."""
    if b"cursor_version" in data:
        return "cursor"
    copilot = b'"timestamp"' in data and b'"permission_mode"' not in data
    return "copilot" if harness == "claude" and copilot else harness


def within(rounds: int, seed: int, on_progress: Callable[[int], None] = lambda _: None) -> Report:
    """Rounds in this process."""
    errors, answers = Counter[str](), Counter[str]()
    with tempfile.TemporaryDirectory(prefix="runaway-fuzz-") as scratch, quiet() as said:
        folder = Path(scratch)
        policy = Policy(TIGHT, str(folder / "state"))
        logs = {harness: Log(folder / f"{harness}.jsonl", harness) for harness in DIALECTS}
        for number in range(rounds):
            chance = random.Random(f"{seed}:{number}")
            if number % FRESH_EVERY == 0:
                shutil.rmtree(folder / "state", ignore_errors=True)
            harness = chance.choice(DIALECTS)
            if chance.random() < 0.3:
                logs[harness].grow(chance)
            data = payload(chance, chance.choice(payloads(str(logs[harness].path))[harness]))
            answers[one(harness, data, policy, errors)] += 1
            if said.getvalue():
                raise Failed("something on stderr: " + said.getvalue(), data)
            on_progress(number)
    return Report(rounds, errors, answers)


def one(harness: str, data: bytes, policy: Policy, errors: Counter[str]) -> str:
    """The decision; what is raised counts as the program would note it."""
    try:
        output = reply(harness, data, policy, time.time())
    except Exception as error:
        where, callers = place(error)
        if not callers.isdisjoint(JUDGING) or where.startswith(HARMFUL):
            raise Failed(
                f"a call that could be read was not judged: {where}: {error}", data
            ) from error
        errors[where] += 1
        return "nothing"
    except BaseException as error:
        raise Failed(f"raised {error!r}, which is no Exception", data) from error
    try:
        return valid(harness_of(harness, data), output)
    except (ValueError, Failed) as error:
        raise Failed(str(error), data) from error


# State files


COST = 0.25  # dollars of each response in a round's log
RESPONSES = 3
LINE = {"harness": "claude", "project": "/home/u"}


def states(rounds: int, seed: int) -> Report:
    """Rounds in which the files of the guard's state are harmed between calls of one session.

    Failed where a call is not judged or is denied, or where money is booked twice or not at all.
    """
    errors, answers = Counter[str](), Counter[str]()
    with tempfile.TemporaryDirectory(prefix="runaway-fuzz-") as scratch, quiet():
        for number in range(rounds):
            chance = random.Random(f"{seed}:state:{number}")
            folder = Path(scratch, str(number))
            policy = Policy({"day_cap": 20}, str(folder / "state"))
            log = _paid(folder)
            for call in range(4):
                data = _asking(log, call)
                answer = one("claude", data, policy, errors)
                answers[answer] += 1
                spent = _booked(Path(policy.state))
                if answer not in ("nothing", "note") or round(spent, 6) != COST * RESPONSES:
                    raise Failed(f"answered {answer}, booked {spent}", data)
                _harm(chance, Path(policy.state))
            shutil.rmtree(folder)
    return Report(rounds, errors, answers)


def _paid(folder: Path) -> Path:
    """A log with some responses of today."""
    folder.mkdir()
    stamp = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    usage = {"input_tokens": int(COST / 4 * 1e6), "output_tokens": 0}
    message = {"model": "claude-opus-5-5", "usage": usage, "content": []}
    record = {"type": "assistant", "timestamp": stamp}
    told = ({**record, "message": {**message, "id": f"msg_{one}"}} for one in range(RESPONSES))
    log = folder / "log.jsonl"
    log.write_text("".join(json.dumps(one) + "\n" for one in told))
    return log


def _booked(state: Path) -> float:
    """Dollars of all days, for a round may go on over midnight."""
    return sum(Day(str(state), path.stem).machine for path in state.glob("ledger/*.jsonl"))


def _asking(log: Path, number: int) -> bytes:
    call = {"tool_input": {"command": f"echo {number}"}, "tool_use_id": f"t{number}"}
    plain = payloads(str(log))["claude"][0]
    return json.dumps({**plain, **call}).encode()


def _harm(chance: random.Random, state: Path) -> None:
    """One of the files damaged, torn, emptied, mixed with noise, or gone."""
    file = chance.choice(sorted(path for path in state.rglob("*") if path.is_file()))
    data = file.read_bytes()
    if file.suffix == ".jsonl":
        torn = json.dumps({**LINE, "session": "s", "total": COST})[: chance.randrange(40)].encode()
        noises = [torn, noise(chance).replace(b"\n", b"") + b"\n", data, data[:-1], b"", b"\n" * 99]
        with file.open("ab") as ledger:
            ledger.write(chance.choice(noises))
        return
    ways = [damaged(chance, data[:4096]), b"", noise(chance), bytes(len(data))]
    if chance.random() < 0.2:
        file.unlink()
    else:
        file.write_bytes(chance.choice(ways))


def place(error: BaseException) -> tuple[str, set[str]]:
    """Where it was raised, and the names of the functions it came through."""
    frames = traceback.extract_tb(error.__traceback__)
    where = f"{type(error).__name__} in {Path(frames[-1].filename).name}:{frames[-1].lineno}"
    return where, {frame.name for frame in frames}


def quiet() -> redirect_stderr[io.StringIO]:
    return redirect_stderr(io.StringIO())


def processes(rounds: int, seed: int) -> Report:
    """Rounds in deployed guard processes."""
    errors, answers = Counter[str](), Counter[str]()
    with tempfile.TemporaryDirectory(prefix="runaway-fuzz-") as scratch:
        machine, interpreter = (
            scratch_machine(Path(scratch)),
            choose(scratch_machine(Path(scratch))),
        )
        deploy.deploy(machine, interpreter)
        compiled = json.loads(policy_file.compiled(machine, None))
        policy_file.install(machine, json.dumps({**compiled, **TIGHT}).encode())
        code = deploy.code_folder(machine, interpreter)
        for number in range(rounds):
            chance = random.Random(f"{seed}:process:{number}")
            harness = chance.choice(DIALECTS)
            log = Log(Path(scratch, harness), harness)
            log.grow(chance)
            data = payload(chance, chance.choice(payloads(str(log.path))[harness]))
            program = str(code / chance.choice(PROGRAMS))
            command = [str(interpreter.path), "-I", "-S", program, harness]
            done = subprocess.run(
                command, input=data, capture_output=True, cwd=scratch, check=False
            )
            if done.returncode or done.stderr:
                raise Failed(f"exit code {done.returncode}, stderr {done.stderr!r}", data)
            answers[valid(harness_of(harness, data), done.stdout)] += 1
        for noted in deploy.health_logs(machine):
            lines = noted.read_text().splitlines() if noted.exists() else []
            errors.update("{3} {2}".format(*line.split()) for line in lines)
    for error in errors:
        if error.startswith(HARMFUL):
            raise Failed(f"noted in the health log: {error}", b"")
    return Report(rounds, errors, answers)


def show(title: str, report: Report, seconds: float) -> None:
    print(f"{title}: {report.rounds} rounds in {seconds:.0f} s, no harm done")
    told = ", ".join(f"{what} {count}" for what, count in report.answers.most_common())
    print(f"  answers: {told}")
    print(f"  noted in the health log: {sum(report.errors.values())}")
    for where, count in report.errors.most_common(15):
        print(f"    {count:>7} {where}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--rounds", type=int, default=100_000)
    parser.add_argument("--processes", type=int, default=400)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    print(f"seed {options.seed}", flush=True)
    try:
        started = time.monotonic()
        report = within(options.rounds, options.seed)
        show("in this process", report, time.monotonic() - started)
        started = time.monotonic()
        report = states(options.rounds // 10, options.seed)
        show("with harmed state", report, time.monotonic() - started)
        started = time.monotonic()
        show("in processes", processes(options.processes, options.seed), time.monotonic() - started)
    except Failed as failure:
        print(f"seed {options.seed} found harm: {failure}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
