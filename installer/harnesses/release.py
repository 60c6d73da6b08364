"""Which release of a harness is installed: asked of its program, or as it told us an earlier time."""

from __future__ import annotations

import json
import re
import tempfile
from collections.abc import Iterable, Mapping
from contextlib import suppress
from functools import cache
from pathlib import Path

from ..drill import process
from ..errors import Refusal
from ..files import private
from ..machine import Machine

Version = tuple[int, ...]
Mark = tuple[int, int]  # time of the last change in ns, size in bytes

FILE = "releases.json"  # {"program": [time, size, [2, 1, 332]]} in our state folder
MAX_FILE_BYTES = 1 << 16
NUMBERS = re.compile(rb"(\d+)\.(\d+)\.(\d+)")
INHERITED = ("PATH", "LANG", "USERPROFILE", "APPDATA", "SYSTEMROOT")
# Asked for its version, Codex makes a folder where this variable says; Gemini CLI and OpenCode write into
# the home folder. These two leave that alone, and what starts another version of them may need it.
MOVED = ("CODEX_HOME", "CLAUDE_CONFIG_DIR")
AT_HOME = ("claude", "codex")
SECONDS = 10


def of_program(machine: Machine, program: Path, *, ask: bool) -> Version | None:
    """Without `ask` nothing is started: what `remember` has kept is taken, if the program is the same."""
    if not ask:
        return _kept(machine, program)
    wanted = (*INHERITED, "HOME")
    known = tuple((one, machine.environ[one]) for one in wanted if one in machine.environ)
    return _asked(program, _mark(program), known)


def numbers(text: str) -> Version | None:
    """The first version in a text: `2.1.70 (Claude Code)` is (2, 1, 70)."""
    found = NUMBERS.search(text.encode())
    return tuple(map(int, found.groups())) if found else None


def text(version: Version) -> str:
    return ".".join(map(str, version))


def _mark(program: Path) -> Mark:
    status = program.stat()
    return status.st_mtime_ns, status.st_size


@cache
def _asked(program: Path, _mark: Mark, environment: tuple[tuple[str, str], ...]) -> Version | None:
    return version(program, dict(environment))


def version(program: Path, environment: Mapping[str, str]) -> Version | None:
    """Such as (2, 1, 332); None where the program does not tell within a few seconds."""
    wanted = (*INHERITED, "HOME") if program.name in AT_HOME else INHERITED
    known = {name: environment[name] for name in wanted if name in environment}
    try:
        with tempfile.TemporaryDirectory(prefix="runaway-") as scratch:
            finished = process.run(
                [program.absolute(), "--version"],
                environment={"HOME": scratch, **known, **dict.fromkeys(MOVED, scratch)},
                cwd=Path(scratch),
                timeout=SECONDS,
            )
    except OSError:
        return None
    told = NUMBERS.search(finished.stdout)
    return tuple(map(int, told.groups())) if told and finished.exit_code == 0 else None


def remember(machine: Machine, programs: Iterable[Path]) -> None:
    """Keeps what these tell, for those who must not start them; no harm where that fails."""
    kept = _read(machine)
    told = {one: of_program(machine, one, ask=True) for one in programs}
    wanted = kept | {str(one): [*_mark(one), list(known)] for one, known in told.items() if known}
    if wanted != kept and machine.state.is_dir():
        with suppress(OSError, Refusal):
            private.replace(machine.state / FILE, json.dumps(wanted).encode())


def _kept(machine: Machine, program: Path) -> Version | None:
    match _read(machine).get(str(program)):
        case [changed, size, list(numbers)] if (changed, size) == _mark(program):
            return tuple(one for one in numbers if isinstance(one, int))
    return None


def _read(machine: Machine) -> dict[str, object]:
    try:
        kept = json.loads(private.read(machine.state / FILE, MAX_FILE_BYTES))
    except (OSError, Refusal, ValueError, RecursionError):
        return {}
    return kept if isinstance(kept, dict) else {}
