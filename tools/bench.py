"""What one guarded tool call costs, against a bare Python start in the same interleaved run.

    python -m tools.bench [--rounds N] [--json FILE]

The unit is the CPU time of the child (user + system), the median of N interleaved rounds; the ratio to
`python3 -I -S -c pass` of the same interpreter is what counts, milliseconds differ from day to day.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from runaway.installer import deploy, policy_file
from runaway.installer.interpreter import choose
from runaway.installer.launch_command import command_for
from runaway.installer.machine import Machine, scratch_machine

MB = 1 << 20
FILLER = "lorem ipsum dolor sit amet "
ROUNDS = 60
TOOL = Path(sys.executable).with_name("runaway")
NAIVE = """
import hashlib, json, re, sys, pathlib, dataclasses, typing
payload = json.load(sys.stdin)
key = hashlib.sha256(json.dumps(payload["tool_input"], sort_keys=True).encode()).hexdigest()
state = pathlib.Path(sys.argv[1])
calls = json.loads(state.read_text()) if state.exists() else []
calls = (calls + [key])[-50:]
state.write_text(json.dumps(calls))
text = pathlib.Path(payload["transcript_path"]).read_text()
spent = sum(int(n) for n in re.findall(r'"output_tokens":(\\d+)', text))
"""
BASH_JQ = """
payload=$(cat); command=$(printf %s "$payload" | jq -c .tool_input)
session=$(printf %s "$payload" | jq -r .session_id); key=$(printf %s "$command" | sha256sum)
printf '%s\\n' "$key" >>"$1/$session"; count=$(tail -n 50 "$1/$session" | grep -c "$key")
[ "$count" -lt 8 ] || jq -n '{decision: "block"}' >/dev/null
"""
HELLO = "import typer\napp = typer.Typer()\n@app.command()\ndef hello(): print('hello')\napp()\n"


class Row(NamedTuple):
    """A measured command: `feed(round)` gives its stdin, and may change files before it runs."""

    name: str
    command: list[str]
    feed: Callable[[int], bytes]
    target: float | None = None


class Bench:
    """A scratch home with the guard deployed, and the transcripts it reads."""

    def __init__(self, folder: Path) -> None:
        self.machine: Machine = scratch_machine(folder)
        self.interpreter = choose(self.machine)
        deploy.deploy(self.machine, self.interpreter)
        policy_file.install(self.machine, policy_file.compiled(self.machine, None))
        self.python = [str(self.interpreter.path), "-I", "-S"]
        code = deploy.code_folder(self.machine, self.interpreter)
        self.guard = [*self.python, str(code / "guard.pyc"), "claude"]

    def transcript(self, name: str, size: int) -> Path:
        """Lines as Claude Code writes them, `size` bytes in all."""
        path = self.machine.home / f"{name}.jsonl"
        block = b"".join(line(number) for number in range(256))
        with path.open("wb") as file:
            for _ in range(size // len(block)):
                file.write(block)
        return path

    def attach(self, session: str, transcript: Path) -> None:
        """Let the guard read all that is there."""
        for number in range(transcript.stat().st_size // (64 * MB) + 2):
            subprocess.run(self.guard, input=payload(session, -number, transcript), check=True)


# One turn after the other, in the proportions of 400 recorded sessions: of their bytes 26 % are
# responses (2 kB each), 63 % results (9 kB each), the rest other records (0.9 kB each).
STEP = ("response", "response", "result", "other")


def line(number: int) -> bytes:
    """The number-th record of a transcript as Claude Code writes them."""
    kind = STEP[number % len(STEP)]
    record: dict[str, Any] = {"timestamp": "2026-11-30T10:00:00Z"}
    if kind == "response":
        usage = {"input_tokens": 10, "cache_read_input_tokens": 1000, "output_tokens": 5}
        message = {
            "model": "claude-opus-5-5",
            "id": f"msg_{number}",
            "content": [{"type": "text", "text": FILLER * 65}],
            "usage": usage,
        }
        record |= {"type": "assistant", "message": message}
    elif kind == "result":
        result = {"type": "tool_result", "tool_use_id": f"t{number}", "content": FILLER * 330}
        record |= {"type": "user", "message": {"content": [result]}}
    else:
        record |= {"type": "attachment", "attachment": FILLER * 30}
    return json.dumps(record, separators=(",", ":")).encode() + b"\n"


def payload(session: str, number: int, transcript: Path | str = "", same: bool = False) -> bytes:
    call = {
        "session_id": session,
        "transcript_path": str(transcript),
        "cwd": "/home/u/project",
        "prompt_id": "p",
        "permission_mode": "default",
        "hook_event_name": "PreToolUse",
        "tool_name": "Bash",
        "tool_input": {"command": f"echo {0 if same else number}", "description": "say it"},
        "tool_use_id": f"toolu_{number}",
    }
    return json.dumps(call).encode()


def rows(bench: Bench) -> list[Row]:
    small, large = bench.transcript("small", MB), bench.transcript("large", 1024 * MB)
    growing = bench.transcript("growing", MB)
    for session, transcript in (("small", small), ("large", large), ("growing", growing)):
        bench.attach(session, transcript)
    for number in range(12):
        subprocess.run(
            bench.guard, input=payload("trip", -number, same=True), capture_output=True, check=True
        )

    def grow(number: int) -> bytes:
        with growing.open("ab") as file:
            file.write(b"".join(line(1000 + number * 12 + offset) for offset in range(12)))
        return payload("growing", number, growing)

    whole = ["/bin/sh", "-c", command_for(bench.machine.launcher, "claude")]
    return [
        Row("bare: python3 -I -S -c pass", [*bench.python, "-c", "pass"], lambda _: b""),
        Row("guard, nothing new", bench.guard, lambda n: payload("small", n, small), 1.10),
        Row("guard, 40 kB of new transcript", bench.guard, grow, 1.20),
        Row(
            "guard, a trip with its message",
            bench.guard,
            lambda n: payload("trip", n, same=True),
            1.20,
        ),
        Row(
            "guard, nothing new, 1 GB transcript",
            bench.guard,
            lambda n: payload("large", n, large),
            1.12,
        ),
        Row(
            "the whole registered command",
            whole,
            lambda n: payload("small", 10**6 + n, small),
            1.30,
        ),
        *_peers(bench, small),
    ]


def _peers(bench: Bench, transcript: Path) -> list[Row]:
    """What others do, on the same machine in the same run."""
    state = str(bench.machine.home)
    naive = [str(bench.interpreter.path), "-c", NAIVE, state + "/naive.json"]
    found = [
        Row("naive hook: json, re, whole transcript", naive, lambda n: payload("n", n, transcript))
    ]
    if shutil.which("jq"):
        bash = ["bash", "-c", BASH_JQ, "hook", state]
        found.append(Row("bash and jq hook", bash, lambda n: payload("j", n)))
    return found


def start_up() -> list[Row]:
    hello = [sys.executable, "-c", HELLO]
    return [
        Row("bare typer hello", hello, lambda _: b""),
        Row("runaway --version", [str(TOOL), "--version"], lambda _: b"", 1.30),
        Row("runaway --help", [str(TOOL), "--help"], lambda _: b"", 1.30),
        Row("runaway status", [str(TOOL), "status"], lambda _: b"", 1.30),
    ]


def cpu(row: Row, number: int, home: Path) -> float:
    """Milliseconds of CPU that the child took."""
    data = row.feed(number)
    child = subprocess.Popen(
        row.command,
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env={"PATH": os.environ["PATH"], "HOME": str(home)},
    )
    assert child.stdin
    child.stdin.write(data)
    child.stdin.close()
    _, _, used = os.wait4(child.pid, 0)
    child.returncode = 0
    return (used.ru_utime + used.ru_stime) * 1000


def measure(
    table: list[Row], rounds: int, home: Path
) -> list[tuple[str, float, float, float | None]]:
    """(name, median ms, ratio to the first row, target), all rows in turn in every round."""
    times: list[list[float]] = [[] for _ in table]
    for number in range(rounds):
        for row, own in zip(table, times, strict=True):
            own.append(cpu(row, number, home))
    medians = [statistics.median(own) for own in times]
    pairs = zip(table, medians, strict=True)
    return [(row.name, median, median / medians[0], row.target) for row, median in pairs]


def first_attach(bench: Bench) -> float:
    """Milliseconds of CPU per MB when a session of 64 MB is met for the first time."""
    size = 64
    transcript = bench.transcript("first", size * MB)
    used = [
        cpu(
            Row("", bench.guard, lambda n: payload(f"first {n}", n, transcript)),
            number,
            bench.machine.home,
        )
        for number in range(5)
    ]
    return statistics.median(used) / size


def show(title: str, measured: list[tuple[str, float, float, float | None]]) -> None:
    print(f"\n{title:42}{'ms':>8}{'ratio':>8}{'target':>8}")
    for name, median, ratio, target in measured:
        wanted = f"{target:>8.2f}{'' if ratio <= target else '  MISSED'}" if target else ""
        print(f"{name:42}{median:>8.2f}{ratio:>8.3f}{wanted}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="runaway-bench-") as folder:
        bench = Bench(Path(folder))
        hook = measure(rows(bench), options.rounds, bench.machine.home)
        tool = measure(start_up(), max(10, options.rounds // 3), bench.machine.home)
        attach = first_attach(bench)
    show("one guarded call", hook)
    show("the tool itself", tool)
    print(f"\nfirst attach: {attach:.2f} ms per MB (target 2.50)")
    if options.json:
        found = {"hook": hook, "tool": tool, "first_attach_ms_per_mb": attach}
        options.json.write_text(json.dumps(found, indent=2))


if __name__ == "__main__":
    main()
