"""Word what the guard says when a wire trips; loaded only then."""

from __future__ import annotations

from .call import ASK, DENY, ON_PROMPT, PERSON_STOP, STOP, TURN_ENDED
from .fastjson import dumps
from .masking.text import beginning, masked, masked_value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .call import Call, Verdict

MARKER = "[runaway]"  # the guard knows its own denials in transcripts by it
SHORT = 80  # characters of the arguments shown

WHAT = {
    "loop.same_failure": "the same {call} has failed in the same way {count} times",
    "loop.same_result": "the same {call} gave the same result {count} times",
    "loop.same_call": "the same {call} was made {count} times in a row",
    "loop.calls_per_prompt": "{count} calls were made since the last prompt; now this {call}",
    "loop.response": "a response repeated the same passage {count} times in a row",
    "failure.rounds": "{count} rounds of calls in a row have failed; now this {call}",
    "continuation.laps": "{count} turns began or went on since a person last spoke; now this {call}",
    "spend.prompt": "${count} were spent since the last prompt; now this {call}",
    "spend.velocity": "${count} were spent within five minutes; now this {call}",
    "spend.session": "this session has cost ${count}; now this {call}",
    "spend.day": "${count} were spent in this project today; now this {call}",
    "spend.machine_day": "${count} were spent on this machine today; now this {call}",
    "storm.subagents_per_prompt": "{count} subagents were started since the last prompt; now this {call}",
    "storm.subagents_per_minute": "{count} subagents were started within a minute; now this {call}",
    "storm.nested_subagents": "subagents have started {count} subagents of their own; now this {call}",
    "storm.web_calls_per_prompt": "{count} web calls were made since the last prompt; now this {call}",
    "tamper": "this {call} would change the guard or its settings",
}
QUESTIONS = {
    "loop": "Let it run once more?",
    "continuation": "Go on? Yes allows as many again.",
    "spend": "Go on? Yes doubles this limit.",
}
FOR_AGENT = {
    "loop": (
        "Repeating it will not change anything. Read the earlier results, try something different, "
        "or say what blocks you and stop."
    ),
    "failure": "Look at why they failed before trying again, or say what blocks you and stop.",
    "continuation": "Nobody has asked for more turns: say what is done and what is left, and stop.",
    "spend": "No more may be spent: say what is done and what is left, and stop.",
    "storm": "Go on with what you have, without starting more, and finish.",
    "tamper": "Only a person may do that, in a terminal of their own.",
}
STOPPED = (
    "A person has stopped this work with `runaway stop`: no call runs until they say `runaway start`. "
    "End your turn now."
)
HOW_TO_GO_ON = "See `runaway why`; lift it with `runaway resume`."
HOW_TO_SPEND_ON = "See `runaway why`; go on with `runaway resume --for 30m`."
HOW_TO_RAISE = "See `runaway why`; raise the cap with `runaway resume --add DOLLARS`."


def explain(call: Call, verdict: Verdict, level: int) -> str:
    """Return one paragraph for its reader: the person who is asked, or the agent that is denied."""
    by = f"{verdict.rule}, limit from {verdict.source}" if verdict.source else verdict.rule
    if verdict.subject == TURN_ENDED:
        what = f"This turn should have ended ({by}): no call runs in it any more"
        return f"{MARKER} {what}. Say what blocks you. {how_to_go_on(verdict.rule)}"
    if verdict.rule == PERSON_STOP:
        return f"{MARKER} {STOPPED}"
    family = verdict.rule.partition(".")[0]
    opening = f"{MARKER} {what_happened(call, verdict)}."
    if level == ASK:
        return f"{opening} {QUESTIONS.get(family, 'Let it run?')} ({by})"
    if level == STOP:
        return f"{opening} The turn ends here ({by}). {how_to_go_on(verdict.rule)}"
    if level == DENY:
        advice = how_to_go_on(verdict.rule) if call.stage == ON_PROMPT else FOR_AGENT[family]
        return f"{opening} It was held back ({by}). {advice}"
    return f"{opening} ({by})"


def what_happened(call: Call, verdict: Verdict) -> str:
    """Name the rule and its count, and the call if this is about one."""
    form = ".2f" if verdict.rule.startswith("spend.") else "g"
    what = WHAT[verdict.rule].format(call=word_for(call), count=format(verdict.count, form))
    return f"{what}: {short_arguments(call)}" if call.tool else what


def word_for(call: Call) -> str:
    return f"{call.tool} call" if call.tool else "prompt" if call.stage == ON_PROMPT else "call"


def how_to_go_on(rule: str) -> str:
    if rule == "spend.session":
        return HOW_TO_RAISE
    return HOW_TO_SPEND_ON if rule.startswith("spend.") else HOW_TO_GO_ON


def short_arguments(call: Call) -> str:
    """Return the arguments in one short line, with anything that looks like a secret masked."""
    return "`" + short(call.arguments) + "`"


def short(arguments: object, length: int = SHORT) -> str:
    """Return at most `length` characters of the command, or of the arguments as JSON, masked."""
    command = arguments.get("command") if isinstance(arguments, dict) else None
    shown = masked(beginning(command)) if isinstance(command, str) else _dumped(arguments)
    line = " ".join(shown.split())
    return line if len(line) <= length else line[: length - 1] + "…"


def _dumped(arguments: object) -> str:
    try:
        return dumps(masked_value(arguments))
    except RecursionError:
        return "(nested too deep)"
