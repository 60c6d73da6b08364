"""Turn SWE-agent trajectories (`*.traj`) into the plain JSON lines that `runaway replay` reads.

    python tools/convert_trajectories.py OUTPUT_FOLDER FILE.traj…

Use it as a pattern for any other agent: the format is described in docs/replay.md.
"""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

END = ("submit", "exit_cost", "exit_context", "exit_error", "exit_format", "exit_forfeit")
FAILURE = re.compile(
    r"""
      ^/bin/bash:\ line\ \d+:                        # the shell could not even start it
    | ^Your\ proposed\ edit\ has\ introduced\ new    # the editor's linter refused the edit
    | ^Usage:\ | ^Error: | ^(File|Directory)\ .*\ not\ found
    | ^\s*EXECUTION\ TIMED\ OUT
    | ^(No\ such\ file|Traceback\ \(most\ recent)
    | :\ (command\ not\ found|No\ such\ file\ or\ directory)\s*$
    """,
    re.VERBOSE,
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("output", type=Path)
    parser.add_argument("trajectories", type=Path, nargs="+")
    options = parser.parse_args()
    options.output.mkdir(parents=True, exist_ok=True)
    for path in options.trajectories:
        lines = converted(json.loads(path.read_text(encoding="utf-8", errors="replace")), path.stem)
        text = "".join(json.dumps(line) + "\n" for line in lines)
        (options.output / f"{path.stem}.jsonl").write_text(text, encoding="utf-8")


def converted(document: dict[str, Any], name: str) -> Iterator[dict[str, Any]]:
    """One prompt, then a call and its result per step; steps have no time, so none is written."""
    yield {"type": "prompt", "session": name}
    for number, step in enumerate(document["trajectory"]):
        action = str(step["action"]).strip()
        if action.split(" ")[0] in END:
            continue
        id, observation = f"step-{number}", str(step["observation"] or "")
        yield {
            "type": "call",
            "id": id,
            "tool": "bash",
            "kind": "shell",
            "arguments": {"command": action},
            "cwd": folder(step["state"]),
            "round": id,
        }
        outcome = "failed" if FAILURE.search(observation) else "ok"
        yield {"type": "result", "id": id, "outcome": outcome, "text": observation}


def folder(state: Any) -> str:
    """The folder after the step: `state` is JSON text such as {"working_dir": "/repo"}."""
    try:
        return str(json.loads(state).get("working_dir", ""))
    except (TypeError, ValueError, AttributeError):
        return ""


if __name__ == "__main__":
    main()
