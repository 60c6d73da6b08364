"""What one guarded tool call costs, against a bare Python start in the same interleaved run.

    python -m tools.bench [--rounds N] [--json FILE]

The unit is the CPU time of the child (user + system), the median of N interleaved rounds; the ratio to
`python3 -I -S -c pass` of the same interpreter is what counts, milliseconds differ from day to day.
Large logs are held against one `json.loads` pass over the same lines.
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
import time
from pathlib import Path

from runaway.installer import deploy, policy_file
from runaway.installer.interpreter import choose
from runaway.installer.launch_command import command_for
from runaway.installer.machine import Machine, scratch_machine
from tools.bench import logs
from tools.bench.logs import MB
from tools.bench.measure import Row, cpu, measure

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
        return logs.write(self.machine.home / f"{name}.jsonl", size)

    def attach(self, session: str, transcript: Path) -> None:
        """Let the guard read all that is there."""
        for number in range(transcript.stat().st_size // (64 * MB) + 2):
            subprocess.run(self.guard, input=logs.payload(session, -number, transcript), check=True)


def rows(bench: Bench) -> list[Row]:
    small, large = bench.transcript("small", MB), bench.transcript("large", 1024 * MB)
    growing = bench.transcript("growing", MB)
    for session, transcript in (("small", small), ("large", large), ("growing", growing)):
        bench.attach(session, transcript)
    for number in range(12):
        subprocess.run(
            bench.guard,
            input=logs.payload("trip", -number, same=True),
            capture_output=True,
            check=True,
        )

    def grow(number: int) -> bytes:
        with growing.open("ab") as file:
            file.write(b"".join(logs.line(1000 + number * 12 + offset) for offset in range(12)))
        return logs.payload("growing", number, growing)

    whole = ["/bin/sh", "-c", command_for(bench.machine.launcher, "claude")]
    return [
        Row("bare: python3 -I -S -c pass", [*bench.python, "-c", "pass"], lambda _: b""),
        Row("guard, nothing new", bench.guard, lambda n: logs.payload("small", n, small), 1.10),
        Row("guard, 40 kB of new transcript", bench.guard, grow, 1.20),
        Row(
            "guard, a trip with its message",
            bench.guard,
            lambda n: logs.payload("trip", n, same=True),
            1.20,
        ),
        Row(
            "guard, nothing new, 1 GB transcript",
            bench.guard,
            lambda n: logs.payload("large", n, large),
            1.12,
        ),
        Row(
            "the whole registered command",
            whole,
            lambda n: logs.payload("small", 10**6 + n, small),
            1.30,
        ),
        *_peers(bench, small),
    ]


def _peers(bench: Bench, transcript: Path) -> list[Row]:
    """What others do, on the same machine in the same run."""
    state = str(bench.machine.home)
    naive = [str(bench.interpreter.path), "-c", NAIVE, state + "/naive.json"]
    found = [
        Row(
            "naive hook: json, re, whole transcript",
            naive,
            lambda n: logs.payload("n", n, transcript),
        )
    ]
    if shutil.which("jq"):
        bash = ["bash", "-c", BASH_JQ, "hook", state]
        found.append(Row("bash and jq hook", bash, lambda n: logs.payload("j", n)))
    return found


def start_up() -> list[Row]:
    hello = [sys.executable, "-c", HELLO]
    return [
        Row("bare typer hello", hello, lambda _: b""),
        Row("runaway --version", [str(TOOL), "--version"], lambda _: b"", 1.30),
        Row("runaway --help", [str(TOOL), "--help"], lambda _: b"", 1.30),
        Row("runaway status", [str(TOOL), "status"], lambda _: b"", 1.30),
    ]


def first_attach(bench: Bench) -> tuple[float, float]:
    """(ms of CPU per MB when a session of 64 MB is met for the first time, ratio to `json.loads`)."""
    size = 64
    transcript = bench.transcript("first", size * MB)

    def again(number: int) -> bytes:
        return logs.payload(f"first {number}", number, transcript)

    row, home = Row("", bench.guard, again), bench.machine.home
    used = statistics.median(cpu(row, number, home) for number in range(5))
    parsed = (
        statistics.median(logs.json_pass([transcript], time.process_time) for _ in range(5)) * 1000
    )
    return used / size, used / parsed


def replay(bench: Bench) -> tuple[float, float]:
    """(ms per MB that `runaway replay` takes on all cores, ratio to one `json.loads` pass)."""
    folder, count, size = bench.machine.home / "sessions", 32, 8
    folder.mkdir()
    found = [logs.write(folder / f"{n}.jsonl", size * MB, f"s{n}") for n in range(count)]
    parsed = logs.json_pass(found, time.perf_counter)
    begun = time.perf_counter()
    home = {"PATH": os.environ["PATH"], "HOME": str(bench.machine.home)}
    subprocess.run(
        [TOOL, "replay", "--json", folder], env=home, stdout=subprocess.DEVNULL, check=True
    )
    used = time.perf_counter() - begun
    return used * 1000 / (count * size), used / parsed


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
        attach, past = first_attach(bench), replay(bench)
    show("one guarded call", hook)
    show("the tool itself", tool)
    show(
        "large logs, per MB",
        [
            ("one json.loads pass", attach[0] / attach[1], 1.0, None),
            ("guard, a session met for the first time", *attach, 1.00),
            ("runaway replay, all cores", *past, 3.00),
        ],
    )
    if options.json:
        found = {"hook": hook, "tool": tool, "first_attach": attach, "replay": past}
        options.json.write_text(json.dumps(found, indent=2))


if __name__ == "__main__":
    main()
