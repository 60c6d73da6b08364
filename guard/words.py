"""What the guard says when a wire trips: loaded only then."""

from __future__ import annotations

from .call import ASK, DENY, STOP
from .fastjson import dumps

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .call import Call, Verdict

MARKER = "[runaway]"  # the guard knows its own denials in transcripts by it
SHORT = 80  # characters of the arguments shown

WHAT = {
    "loop.same_result": "the same {tool} call gave the same result {count} times",
    "loop.same_call": "the same {tool} call was made {count} times in a row",
    "loop.calls_per_prompt": "{count} calls were made since the last prompt; now {tool}",
    "failure.rounds": "{count} rounds of calls in a row have failed; now {tool}",
    "storm.subagents_per_prompt": "{count} subagents were started since the last prompt; now {tool}",
    "storm.subagents_per_minute": "{count} subagents were started within a minute; now {tool}",
    "storm.nested_subagents": "subagents have started {count} subagents of their own; now {tool}",
    "storm.web_calls_per_prompt": "{count} web calls were made since the last prompt; now {tool}",
}
FOR_AGENT = {
    "loop": (
        "Repeating it will not change anything. Read the earlier results, try something different, "
        "or say what blocks you and stop."
    ),
    "failure": "Look at why they failed before trying again, or say what blocks you and stop.",
    "storm": "Go on with what you have, without starting more, and finish.",
}
HOW_TO_GO_ON = "See `runaway why`; lift it with `runaway resume`."


def explain(call: Call, verdict: Verdict, level: int) -> str:
    """One paragraph for whoever reads it: the person who is asked, or the agent that is denied."""
    family = verdict.rule.partition(".")[0]
    what = WHAT[verdict.rule].format(tool=call.tool, count=f"{verdict.count:g}")
    opening = f"{MARKER} {what}: {short_arguments(call)}."
    if level == ASK:
        return f"{opening} Let it run once more? ({verdict.rule})"
    if level == STOP:
        return f"{opening} The turn ends here ({verdict.rule}). {HOW_TO_GO_ON}"
    if level == DENY:
        return f"{opening} This call was not run ({verdict.rule}). {FOR_AGENT[family]}"
    return f"{opening} ({verdict.rule})"


def short_arguments(call: Call) -> str:
    """The arguments in one short line, with anything that looks like a secret masked."""
    arguments = call.arguments
    if isinstance(arguments, dict) and isinstance(arguments.get("command"), str):
        text = arguments["command"]
    else:
        text = dumps(arguments)
    words = [mask(word) for word in text[: 4 * SHORT].split()]
    line = " ".join(words)
    return "`" + (line if len(line) <= SHORT else line[: SHORT - 1] + "…") + "`"


def mask(word: str) -> str:
    """Hide what looks like a key: long, without a path separator, letters and digits mixed."""
    value = word.rsplit("=", 1)[-1].strip("\"'")
    mixed = any(c.isdigit() for c in value) and any(c.isalpha() for c in value)
    if len(value) >= 20 and mixed and "/" not in value and "." not in value:
        return word.replace(value, "***")
    return word
