"""The policy: one table of defaults, overlaid by what the installer compiled from `config.toml`.

Each rule has four thresholds (note, ask, deny, stop); None means that the rule has no such step. The
numbers were fitted on 1,421 real interactive sessions and 475 headless runs of weak models: see
docs/how-it-decides.md.
"""

from __future__ import annotations

from .fastjson import decode, loads
from .system import O_CLOEXEC, O_NONBLOCK, O_RDONLY, close, expanded, open, read

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Optional

    Limits = tuple[Optional[float], Optional[float], Optional[float], Optional[float]]

DEFAULTS: dict[str, Limits] = {
    "loop.same_result": (4, 6, 8, 12),
    "loop.same_call": (None, 8, 12, 20),
    "loop.calls_per_prompt": (200, 400, None, None),
    "failure.rounds": (4, 6, 8, 12),
    "spend.prompt": (10, 25, 40, 40),
    "spend.velocity": (10, 15, 30, 30),
    "spend.day": (50, 150, None, None),
    "storm.subagents_per_prompt": (12, 25, 50, 100),
    "storm.subagents_per_minute": (None, 16, 30, None),
    "storm.nested_subagents": (None, 4, 10, None),
    "storm.web_calls_per_prompt": (None, 80, 200, None),
}
SLOW_REPEATS: Limits = (None, 40, 80, None)
SLOW_GAP = 30.0  # seconds: three gaps this long in a row are polling, not a loop

UNATTENDED_CAP = 50.0  # dollars per session where nobody is there to answer

PROJECT_FILE = "/.runaway.json"
LARGEST = 1 << 20  # bytes of policy.json
HISTORY = 50  # calls remembered per agent
AGENTS = 24  # agents remembered per session


class Policy:
    """What the wires need to know; `state` is the folder of sessions and logs, `data` of this policy."""

    __slots__ = (
        "data",
        "day_cap",
        "limits",
        "observe",
        "paused_until",
        "prices",
        "protected",
        "session_cap",
        "state",
        "wired",
    )

    def __init__(self, values: dict[str, Any], state: str) -> None:
        self.data = ""
        self.state: str = values.get("state") or state
        self.protected: list[str] = values.get("protected") or []
        if self.state[:1] == "~":  # one guard for all users of the machine
            self.state = expanded(self.state)
            self.protected.append(self.state)
        self.observe: bool = values.get("observe") is True
        self.paused_until: float = values.get("paused_until") or 0.0
        self.session_cap: float = values.get("session_cap") or 0.0
        self.day_cap: float = values.get("day_cap") or 0.0
        self.prices: dict[str, Any] = values.get("prices") or {}
        self.wired: list[str] = values.get("wired") or []
        self.limits: dict[str, Limits] = {**DEFAULTS, **values.get("limits", {})}

    @property
    def folders(self) -> list[str]:
        """Where a fault of the guard may be noted: what comes first that can be written."""
        return [self.state, self.data] if self.data else [self.state]

    def silent(self, now: float) -> bool:
        """Observing or paused: the wires compute and log, nothing is answered."""
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
    values: dict[str, Any] = loads(decode(read(descriptor, LARGEST)))
    close(descriptor)
    return values


def tighten(policy: Policy, project: str) -> None:
    """A project's own `.runaway.json` may lower thresholds and caps; what would raise them is ignored.

    It lies where the agent works, so it must not be able to loosen anything. ValueError, TypeError or
    AttributeError for one that makes no sense.
    """
    try:
        descriptor = open(project + PROJECT_FILE, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    except OSError:
        return
    values = loads(decode(read(descriptor, LARGEST)))
    close(descriptor)
    for rule, wanted in values.get("limits", {}).items():
        if rule in policy.limits:
            note, ask, deny, stop = map(lower, policy.limits[rule], wanted)
            policy.limits[rule] = note, ask, deny, stop
    policy.session_cap = lower(policy.session_cap, values.get("session_cap")) or 0.0
    policy.day_cap = lower(policy.day_cap, values.get("day_cap")) or 0.0


def lower(mine: float | None, theirs: float | None) -> float | None:
    """The lower of two thresholds, where 0 and None are none at all."""
    if not theirs or theirs < 0:
        return mine
    return min(mine, theirs) if mine else theirs
