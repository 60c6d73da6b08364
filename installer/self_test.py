"""Does the registered command really fire? Run exactly as the harness runs it, with nothing around it."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from math import ceil
from pathlib import Path
from types import MappingProxyType

from ..guard.policy import Policy
from ..guard.tampering.registered import DENIAL_CODES
from . import managed_scope, probes
from .durations import age
from .errors import Refusal
from .harnesses import known_files, wired
from .harnesses.base import Check, Harness
from .launch_command import ANY_HOME, command_for
from .machine import Machine

ENVIRONMENT = MappingProxyType({"PATH": "/usr/bin:/bin"})
AT_HOME = ("HOME", "XDG_DATA_HOME")  # what a portable entry goes by
SECONDS = 10
MAX_CALLS = 100
# Some harnesses do not say whether somebody is there to answer, so the guard looks whether the program
# that runs the hook talks with a terminal (guard/attendance.py). That program is this shell, whose own
# stdin is /dev/null, also when a person runs the doctor: the subshell keeps the pipe out of it (dash
# redirects in the parent otherwise), and `exit` keeps it from becoming the hook's shell itself.
UNATTENDED = 'exec 3<&0 </dev/null; (exec /bin/sh -c "$1" <&3 3<&-); exit $?'


def checks(machine: Machine, harness: Harness, project: Path | None = None) -> Iterator[Check]:
    """Of each guard that serves this harness here; where there is none, that there is none.

    It is run with nothing around it but what the harness's settings add for a hook in `project`,
    which is the current folder where none is given.
    """
    folder = project or machine.cwd
    home = {name: machine.environ[name] for name in AT_HOME if name in machine.environ}
    environment = {**ENVIRONMENT, **home, **harness.hook_environment(machine, folder)}
    for guard in managed_scope.serving(machine, harness.SCOPES):
        for command in _commands(guard, harness, folder):
            yield from _checks(guard, harness, command, environment)


def _commands(machine: Machine, harness: Harness, project: Path) -> Iterator[str]:
    """The forms in which its files hold ours; by the launcher's place where they do not tell."""
    files = [target.path for target in wired.entries(machine, (harness,), project)]
    found = {launcher for path in files for launcher in known_files.launchers_in(path)}
    known = [one for one in (machine.launcher, ANY_HOME) if one in found]
    for launcher in known or (machine.launcher,):
        yield command_for(launcher, harness.LAUNCHER_ARGUMENT)


def _checks(
    machine: Machine, harness: Harness, command: str, environment: Mapping[str, str]
) -> Iterator[Check]:
    """Equal calls until the policy's own limit: silence before it, a denial at it."""
    if not machine.launcher.exists():
        yield Check(harness.NAME, "fires.command", "skipped", "There is no launcher to run.")
        return
    try:
        policy = managed_scope.policy_of(machine)
    except Refusal as refusal:
        yield Check(harness.NAME, "fires.command", "error", refusal.text, refusal.fix)
        return
    limit = _limit(policy)
    if limit is None:
        yield _silent(harness)
        return
    state = Path(policy.state)
    served = machine._replace(state=state)
    yield _verdict(machine, harness, _answers(served, harness, command, environment, limit))
    yield _last_fired(state / "sessions", harness)


def _answers(
    machine: Machine, harness: Harness, command: str, environment: Mapping[str, str], limit: int
) -> list[tuple[int, bytes]]:
    """To equal calls of a session of its own, of which nothing is shown afterwards.

    Its id is like any other and is written down nowhere: no guard knows whom it answers.
    """
    session = harness.session_id()
    try:
        return [
            answer(command, harness.sample_payload(session, number), environment)
            for number in range(limit)
        ]
    finally:
        probes.forget(machine.state, harness.NAME, session)


def _limit(policy: Policy) -> int | None:
    """At how many equal calls an unattended run is denied; None when it never is."""
    _, ask, deny, stop = policy.limits["loop.same_call"]
    limit = (ask or deny or stop) if deny or stop else None
    if not limit or limit > MAX_CALLS or policy.silent(time.time()):
        return None
    return ceil(limit)


def _silent(harness: Harness) -> Check:
    message = "The guard observes, is paused or has no limit for equal calls: it blocks none."
    fix = "Run `runaway config set mode enforce`."
    return Check(harness.NAME, "fires.command", "warning", message, fix)


def answer(
    command: str, payload: bytes, environment: Mapping[str, str] = ENVIRONMENT
) -> tuple[int, bytes]:
    """Run the registered string under `/bin/sh -c` as an unattended harness would.

    Returns (exit code, output); (-1, b"") where no answer came in time. `environment` is all it has.
    Output that comes with an exit code is that of stderr: a reason, where a harness denies by the code.
    """
    process = subprocess.Popen(
        ["/bin/sh", "-c", UNATTENDED, "sh", command.encode(errors="surrogateescape")],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment,
        start_new_session=True,
    )
    with process:
        try:
            output, errors = process.communicate(payload, timeout=SECONDS)
        except subprocess.TimeoutExpired:
            with suppress(OSError):
                os.killpg(process.pid, signal.SIGKILL)
            return -1, b""
    return process.returncode, errors if process.returncode else output


def _verdict(machine: Machine, harness: Harness, answers: list[tuple[int, bytes]]) -> Check:
    *early, last = answers
    whose = "organisation's" if machine.shared else "registered"
    denies = DENIAL_CODES.get(harness.LAUNCHER_ARGUMENT, 0)
    spoke_early = any(code or harness.is_denial(output) for code, output in early)
    if not spoke_early and last[0] == denies and harness.is_denial(last[1]):
        message = (
            f"The {whose} command was run {len(answers)} times: it denied the last equal call."
        )
        return Check(harness.NAME, "fires.command", "ok", message)
    message = (
        f"The {whose} command was run {len(answers)} times, and its answers are wrong: "
        f"exit code {last[0]}, output {last[1][:80]!r}."
    )
    return Check(harness.NAME, "fires.command", "error", message, "Run `runaway setup`.")


def _last_fired(sessions: Path, harness: Harness) -> Check:
    """By the newest session file: the guard touches it at every call."""
    times = [path.stat().st_mtime for path in sessions.glob(f"{harness.NAME}-*")]
    if not times:
        message = f"It has not yet run inside {harness.DISPLAY}."
        return Check(harness.NAME, "fires.seen", "info", message, "Try `runaway doctor --drill`.")
    message = f"It last ran inside {harness.DISPLAY} {age(time.time() - max(times))} ago."
    return Check(harness.NAME, "fires.seen", "ok", message)
