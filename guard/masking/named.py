"""The values of telling names, as options, variables, pairs, headers, and in prose."""

from __future__ import annotations

from .names import HINTS, NO, YES, telling
from .scan import ENDS, LOOSE_ENDS, QUOTES, opening, quoted, skip, unquoted
from .shapes import runs
from .values import is_value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    Span = tuple[int, int]

NAME = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.")
NOT_NAME = {code: " " for code in range(128) if chr(code) not in NAME}
FOLDERS = ("pwd", "oldpwd")  # a password, but where a path follows
SCHEMES = ("basic", "bearer", "digest", "negotiate", "apikey", "token")
SETTERS = frozenset(
    ["set", "setenv", "put", "config", "-x", "-gx", "-ux", "add-authtoken", "authtoken"]
)


def named(text: str) -> Iterator[Span]:
    """The values of telling names, as options, variables, pairs, headers, and in prose."""
    small = text.lower()
    hints = [hint for hint in HINTS if hint in small]
    before, last, done = "", "", 0
    for start, end in runs(text, NOT_NAME) if hints else ():
        if start < done:  # inside a value that is masked
            continue
        name = text[start:end]
        sure = telling(name) if any(hint in small[start:end] for hint in hints) else NO
        if sure:
            told = before in SETTERS or last == "login"
            for span in _value_of(text, start, end, sure, told):
                done = span[1]
                yield span
        elif name.lower() in SCHEMES[:3]:
            yield from _after_scheme(text, end)
        before, last = name.lower(), before


def _after_scheme(text: str, end: int) -> Iterator[Span]:
    """`Bearer X`, `Basic X`, whatever stands before."""
    start = skip(text, end, " \t")
    stop = unquoted(text, start, start, ENDS)
    value = text[start:stop]
    odd = len(value) >= 16 or any(c.isdigit() for c in value) or value.endswith("=")
    if start > end and odd and is_value(value, YES):
        yield start, stop


def _value_of(text: str, start: int, end: int, sure: int, told: bool) -> Iterator[Span]:
    quoted = skip(text, end, "\\\"'`]")
    blanks = " \t\r\n" if quoted > end else " \t"
    at = skip(text, quoted, blanks)
    separator = _separator(text, at)
    if separator:
        # A quote right behind `"name:` is the one that closes it.
        behind = at + len(separator)
        value = skip(text, behind, blanks)
        if text[start:end].lower() in FOLDERS and text[value : value + 1] == "/":
            return
        closing = text[start - 1 : start] in ("'", '"') and value == behind and quoted == end
        if closing and text[value : value + 1] == text[start - 1]:
            return
        yield from _value(text, value, start, sure, separator, value > behind)
    elif text[start] == "-" or told or _is_sql(text, start, end, quoted, at):
        if quoted > end or text[at : at + 1] == ",":
            at = skip(text, at, ", \t\r\n")
        at = skip(text, at, " \t\\\n") if text[at : at + 2] == "\\\n" else at
        if at > end and sure == YES and text[at : at + 2] != "--":
            yield from _value(text, at, start, sure, "", False)


def _is_sql(text: str, start: int, end: int, quoted: int, at: int) -> bool:
    """`PASSWORD 'x'` of a statement."""
    return quoted == end < at and text[at : at + 1] == "'" and text[start:end] == "PASSWORD"


def _separator(text: str, at: int) -> str:
    for separator in ("=>", ":=", "==", "+=", "?=", "!=", "="):
        if text.startswith(separator, at):
            return separator
    return ":" if text[at : at + 1] == ":" and text[at + 1 : at + 2] != ":" else ""


def _value(
    text: str, at: int, name: int, sure: int, separator: str, spaced: bool
) -> Iterator[Span]:
    quote = opening(text, at)
    if quote:
        start = at + len(quote)
        end, after = quoted(text, start, quote.lstrip("bBfFrRuU$@"))
        if is_value(text[start:end], sure) or "\n" in text[start:end]:
            yield start, max(end, after)
        return
    end = unquoted(text, at, name, LOOSE_ENDS if separator == ":" else ENDS)
    if separator == ":":
        end = _header_end(text, name, at, end, sure)
    value = text[at:end]
    if spaced and separator != ":" and _is_code(value):
        return
    if is_value(value, sure):
        yield at, end
    if separator == ":" and text[skip(text, end, " \t") :][:1] == "=":  # `token: str = "x"`
        equals = skip(text, end, " \t")
        yield from _value(text, skip(text, equals + 1, " \t"), name, sure, "=", True)


def _is_code(value: str) -> bool:
    """`get_token()`, `os.environ[`: an expression, not a value."""
    for bracket in "([":
        called, found, _ = value.partition(bracket)
        if found and called.replace(".", "").isidentifier():
            return True
    return False


def _header_end(text: str, name: int, at: int, end: int, sure: int) -> int:
    """The value of `"Name: two words"` ends at the quote, that of `password: two words` with the line."""
    quote = text[name - 1 : name]
    line = text.find("\n", at)
    line = line if line >= 0 else len(text)
    if quote and quote in QUOTES:
        close = text.find(quote, at)
        return close if close >= 0 else len(text)
    if sure != YES or not text[name:at].lower().startswith(
        ("pass", "authorization", "cookie", "set-cookie", "secret", "proxy-auth", "x-")
    ):
        scheme = text[at:end].lower() in SCHEMES
        return unquoted(text, skip(text, end, " \t"), name, ENDS) if scheme else end
    found = [close for close in (text.find(c, at, line) for c in "\"'`") if close >= 0]
    inside = [close for close in found if text.count(text[close], 0, name) % 2]
    return min(inside, default=line)
