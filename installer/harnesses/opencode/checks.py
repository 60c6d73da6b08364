"""What keeps OpenCode from running our plugin, read from files and environment."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from ... import sessions
from ...machine import Machine
from ..base import Check, Level
from . import paths, plugin

RERUN = "Run `runaway setup --harness opencode`."
PURE = "OPENCODE_PURE"
ON = ("1", "true", "yes", "on", "y")  # with anything else but their opposites it does not start
MAX_WRAPPER_BYTES = 1 << 16  # bytes of a program that is a script
NEWEST = 20  # sessions


def checks(machine: Machine, project: Path, *, ask: bool = True) -> Iterator[Check]:
    loaded = _plugins(machine, project)
    yield from _installed(machine, loaded)
    yield from _out_of_project(machine, project)
    yield _pure(machine)
    yield from _wrapper(machine)
    yield _start(machine, project)
    yield _check("trusted.consent", "ok", "OpenCode asks for no consent per plugin.")
    yield from _money(machine)


def _check(check: str, level: Level, message: str, fix: str = "") -> Check:
    return Check(paths.NAME, check, level, message, fix)


def _plugins(machine: Machine, project: Path) -> tuple[Path, ...]:
    """Every file by our name that OpenCode loads."""
    folders = paths.folders(machine, project)
    files = [folder / name / plugin.FILE for folder in folders for name in paths.FOLDERS]
    return tuple(path for path in files if path.exists())


def _installed(machine: Machine, loaded: tuple[Path, ...]) -> Iterator[Check]:
    wanted = plugin.text(machine.launcher)
    for path in loaded:
        yield _file(machine, path, wanted)
    if not loaded:
        message = "The guard's plugin is in no folder that OpenCode reads."
        yield _check("installed.entry", "error", message, RERUN)
    elif len(loaded) > 1:
        message = (
            f"OpenCode loads the plugin from {len(loaded)} places: each call is counted once, "
            "but each run takes its time."
        )
        fix = f"Keep one of: {', '.join(machine.tilde(path) for path in loaded)}."
        yield _check("installed.once", "warning", message, fix)


def _file(machine: Machine, path: Path, wanted: bytes) -> Check:
    name = machine.tilde(path)
    if not path.is_file():  # a pipe would keep us waiting
        return _check("installed.entry", "error", f"{name} cannot be read: it is not a file.")
    try:
        data = path.read_bytes()
    except OSError as error:
        return _check("installed.entry", "error", f"{name} cannot be read: {error.strerror}.")
    if data == wanted:
        return _check("installed.entry", "ok", f"The guard's plugin is {name}.")
    if plugin.is_ours(data):
        message = f"{name} is not the plugin that setup writes today."
        return _check("installed.entry", "error", message, RERUN)
    message = f"{name} is not the guard's plugin: somebody else's, or changed since setup."
    return _check("installed.entry", "error", message, f"Move it away. {RERUN}")


def _out_of_project(machine: Machine, project: Path) -> Iterator[Check]:
    path = paths.plugin_file(machine, "project", project)
    if machine.variable(paths.NO_PROJECT) and path.exists():
        name = machine.tilde(path)
        message = f"{paths.NO_PROJECT} is set: OpenCode does not load {name}."
        fix = "Unset it, or use the scope `user`."
        yield _check("allowed.project", "error", message, fix)


def _pure(machine: Machine) -> Check:
    if machine.environ.get(PURE) in ON:
        message = f"{PURE} is set: OpenCode loads no plugins."
        return _check("allowed.pure", "error", message, f"Unset {PURE}.")
    message = (
        f"{PURE} is not set. `opencode --pure` loads no plugins, and nobody sees it from here."
    )
    return _check("allowed.pure", "ok", message)


def _wrapper(machine: Machine) -> Iterator[Check]:
    """A script on PATH in front of the program."""
    program = machine.program("opencode")
    try:
        head = b"" if program is None else _head(program)
    except OSError:
        return
    if head.startswith(b"#!") and b"--pure" in head:
        message = f"{machine.tilde(str(program))} is a script that names `--pure`."
        fix = "With that option OpenCode loads no plugins."
        yield _check("allowed.pure", "warning", message, fix)


def _head(program: Path) -> bytes:
    with program.open("rb") as file:
        return file.read(MAX_WRAPPER_BYTES)


def _start(machine: Machine, project: Path) -> Check:
    slow = [path for path in paths.folders(machine, project) if paths.starts_slowly(path)]
    if not slow:
        return _check("allowed.start", "ok", "OpenCode starts without waiting for npm.")
    where = ", ".join(map(machine.tilde, slow))
    message = (
        f"With any plugin, OpenCode's next start waits until npm has put {paths.LIBRARY} into "
        f"{where}; without network for more than a minute. Then it goes on, guarded."
    )
    return _check("allowed.start", "info", message, "Start OpenCode once while there is network.")


def _money(machine: Machine) -> Iterator[Check]:
    """SPEND knows what OpenCode reckons: nothing for a subscription or a model without a price."""
    own = [one for one in sessions.sessions(machine).rows if one.harness == paths.NAME][:NEWEST]
    told = sum(one.dollars > 0 for one in own)
    if own and not told:
        message = f"OpenCode reckoned no cost for any of the last {len(own)} sessions."
        fix = "Where it should not be 0: `runaway prices set MODEL INPUT OUTPUT`."
        yield _check("fires.spend", "info", message, fix)
    elif own:
        message = f"OpenCode reckoned a cost for {told} of the last {len(own)} sessions."
        yield _check("fires.spend", "ok", message)
