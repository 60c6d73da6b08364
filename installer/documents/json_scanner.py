"""One pass over JSON or JSONC text that finds where everything is, without recursion.

The scan takes comments and trailing commas in its stride and reports them: what a harness makes of
them is for json_rules to say. It stops at the first real error.
"""

from __future__ import annotations

import json
import re

from .nodes import Scan

# A line comment does not swallow U+2028 and U+2029, which some parsers take for line ends.
TOKEN = re.compile(
    r"""[ \t\r\n]*+(?:
      (?P<string>"[^"\\\x00-\x1f]*+(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\x00-\x1f]*+)*")
    | (?P<comma>,)
    | (?P<colon>:)
    | (?P<brace>\{)
    | (?P<unbrace>\})
    | (?P<bracket>\[)
    | (?P<unbracket>\])
    | (?P<scalar>(?:true|false|null|-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?)
        (?![\w.+-]))
    | (?P<comment>//[^\r\n\u2028\u2029]*+|/\*.*?\*/)
    | (?P<eof>\Z)
    | (?P<bad>.)
    )""",
    re.VERBOSE | re.DOTALL,
)
# The states are named by what may come next, in the words of the error message.
TOP, VALUE, END = "a value", "the member's value", "the end of the file"
KEY, NEXT_KEY, COLON, AFTER_MEMBER = "a key or }", "another key", "a colon", "a comma or }"
ITEM, NEXT_ITEM, AFTER_ITEM = "an item or ]", "another item", "a comma or ]"
VALUES = ("string", "scalar", "brace", "bracket")
BACK = "the state behind the container"
# state -> token -> the state behind it, for an opening bracket the state behind its closing one.
GRAMMAR: dict[str, dict[str, str]] = {
    TOP: dict.fromkeys(VALUES, END),
    KEY: {"string": COLON, "unbrace": BACK},
    NEXT_KEY: {"string": COLON, "unbrace": BACK},
    COLON: {"colon": VALUE},
    VALUE: dict.fromkeys(VALUES, AFTER_MEMBER),
    AFTER_MEMBER: {"comma": NEXT_KEY, "unbrace": BACK},
    ITEM: {**dict.fromkeys(VALUES, AFTER_ITEM), "unbracket": BACK},
    NEXT_ITEM: {**dict.fromkeys(VALUES, AFTER_ITEM), "unbracket": BACK},
    AFTER_ITEM: {"comma": NEXT_ITEM, "unbracket": BACK},
    END: {},
}
INSIDE = {"brace": KEY, "bracket": ITEM}
BAD = {
    '"': "a string that is not closed, holds a control character or a wrong escape",
    "'": "a single quote (only double quotes count)",
    "\0": "a NUL byte (an interrupted write leaves them)",
    "/*": "a comment that is not closed",
    "<<<<<<<": "a merge conflict marker",
    "=======": "a merge conflict marker",
    ">>>>>>>": "a merge conflict marker",
}
# A longer word without quotes may be a secret, and errors are shown and logged.
KNOWN, SAFE = ("None", "True", "False", "undefined", "Infinity", "-Infinity"), 4  # characters
WORD = re.compile(r"[\w.+-]{1,40}")


def scan(text: str) -> Scan:
    """Scan to the end or the first error; a blank text gives no tokens and no error."""
    result = Scan(text)
    spans, commas = result.spans, result.commas
    opened: list[tuple[int, str]] = []
    state = TOP
    for found in TOKEN.finditer(text):
        kind = found.lastgroup or ""
        following = GRAMMAR[state].get(kind)
        if kind == "comment":
            result.comments.append(found.span(kind))
        elif following is None:
            result.error = _error(text, state, found)
            break
        elif kind == "comma":
            commas[len(spans) - 1] = found.start(kind)
        elif kind != "colon":
            if kind in INSIDE:
                opened.append((len(spans), following))
                following = INSIDE[kind]
            elif following is BACK:
                first, following = opened.pop()
                result.closes[first] = len(spans)
            spans.append(found.span(kind))
        state = following or state
    tokens = [text[start:end] for start, end in spans]
    result.tokens = [_decoded(token) if "\\" in token else token for token in tokens]
    return result


def _decoded(string: str) -> str:
    return f'"{json.loads(string)}"'


def _error(text: str, state: str, found: re.Match[str]) -> tuple[int, str] | None:
    kind = found.lastgroup or ""
    start = found.start(kind)
    if kind != "eof":
        return start, _explain(text, start, state)
    if state == END or not text.strip(" \t\r\n"):
        return None
    return start, f"the file ends where {state} should follow"


def _explain(text: str, offset: int, expected: str) -> str:
    """What stands at the offset instead of what was expected."""
    well_formed = TOKEN.match(text, offset)
    if not well_formed or well_formed.lastgroup == "bad":
        for length in (7, 2, 1):
            if (what := BAD.get(text[offset : offset + length])) is not None:
                return what
    word = WORD.match(text, offset)
    shown = word.group() if word else text[offset]
    if len(shown) > SAFE and shown not in KNOWN:
        shown = shown[0] + "..."
    return f"{shown!a} instead of {expected}"
