"""What the logs of a harness tell: usage, results, prompts and calls, read incrementally.

`tail` reads new lines of a file; one module per format turns lines into events; `family` walks all
the files of a session; `accounts` adds the usage up. The names that a format's module has:

    files(transcript, session, known) -> [(agent, path), ...], the main agent ("") last
    events(lines, memory, usage_only=False) -> iterator of events; where one file holds all agents,
                 memory["agent"] is the one whose event is being told
    beside(transcript, now, memory) -> [event, ...] that stand in no line; only where there are such

Events are plain tuples, and the second item is always the time (Unix seconds):

    (USAGE, time, id, model, Usage, inherited)   one record of a response; several may share the id,
                                                 then the largest counts; "" is never repeated.
                                                 inherited: copied from the session it was forked off
    (FLOOR, time, dollars)                       the harness's own total for the session so far
    (PROMPT, time, prompt id, human)             human: a person (or the program that drives the
                                                 harness for one) wrote it
    (CALL, time, call id, tool, arguments, round, cwd)
                                                 every call of the model, in the words of the hook,
                                                 whether a hook saw it or not; `round` is the same
                                                 for all calls of one response
    (RESULT, time, call id, outcome, digest, round, approved)
                                                 a later one for the same call replaces an earlier;
                                                 approved: a person said yes to a hook's `ask`
    (RESET, time)                                the files are another history than the one counted
                                                 so far: forget all totals, they come again

A call that is under way, or about to be asked about, is already there as a CALL: one that no hook saw
is known only when its RESULT is there. Usage lags: a tool starts while its response is still being
streamed, and the usage is written when the response is complete, so of each agent at work the last
response may be missing.
"""

from __future__ import annotations

USAGE, REPORTED_TOTAL, PROMPT, CALL, RESULT, RESET = range(6)
KIND, TIME = 0, 1

# Neutral is no evidence of anything: refused, interrupted or blocked.
OK, FAILED, NEUTRAL = "ok", "failed", "neutral"

MARKER = "[runaway]"  # begins what the guard says: that of words.py, which is loaded only to say it
