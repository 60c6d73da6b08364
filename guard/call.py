"""The vocabulary of the guard: Call, the Context it is judged in, Verdict, and the names of levels."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .policy import Policy
    from .state import AgentState, CallRecord, Event, SessionState

NOTHING, NOTE, ASK, DENY, STOP = range(5)
LEVELS = ("nothing", "note", "ask", "deny", "stop")
AGENT_ID = len(
    LEVELS
)  # among what a harness UNSUPPORTED: its hooks are not told which agent makes a call

SHELL, SPAWN, WEB, EDIT, WAIT = "shell", "spawn", "web", "edit", "wait"
OTHER = "other"
# Stages: when a hook event comes. ON_USAGE: the harness tells what a response has cost.
# ON_RESPONSE: while a response is written, once its end repeats itself.
BEFORE_CALL, AFTER_CALLS, ON_PROMPT, ON_USAGE, BEFORE_REQUEST, ON_RESPONSE = (
    "tool",
    "batch",
    "prompt",
    "usage",
    "next",
    "response",
)
UNNAMED = "~"  # begins a made-up call id: the hook is told none, and the log will tell the real one


class Call:
    """One hook event in the same words for every harness; at BEFORE_CALL, the call about to run."""

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
        "repeats",
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
        arguments: object = None,
        cwd: str = "",
        transcript: str = "",
        model: str = "",
        attended: bool = False,
        batch: tuple[Event, ...] = (),
        partial: bool = False,
        repeats: float = 0,
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
        self.batch = batch  # what the hook reports besides the call, as transcript events
        self.repeats = repeats  # at ON_RESPONSE: how often its end stands there in a row

    @property
    def identity(self) -> str:
        """The digest of the harness's call id, "" if there is none."""
        return self.id[: self.id[:1] == UNNAMED] + digest(self.id) if self.id else ""


class Context:
    """A call with all that the wires may look at: its record, its agent's and its session's state."""

    __slots__ = ("agent", "call", "now", "policy", "record", "state")

    def __init__(
        self,
        call: Call,
        state: SessionState,
        agent: AgentState,
        record: CallRecord,
        policy: Policy,
        now: float,
    ) -> None:
        self.call = call
        self.state = state
        self.agent = agent
        self.record = record
        self.policy = policy
        self.now = now

    def by_policy(self) -> tuple[Context, ...]:
        """Return this context under the user's policy, then under the project's file if there is one."""
        project = self.policy.project
        if project is None:
            return (self,)
        return self, Context(self.call, self.state, self.agent, self.record, project, self.now)


class Verdict:
    """What a wire finds: how far up the ladder, by which rule, after how many.

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
TURN_ENDED = "over"  # the subject of a verdict on a turn that should have ended
PERSON_STOP = "person.stop"  # the rule of halt.py


def digest(text: str) -> str:
    """Return twelve hex digits that stand for a text of any length."""
    try:
        from _blake2 import blake2b
    except ImportError:
        from hashlib import blake2b
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=6).hexdigest()


def drop_ignored(arguments: object, dropped: tuple[str, ...] = ()) -> object:
    """Return the arguments that change what is done: without `dropped` ones and defaults."""
    if not isinstance(arguments, dict):
        return arguments
    kept = {
        name: value
        for name, value in arguments.items()
        if name not in dropped and value is not None and value is not False
    }
    command = kept.get("command")
    if isinstance(command, str):
        kept["command"] = command.rstrip()
    return kept
