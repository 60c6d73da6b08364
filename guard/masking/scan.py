"""Where a value begins and ends: quotes, escapes, blanks."""

from __future__ import annotations

QUOTES = "\"'`"
ENDS = " \t\r\n;&|<>)\"'`"  # of a value without quotes
LOOSE_ENDS = ENDS + ",}]"  # of one behind a colon


def opening(text: str, at: int) -> str:
    """The quote that opens there: `'`, `\\"`, `\"\"\"`, `f'`, `$'`; "" without one."""
    start = at
    if text[at : at + 1] in tuple("bBfFrRuU$@"):
        at += 1
    while text[at : at + 1] == "\\":
        at += 1
    quote = text[at : at + 1]
    if not quote or quote not in QUOTES:
        return ""
    at += 3 if text.startswith(quote * 3, at) else 1
    return text[start:at]


def quoted(text: str, start: int, delimiter: str) -> tuple[int, int]:
    """Where the value ends, and where what the shell joins to it does: `'it'\\''s'`, `"a"b`."""
    at = start
    while True:
        end = text.find(delimiter, at)
        if end < 0:
            return len(text), len(text)
        slashes = end - start - len(text[start:end].rstrip("\\"))
        if slashes % 2 and len(delimiter) == 1 and end - slashes >= start:
            at = end + 1
            continue
        after = end + len(delimiter)
        joined = next((j for j in ("\\''", "\"'\"'") if text.startswith(j, after)), "")
        if delimiter == "'" and joined:
            at = after + len(joined)
            continue
        rest = after
        while text[rest : rest + 1].isalnum():
            rest += 1
        return end, rest if rest > after else end


def unquoted(text: str, at: int, name: int, ends: str) -> int:
    """The end of a word; quotes inside it that open there belong to it."""
    end = at
    while end < len(text):
        character = text[end]
        if character == "\\" and end + 1 < len(text):
            if text[end + 1] in QUOTES and text.count(text[end + 1], 0, name) % 2:
                break
            end += 2
        elif character in QUOTES and end > at and text.count(character, 0, end) % 2 == 0:
            close = text.find(character, end + 1)
            if close < 0 or ends is LOOSE_ENDS:
                break
            end = close + 1
        elif character in ends:
            if character == ")" and text.find("(", at, end) >= 0:
                end += 1
                continue
            break
        else:
            end += 1
    return min(end, len(text))


def skip(text: str, at: int, characters: str) -> int:
    while at < len(text) and text[at] in characters:
        at += 1
    return at
