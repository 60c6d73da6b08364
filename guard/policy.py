"""The policy: one table of defaults, overlaid by what the installer compiled from `config.toml`.

Each rule has four thresholds (note, ask, deny, stop); None means that the rule has no such step. The
numbers were fitted on 1,421 real interactive sessions and 475 headless runs of weak models: see
docs/how-it-decides.md.
"""

from __future__ import annotations

from .call import digest
from .fastjson import decode, loads
from .system import O_CLOEXEC, O_NONBLOCK, O_RDONLY, close, expanded, open, read

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, Optional

    from .call import Call
    from .state import Json, SessionState
    from .usage import Row

    Limits = tuple[Optional[float], Optional[float], Optional[float], Optional[float]]


DEFAULTS: dict[str, Limits] = {
    "loop.same_failure": (None, 4, 6, 10),
    "loop.same_result": (4, 6, 8, 12),
    "loop.same_call": (None, 8, 12, 20),
    "loop.calls_per_prompt": (200, 400, None, None),
    "loop.response": (None, None, None, 10),
    "failure.rounds": (4, 6, 8, 12),
    "continuation.laps": (None, 25, 50, 50),
    "spend.prompt": (10, 25, 50, 75),
    "spend.velocity": (10, 15, 30, 30),
    "spend.day": (50, 150, None, None),
    "storm.subagents_per_prompt": (12, 25, 50, 100),
    "storm.subagents_per_minute": (None, 16, 30, None),
    "storm.nested_subagents": (None, 4, 10, None),
    "storm.web_calls_per_prompt": (None, 150, 300, None),
}
SLOW_REPEATS: Limits = (None, 40, 80, None)
SLOW_GAP = 30.0  # seconds: three gaps this long in a row are polling, not a loop

UNATTENDED_CAP = 50.0  # dollars per session where nobody is there to answer

PROJECT_FILE = "/.runaway.json"
MAX_POLICY_BYTES = 1 << 20  # bytes of policy.json
MAX_PROJECT_BYTES = 1 << 16  # bytes of .runaway.json
MAX_LIMIT = 1e12  # of a count or of dollars, as in config.toml
HISTORY = 50  # calls remembered per agent
AGENTS = 24  # agents remembered per session


class Policy:
    """What the wires need to know; `state` is the folder of sessions and logs, `data` of this policy.

    `project` holds the limits of the project's file, judged beside these; `source` is "" or the file
    that limits come from.
    """

    __slots__ = (
        "data",
        "day_cap",
        "limits",
        "observe",
        "paused_until",
        "prices",
        "project",
        "protected",
        "session_cap",
        "source",
        "state",
        "stopped",
        "tamper",
        "unasked",
        "wired",
    )

    def __init__(self, values: Mapping[str, Any], state: str) -> None:
        self.data = ""
        self.state: str = values.get("state") or state
        self.protected: list[str] = values.get("protected") or []
        if self.state[:1] == "~":  # one guard for all users of the machine
            self.state = expanded(self.state)
            self.protected.append(self.state)
        self.observe: bool = values.get("observe") is True
        self.paused_until: float = values.get("paused_until") or 0.0
        self.stopped: list[str] = values.get("stopped") or []  # see halt.py
        self.session_cap: float = values.get("session_cap") or 0.0
        self.day_cap: float = values.get("day_cap") or 0.0
        self.prices: dict[str, list[Row]] = values.get("prices") or {}
        self.tamper: dict[str, Any] = values.get("tamper") or {}
        self.unasked: list[str] = values.get("unasked") or []  # harnesses: nobody is there
        self.wired: list[str] = values.get("wired") or []
        self.limits: dict[str, Limits] = {**DEFAULTS, **values.get("limits", {})}
        self.source: str = values.get("source") or ""
        self.project: Policy | None = None

    @property
    def folders(self) -> list[str]:
        """The folders for the health log, in order of preference."""
        return [self.state, self.data] if self.data else [self.state]

    def silent(self, now: float) -> bool:
        """Tell whether the guard only observes or is paused: it computes, but does not answer."""
        return self.observe or now < self.paused_until


def load(folder: str) -> Policy:
    """Read `<folder>/policy.json`; without one the defaults hold and state lives beside it."""
    policy = Policy(_values(folder), folder + "/state")
    policy.data = folder
    return policy


def _values(folder: str) -> dict[str, Any]:
    try:
        descriptor = open(folder + "/policy.json", O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    except FileNotFoundError:
        return {}
    values: dict[str, Any] = loads(decode(read(descriptor, MAX_POLICY_BYTES)))
    close(descriptor)
    return values


def apply_project_file(policy: Policy, call: Call, state: SessionState) -> None:
    """Judge by the limits of the session's project too.

    A file of it that makes no sense goes to the health log, once per session.
    """
    project = state["project"] = state.get("project") or call.cwd  # where the session started
    try:
        tighten(policy, project)
        state.pop("invalid", None)
    except Exception as error:
        fault = f"{project}{PROJECT_FILE} is invalid: {error}"
        if state.get("invalid") != digest(fault):
            from .health import tell

            tell(policy.folders, call.harness, PROJECT_FILE[1:], fault)
        state["invalid"] = digest(fault)


def tighten(policy: Policy, project: str) -> None:
    """Read the project's own `.runaway.json`: stricter limits that are judged beside the user's.

    It lies where the agent works, so it must not be able to loosen anything: `policy` itself stays as
    it is, and of two verdicts the stricter counts. ValueError for a file that makes no sense.
    """
    if not project:  # some hooks are told no folder
        return
    path = project + PROJECT_FILE
    try:
        descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    except OSError:
        return
    try:
        values = _table(loads(decode(read(descriptor, MAX_PROJECT_BYTES))))
    finally:
        close(descriptor)
    limits = {
        rule: _lowered(policy.limits[rule], wanted)
        for rule, wanted in _table(values.get("limits", {})).items()
        if rule in policy.limits
    }
    stricter = {
        "session_cap": lower(policy.session_cap, values.get("session_cap")),
        "day_cap": lower(policy.day_cap, values.get("day_cap")),
        "limits": {**policy.limits, **limits},
        "source": path,
    }
    policy.project = Policy(stricter, policy.state)


def _table(value: object) -> Json:
    if not isinstance(value, dict):
        raise ValueError(f"{PROJECT_FILE[1:]}: an object was expected")
    return value


def _lowered(mine: Limits, theirs: object) -> Limits:
    if not isinstance(theirs, list) or len(theirs) != len(mine):
        raise ValueError(f"{PROJECT_FILE[1:]}: a rule has four limits")
    note, ask, deny, stop = map(lower, mine, theirs)
    return note, ask, deny, stop


def lower(mine: float | None, theirs: object) -> float | None:
    """Return the lower of two thresholds, where 0, None and what no count reaches are none at all.

    ValueError for what is no number.
    """
    if theirs is None:
        return mine
    if isinstance(theirs, bool) or not isinstance(theirs, (int, float)):
        raise ValueError(f"{PROJECT_FILE[1:]}: a limit is a number")
    if not 0 < theirs < MAX_LIMIT:  # nor for NaN
        return mine
    return min(mine, theirs) if mine else theirs
