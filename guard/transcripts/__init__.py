"""Read the logs of a harness incrementally: usage, results, prompts and calls.

`tail` reads new lines of a file; one module per format turns lines into events; `session_files` walks
all the files of a session; `accounts` adds the usage up. Each format's module has these functions
(types: see state.py):

    files(transcript, session, logs: LogState) -> [(agent, path), ...], the main agent ("") last
    events(lines, memory: ReaderState, usage_only=False) -> iterator of events; where one file holds all
                 agents, memory["agent"] is the one whose event is being told
    owner(record: Json, path) -> (session, agent) that this file tells of, if the record, one of its
                 first, is of this format; else None
    sidecar_events(transcript, now, logs: LogState) -> [event, ...] that stand in no line of the
                 transcript; only where there are such

Events are plain tuples (NamedTuple would cost start-up). The second item is always the
time (Unix seconds):

    (USAGE, time, id, model, Usage, inherited)   one record of a response; several may share the id,
                                                 then the largest counts; "" is never repeated.
                                                 inherited: copied from the session it was forked off
    (REPORTED_TOTAL, time, dollars)              the harness's own total for the session so far
    (PROMPT, time, prompt id, human)             human: a person (or the program that drives the
                                                 harness for one) wrote it; NEW_ID: so it is for
                                                 the first of this id, others go on from that one
    (CALL, time, call id, tool, arguments, round, cwd)
                                                 every call of the model, in the words of the hook,
                                                 whether a hook saw it or not; `round` is the same
                                                 for all calls of one response
    (RESULT, time, call id, outcome, digest, round, approved)
                                                 a later one for the same call replaces an earlier;
                                                 approved: a person said yes to a hook's `ask`
    (RESET, time)                                the files are another history than the one read so
                                                 far: all of it comes again. Money told before `time`
                                                 has been counted

A call that is under way, or about to be asked about, is already there as a CALL: one that no hook saw
is known only when its RESULT is there. Usage lags: a tool starts while its response is still being
streamed, and the usage is written when the response is complete, so of each agent at work the last
response may be missing.
"""

from __future__ import annotations

READERS = (
    "claude",
    "codex",
    "copilot",
    "vscode",
    "droid",
    "gemini",
    "grok",
    "qwen",
    "antigravity",
)  # the modules beside this one

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

USAGE: Final = 0
REPORTED_TOTAL: Final = 1
PROMPT: Final = 2
CALL: Final = 3
RESULT: Final = 4
RESET: Final = 5
KIND: Final = 0
TIME: Final = 1
NEW_ID: Final = 2

# Refused: kept from running by a rule, a sandbox or another hook, which an agent may run into for ever.
# Neutral is no evidence of anything: interrupted, or refused by a person or by the guard itself.
OK, FAILED, REFUSED, NEUTRAL = "ok", "failed", "refused", "neutral"

MARKER = "[runaway]"  # begins what the guard says: that of words.py, which is loaded only to say it
