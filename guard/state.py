"""Types of everything the guard remembers, and which module writes what. Never imported at run time.

A session's state is one JSON object in `<state>/sessions/` (see session.py). Each key has one writer;
every other module calls that module's functions or only reads:

    session harness started seen cwd transcript         history.agent_state
    prompt turn told agents storm met laps tripped      history
    asked granted                                       approvals
    project invalid                                     policy.apply_project_file
    lost                                                hook
    spend (but for `noted`)                             spending
    spend.noted spend.day_noted                         wires/spend (the latter renewed by spending)
    logs.days                                           spending
    logs.files until behind                             transcripts/session_files
    logs.account                                        transcripts/accounts
    logs.members looked                                 transcripts/codex_files
    logs.sums                                           transcripts/droid
    lifted_until extra more_laps                        nobody here: `runaway resume` does
    logs.booked again                                   nobody here: release 0.1 did

    an agent's calls count seen unseen                  history (`outcome` of a call: evidence)
    an agent's failing failed                           wires/failure
    an agent's over                                     judge

What is a tuple here is stored as an array, so after a load it is a list: index it or unpack it, but
never compare it with a tuple.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Literal, Protocol, TypedDict, Union, overload

    from .usage import Row, Usage

    Json = dict[str, object]  # an object from outside: nothing is known of what is in it
    Payload = Mapping[str, object]  # the same, of a hook

    class CallRecord(Protocol):
        """`[key, started, id, outcome, level, streak]`, a list indexed by the constants of history.

        key: identity of the call, equal for equal calls. started: Unix seconds. id: digest of the
        harness's call id, "" if there is none. outcome: see outcomes.py. level: what the guard answered,
        -1 if no hook announced the call. streak: the call is the how-many-th equal one in a row.
        """

        @overload
        def __getitem__(self, field: Literal[0, 2, 3], /) -> str: ...
        @overload
        def __getitem__(self, field: Literal[1], /) -> float: ...
        @overload
        def __getitem__(self, field: Literal[4, 5], /) -> int: ...
        @overload
        def __setitem__(self, field: Literal[0, 2, 3], value: str, /) -> None: ...
        @overload
        def __setitem__(self, field: Literal[1], value: float, /) -> None: ...
        @overload
        def __setitem__(self, field: Literal[4, 5], value: int, /) -> None: ...

    # (failing rounds in a row, id of the last one, key of the call denied since, its denials, and the
    # last two once more for denials by the project's limit)
    FailureStreak = tuple[int, str, str, int, str, int]
    EndedTurn = tuple[str, float, str]  # rule, count, source of the verdict that ended the turn

    class AgentState(TypedDict, total=False):
        """One agent since the last prompt of a person."""

        calls: list[CallRecord]  # the last HISTORY ones
        count: int  # calls since the prompt
        seen: float  # Unix seconds of its last call or event
        unseen: dict[str, str]  # id digest -> key of calls that only the log has told of
        failing: FailureStreak
        failed: list[str]  # keys of the calls that failed in the last failing round
        over: EndedTurn  # where a turn should have ended that no hook can end

    class StormState(TypedDict, total=False):
        """Counts over all agents since the last prompt of a person."""

        spawned: int  # calls that start one
        met: int  # agents that were seen, whatever started them
        arrivals: list[float]  # Unix seconds at which those of the last minute were
        ranks: dict[str, list[int]]  # mark of each -> its number, and that in its minute
        nested: int  # subagents that subagents started
        times: list[float]  # Unix seconds of the spawns of the last minute
        web: int

    class SpendState(TypedDict, total=False):
        """Dollars, as the wires judge them."""

        total: float  # of the session
        prompt: float  # since the last prompt of a person
        last: float  # of the last response
        recent: list[tuple[float, float]]  # (Unix seconds, dollars) of the last five minutes
        day: tuple[float, float]  # today in this project, today on this machine
        rows: dict[str, tuple[Row, float]]  # model -> (price row, day it was looked up for)
        unknown: str  # the last model that is not in the price table
        noted: list[str]  # notes that are given once
        day_noted: tuple[float, str]  # today in this project when a note was last given; which day

    class Account(TypedDict, total=False):
        """What the session's responses cost: see transcripts/accounts.py."""

        sum: float
        inherited: float
        floor: float
        since: float
        after: float
        seen: str
        counted: float
        recent: dict[str, float]  # stored as a list of pairs

    class ReaderState(TypedDict, total=False):
        """What a transcript reader must remember of one file between two calls of the guard."""

        time: float  # Unix seconds of the last event: every reader
        agent: str  # whose event is being told: copilot
        cwd: str  # codex, droid
        round: (
            str | int
        )  # id of the last response: antigravity, claude, grok, qwen; its number: codex
        step: int  # the last one: antigravity
        thread: str  # from here on codex
        sub: bool  # the thread is a subagent's
        records: bool  # the log has token_usage_record
        turn: str
        tier: str  # of service
        copied: bool  # the turn is a copy of the parent's
        model: str
        base: list[int]  # running token counts that have been told: grok too
        shared: bool  # the turn's sums hold those of subagents: grok
        items: list[str]  # calls whose result has been told; those that started subagents: vscode
        answered: bool  # the last line was an output
        unspoken: bool  # nobody has spoken in this turn: codex
        stopped: str  # what a Stop hook goes on with, or its digest: droid, copilot
        worked: int  # calls since the last compaction: claude, codex

    Cursor = Union[tuple[int, int, str], tuple[()]]  # offset, inode, digest of what is before it
    FileState = tuple[
        int, int, str, float, ReaderState
    ]  # a cursor, when it was read, the reader's own

    class LogState(TypedDict, total=False):
        """What has been read of the session's logs, and booked."""

        files: dict[str, FileState]  # by agent, "" for the main one
        until: float  # Unix seconds when everything had been read
        behind: bool  # there is more to read
        account: Account
        members: list[str]  # rollouts of the session
        looked: str  # the last rollout that was looked at
        sums: list[int]  # token counts that Droid has told
        days: dict[str, float]  # local date -> dollars of this session
        booked: float  # dollars that release 0.1 had told the ledger,
        again: float  # and of those what it would have passed over

    class SessionState(TypedDict, total=False):
        """Everything that is remembered of one session."""

        session: str
        harness: str
        started: float  # Unix seconds
        seen: float  # of the last call
        halted: bool  # a person has stopped it, and the log of trips knows
        cwd: str
        project: str  # the folder the session started in
        invalid: str  # digest of the fault of the project's file that was told
        transcript: str
        lost: str  # a log that a hook named and that does not exist, once it was told
        prompt: str  # id of the last prompt of a person
        turn: str  # id of the last prompt that a call named
        told: str  # id of the last prompt that the log told
        agents: dict[str, AgentState]  # by name, "" for the main one
        laps: int  # turns that began or went on without a person since the last prompt of one
        more_laps: int  # that a person has granted
        storm: StormState
        met: str  # marks of the agents that were ever seen
        tripped: dict[str, int]  # rule and subject -> denials of an unattended run
        asked: dict[str, str]  # id digest of a call -> scope that the person was asked about
        granted: dict[str, int]  # scope -> how many times the limits have been raised
        spend: SpendState
        logs: LogState
        lifted_until: float  # Unix seconds until which the session is paused
        extra: float  # dollars added to the session's cap

    # Events: see transcripts/__init__.py. The second item is always the time (Unix seconds).
    UsageEvent = tuple[Literal[0], float, str, str, Usage, bool]
    ReportedTotalEvent = tuple[Literal[1], float, float]
    PromptEvent = tuple[Literal[2], float, str, int]
    CallEvent = tuple[Literal[3], float, str, str, object, str, str]
    ResultEvent = tuple[Literal[4], float, str, str, str, str, bool]
    ResetEvent = tuple[Literal[5], float]
    Event = Union[UsageEvent, ReportedTotalEvent, PromptEvent, CallEvent, ResultEvent, ResetEvent]
