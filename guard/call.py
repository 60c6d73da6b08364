"""The vocabulary: a Call that is about to run, the Case in which it is judged, and the Verdict."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .policy import Policy

NOTHING, NOTE, ASK, DENY, STOP = range(5)
LEVELS = ("nothing", "note", "ask", "deny", "stop")
WHO = len(LEVELS)  # among what a harness LACKS: its hooks are not told which agent makes a call

SHELL, SPAWN, WEB, EDIT, WAIT = "shell", "spawn", "web", "edit", "wait"
OTHER = "other"
# What a hook event is about: a call, calls that have ended, what a person says, what it has cost, the
# model about to be asked again.
BEFORE_CALL, AFTER_CALLS, ON_PROMPT, ON_USAGE, BEFORE_REQUEST = (
    "tool",
    "batch",
    "prompt",
    "usage",
    "next",
)
PROJECT = "@project"  # ends the scope of an approval beyond a limit of the project's file
UNNAMED = "~"  # begins what stands for the id of a call where the hook is told none, but the log is


class Call:
    """One hook event as every dialect reports it; for `TOOL` the call that is about to run."""

    __slots__ = (
        "agent",
        "arguments",
        "attended",
        "batch",
        "cwd",
        "event",
        "harness",
        "id",
        "kind",
        "model",
        "partial",
        "prompt",
        "session",
        "stage",
        "tool",
        "transcript",
    )

    def __init__(
        self,
        harness: str,
        session: str,
        *,
        event: str = "",
        stage: str = BEFORE_CALL,
        agent: str = "",
        prompt: str = "",
        id: str = "",
        tool: str = "",
        kind: str = OTHER,
        arguments: Any = None,
        cwd: str = "",
        transcript: str = "",
        model: str = "",
        attended: bool = False,
        batch: tuple[tuple[Any, ...], ...] = (),
        partial: bool = False,
    ) -> None:
        self.harness = harness
        self.event = event  # the harness's own name of it
        self.stage = stage
        self.session = session
        self.agent = agent
        self.prompt = prompt
        self.id = id
        self.tool = tool
        self.kind = kind
        self.arguments = arguments
        self.cwd = cwd
        self.transcript = transcript
        self.model = model
        self.attended = attended
        self.partial = partial  # arguments are hidden: only equal results show that calls are equal
        self.batch = batch  # what the hook tells beside the call, as transcript events

    @property
    def identity(self) -> str:
        """A digest of the harness's call id; "" where it gives none."""
        return self.id[: self.id[:1] == UNNAMED] + digest(self.id) if self.id else ""


class Context:
    """A call with all that the wires may look at: its record, what its agent and its session did."""

    __slots__ = ("agent", "call", "memory", "now", "policy", "record")

    def __init__(
        self,
        call: Call,
        memory: dict[str, Any],
        agent: dict[str, Any],
        record: list[Any],
        policy: Policy,
        now: float,
    ) -> None:
        self.call = call
        self.memory = memory
        self.agent = agent
        self.record = record
        self.policy = policy
        self.now = now

    def by_policy(self) -> tuple[Context, ...]:
        """The case as the user's policy sees it, then as the project's file does, if there is one."""
        project = self.policy.project
        if project is None:
            return (self,)
        return self, Context(self.call, self.memory, self.agent, self.record, project, self.now)


class Verdict:
    """What a wire thinks: how far up the ladder, by which rule, after how many.

    `subject` tells trips of one rule apart: the key of the call, or what else an approval covers.
    `source` is the project's file that the limit comes from, "" for the user's own limits.
    """

    __slots__ = ("count", "level", "rule", "source", "subject")

    def __init__(
        self, level: int, rule: str, count: float, subject: str = "", source: str = ""
    ) -> None:
        self.level = level
        self.rule = rule
        self.count = count
        self.subject = subject
        self.source = source


NO_OPINION = Verdict(NOTHING, "", 0)


def scope(rule: str, subject: str, source: str = "") -> str:
    """What an approval covers: one call under all LOOP rules, or else one rule.

    An approval beyond a project's limit does not touch the user's own.
    """
    own = f"{rule.partition('.')[0]}:{subject}" if subject else f"{rule}:"
    return own + PROJECT if source else own


def factor(granted: dict[str, int], rule: str, subject: str, source: str) -> int:
    """How many times the limits approvals have raised; beyond the user's own, the project's too."""
    own = granted.get(scope(rule, subject), 1)
    return own * granted.get(scope(rule, subject, source), 1) if source else own


def digest(text: str) -> str:
    """Twelve hex digits that stand for a text of any length."""
    try:
        from _blake2 import blake2b
    except ImportError:
        from hashlib import blake2b
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=6).hexdigest()


def essence(arguments: Any, dropped: tuple[str, ...] = ()) -> Any:
    """The part of the arguments that changes what is done; defaults count as left out."""
    if not isinstance(arguments, dict):
        return arguments
    kept = {
        name: value
        for name, value in arguments.items()
        if name not in dropped and value is not None and value is not False
    }
    if isinstance(kept.get("command"), str):
        kept["command"] = kept["command"].rstrip()
    return kept
