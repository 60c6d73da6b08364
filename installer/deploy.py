"""The guard on the user's machine: code beside code, one launcher that is replaced in one step.

    <data>/launch                      POSIX sh, named by every registered command
    <data>/policy.json                 what the guard may do, compiled from config.toml
    <data>/guard/<version>-<digest>/   run.py and guard/ (source), guard.pyc and frozen/ (compiled)

A folder of code is never changed: a new version is written beside it, then `launch` is replaced. Whether
one is whole is found out by making it anew elsewhere: the same sources give the same bytes.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import lru_cache
from importlib import resources
from pathlib import Path
from typing import NamedTuple

from ..guard import __version__
from ..guard.system import USERS_STATE
from .errors import Refusal
from .files import exact, private
from .files.faults import os_errors_as_refusals
from .files.renameat2 import exchange
from .interpreter import Interpreter
from .launch_command import quote
from .machine import Machine

# Nothing in it is looked up in PATH, and only Python and `date` need a process of their own: a shell
# that may start none ends with an error, and what runs then is the trap.
LAUNCHER = """\
# runaway: starts the guard for the harness named in $1. Sourced by the registered command. Whatever
# is missing here, room for one more process included, the exit code is 0 and the answer "no opinion".
no_opinion() {{
  [ -n "$CURSOR_VERSION" ] && echo '{{}}'
  case $1 in antigravity) echo '{{"decision":"allow"}}' ;; esac
  umask 077
  for log in {state}/health.log {data}/health.log; do
    [ ! -L "$log" ] && {{ [ -f "$log" ] || [ ! -e "$log" ]; }} &&
      echo "${{now:-?}} $1 launch the guard could not be started" >>"$log" && break
  done
  exit 0
}}
trap 'no_opinion "$1" 2>/dev/null' EXIT
now=
code={code}
for python in {python} /usr/bin/python3; do
  for program in "$code/guard.pyc" "$code/run.py"; do
    [ -x "$python" ] && [ -f "$program" ] && "$python" -I -S "$program" "$1" && trap - EXIT && exit 0
  done
done
now=$(/bin/date +%s)
"""
INERT = """\
# runaway was uninstalled. Sessions that were running then may still call this file: it says nothing.
[ -n "$CURSOR_VERSION" ] && echo '{}'
case $1 in antigravity) echo '{"decision":"allow"}' ;; esac
exit 0
"""


MAX_CALL_SECONDS = 3600  # seconds


class Deployed(NamedTuple):
    """What is in place after `deploy`."""

    launcher: Path
    code: Path
    changed: bool


def sources() -> dict[str, bytes]:
    """Relative path -> bytes of the guard's modules, from wherever the tool is installed."""
    root = resources.files("runaway.guard")
    found: dict[str, bytes] = {}
    pending = [("", root)]
    while pending:
        prefix, folder = pending.pop()
        for entry in folder.iterdir():
            if entry.is_dir() and entry.name != "__pycache__":
                pending.append((f"{prefix}{entry.name}/", entry))
            elif entry.name.endswith(".py"):
                found[prefix + entry.name] = entry.read_bytes()
    return dict(sorted(found.items()))


def code_folder(machine: Machine, interpreter: Interpreter) -> Path:
    """Named by content and interpreter, so that equal names mean equal code."""
    seen = hashlib.sha256(interpreter.tag.encode())
    for name, data in sources().items():
        seen.update(f"\0{name}\0{len(data)}\0".encode() + data)
    return machine.data / "guard" / f"{__version__}-{seen.hexdigest()[:12]}"


def launcher_text(machine: Machine, interpreter: Interpreter) -> str:
    """The launcher for this code and interpreter."""
    code = code_folder(machine, interpreter)
    return launcher_for(machine, code, quote(str(interpreter.path)))


def launcher_for(machine: Machine, code: Path, python: str) -> str:
    """The launcher for this folder of code; `python` is a word of the shell."""
    return LAUNCHER.format(
        code=quote(str(code)),
        python=python,
        state=_state(machine),
        data=quote(str(machine.data)),
    )


def _state(machine: Machine) -> str:
    """As a word of the shell: where the user's health log is."""
    if machine.shared:
        return '"$HOME"' + quote(USERS_STATE.removeprefix("~"))
    return quote(str(machine.state))


def deploy(machine: Machine, interpreter: Interpreter) -> Deployed:
    """Put code and launcher in place; running it again changes nothing."""
    folder = code_folder(machine, interpreter)
    with modes(machine):
        private.folder(folder.parent, 0o777)
    files = built(interpreter)
    fresh = not exact.is_folder(folder, files)
    if fresh:
        _write_code(folder, files, machine)
    text = launcher_text(machine, interpreter).encode(errors="surrogateescape")
    renewed = not exact.is_file(machine.launcher, text)
    if renewed:
        before = _launcher(machine)
        put(machine, machine.launcher, text)
        _sweep(folder, before)
    return Deployed(machine.launcher, folder, fresh or renewed)


def _launcher(machine: Machine) -> bytes:
    try:
        return b"" if machine.launcher.is_symlink() else machine.launcher.read_bytes()
    except OSError:
        return b""


def _sweep(folder: Path, before: bytes) -> None:
    """Code of earlier versions goes, once no call that began with the old launcher can still run it.

    The time of a folder tells until when a launcher named it: that of the one `before` did until now.
    """
    now = time.time()
    for other in folder.parent.iterdir():
        if other == folder:
            continue
        if other.name.encode(errors="surrogateescape") in before:
            os.utime(other, (now, now), follow_symlinks=False)
        elif now - other.lstat().st_mtime > MAX_CALL_SECONDS:
            _discard(other)


def is_current(machine: Machine, interpreter: Interpreter) -> bool:
    """Are launcher and code, sources and compiled, those that `deploy` would put in place?"""
    text = launcher_text(machine, interpreter).encode(errors="surrogateescape")
    folder = code_folder(machine, interpreter)
    in_place = exact.is_file(machine.launcher, text) and folder.is_dir()
    return in_place and exact.is_folder(folder, built(interpreter))


def built(interpreter: Interpreter) -> Mapping[str, bytes]:
    """Relative path -> bytes of every file in the folder of code; Refusal `compile-failed`."""
    return _built(interpreter, tuple(sources().items()))


@lru_cache(maxsize=4)
def _built(interpreter: Interpreter, modules: tuple[tuple[str, bytes], ...]) -> Mapping[str, bytes]:
    scratch = Path(os.environ.get("TMPDIR") or "/tmp")  # noqa: S108  # named in the sentence only
    with os_errors_as_refusals(scratch), tempfile.TemporaryDirectory(prefix="runaway-") as name:
        folder = Path(name)
        _put_files(folder, {f"guard/{module}": source for module, source in modules})
        shutil.copyfile(folder / "guard/run.py", folder / "run.py")
        _compile(folder, interpreter)
        return {
            path.relative_to(folder).as_posix(): path.read_bytes()
            for path in folder.rglob("*")
            if path.is_file()
        }


def _put_files(folder: Path, files: Mapping[str, bytes]) -> None:
    for name, data in files.items():
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)


def _write_code(folder: Path, files: Mapping[str, bytes], machine: Machine) -> None:
    """Write beside, then rename: a half-written folder never carries the final name."""
    draft = folder.parent / f".{folder.name}.{os.getpid()}"
    _discard(draft)
    try:
        with os_errors_as_refusals(folder), modes(machine):
            _put_files(draft, files)
            _place(draft, folder)
    finally:
        _discard(draft)


def _place(draft: Path, folder: Path) -> None:
    """A damaged folder is exchanged in one step where the system can: calls go on meanwhile."""
    if not os.path.lexists(folder):
        draft.rename(folder)
    elif not exchange(draft, folder):
        aside = draft.with_name(f"{draft.name}.damaged")
        folder.rename(aside)
        draft.rename(folder)
        _discard(aside)


def _discard(path: Path) -> None:
    if path.is_symlink() or path.is_file():
        path.unlink()
    shutil.rmtree(path, ignore_errors=True)


@contextmanager
def modes(machine: Machine) -> Iterator[None]:
    """Who may read what is written meanwhile, also by the programs we run: its owner, or everybody."""
    before = os.umask(0o022 if machine.shared else 0o077)
    try:
        yield
    finally:
        os.umask(before)


def _compile(folder: Path, interpreter: Interpreter) -> None:
    """By the interpreter that will run it: byte code belongs to one Python version.

    Nothing of the environment is passed on, which is what `-E` would do but for the order of sets.
    """
    done = subprocess.run(
        [interpreter.path, "-s", "-S", folder / "guard/freeze.py", folder],
        capture_output=True,
        text=True,
        env={"PYTHONHASHSEED": "0"},
        check=False,
    )
    if done.returncode:
        raise Refusal(
            f"{interpreter.path} could not compile the guard: {done.stderr.strip()[-300:]}",
            code="compile-failed",
        )


def put(machine: Machine, path: Path, data: bytes) -> None:
    """Replace one of our own files in one step, readable by those whom it serves."""
    with modes(machine):
        private.state_folder(path.parent, 0o777)
    private.replace(path, data, machine.file_mode)


def health_logs(machine: Machine) -> tuple[Path, ...]:
    """Where the launcher and, knowing no other place when its policy is unreadable, the guard log."""
    return machine.state / "health.log", machine.data / "health.log"


def remove_code(machine: Machine) -> None:
    """Take the code away and leave a launcher that says nothing, for sessions that still call it."""
    if machine.launcher.exists():
        put(machine, machine.launcher, INERT.encode())
    shutil.rmtree(machine.data / "guard", ignore_errors=True)
    (machine.data / "policy.json").unlink(missing_ok=True)
