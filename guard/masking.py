"""What must not be shown of a text: one masker for messages, logs, diffs and reports.

Three rules, and what any of them finds is masked: what a secret looks like (secret_shapes), what a
telling name has as its value (secret_names), and where commands and addresses carry passwords. Better
too much than too little: a hidden word costs a look at the file, a shown one costs the key.
"""

from __future__ import annotations

from .secret_names import (
    CARRIERS,
    HINTS,
    NO,
    READERS,
    SAYERS,
    SETTERS,
    YES,
    hidden_arguments,
    is_value,
    telling,
)
from .secret_shapes import runs, shapes, words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

    Span = tuple[int, int]

MASK = "***"
NESTED = 20  # levels of an argument that are looked at
VALUES = 50  # strings, numbers and containers of an argument that are looked at
READ = 2000  # characters of a text of which only the beginning is shown
CUTS = " \t\r\n,;&|"  # where a text can be cut without leaving a part of a secret
NAME = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.")
NOT_NAME = {code: " " for code in range(128) if chr(code) not in NAME}
NOT_CARRIER = {ord(character): " " for character in "\"'`/;|&()<"}
FOLDERS = ("pwd", "oldpwd")  # a password, but where a path follows
QUOTES = "\"'`"
ENDS = " \t\r\n;&|<>)\"'`"  # of a value without quotes
LOOSE_ENDS = ENDS + ",}]"  # of one behind a colon
SCHEMES = ("basic", "bearer", "digest", "negotiate", "apikey", "token")
USERS = frozenset(
    words(
        """
    git hg svn root user admin me oauth2 anonymous x-access-token
    """
    )
)
ADDRESS = 400  # characters of an address in which a password can stand
OPERATORS = ";|&()\n"


def masked(text: str) -> str:
    """The text with every secret masked; line ends stay."""
    return mask(text, spans(text))


def mask(text: str, hidden: Iterable[Span]) -> str:
    """The text with these spans (sorted, apart) masked."""
    shown, at = [], 0
    for start, end in hidden:
        shown += [text[at:start], MASK]
        at = end
    return "".join(shown) + text[at:]


def beginning(text: str) -> str:
    """As much as one line needs; a word that would be cut in two is left out, it might be a secret."""
    if len(text) <= READ:
        return text
    text = text[:READ]
    return text[: max(text.rfind(cut) for cut in CUTS) + 1] + "…"


def masked_value(value: Any) -> Any:
    """The same for arguments of which only the beginning is shown: the rest of a large value is cut."""
    return _masked_value(value, "", NESTED, [VALUES])


def _masked_value(value: Any, name: str, levels: int, left: list[int]) -> Any:
    """Below a telling name every string and number is a secret; `left` counts down over the tree."""
    left[0] -= 1
    if left[0] < 0 or not levels:
        return "…"
    if isinstance(value, dict):
        return {
            masked(beginning(key)): _masked_value(
                value[key], key if telling(key) == YES else name, levels - 1, left
            )
            for key in sorted(value)[:VALUES]
        }
    if isinstance(value, list):
        return _masked_list(value[:VALUES], name, levels, left)
    sure = telling(name) if name else 0
    if isinstance(value, str):
        return MASK if sure and is_value(value, sure) else masked(beginning(value))
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return MASK if number and sure == YES else value


def _masked_list(value: list[Any], name: str, levels: int, left: list[int]) -> list[Any]:
    shown = [_masked_value(item, name, levels - 1, left) for item in value]
    words = [item if isinstance(item, str) else "" for item in value]
    for index, start in hidden_arguments(words):
        shown[index] = words[index][:start] + MASK
    return shown


def spans(text: str) -> list[Span]:
    """Sorted, merged spans (start, end) of what must not be shown; none holds a line end."""
    found = [*shapes(text), *_addresses(text), *_named(text), *_commands(text)]
    return merged(line for span in found for line in by_line(text, *span))


def merged(found: Iterable[Span]) -> list[Span]:
    result: list[Span] = []
    for start, end in sorted(found):
        if result and start <= result[-1][1]:
            result[-1] = (result[-1][0], max(end, result[-1][1]))
        elif start < end:
            result.append((start, end))
    return result


def by_line(text: str, start: int, end: int) -> Iterator[Span]:
    """The parts of a span on each line, without blanks around."""
    while start < end:
        stop = text.find("\n", start, end)
        stop = stop if stop >= 0 else end
        part = text[start:stop]
        left = start + len(part) - len(part.lstrip())
        right = stop - len(part) + len(part.rstrip())
        if left < right:
            yield left, right
        start = stop + 1


def _addresses(text: str) -> Iterator[Span]:
    """Who logs in before the host of an address: the password, or all of it."""
    at = text.find("://")
    while at >= 0:
        start = at + 3
        part = text[start : start + ADDRESS]
        word = "" if part[:1] <= " " else part.split(None, 1)[0]
        for quote in "\"'`<>":
            word = word.partition(quote)[0]
        end = start + len(word)
        yield from _login(text, start, end)
        at = text.find("://", start)


def _login(text: str, start: int, end: int) -> Iterator[Span]:
    host = min([at for at in (text.find(c, start, end) for c in "/?#") if at >= 0], default=end)
    at = text.rfind("@", start, host)
    colon = text.find(":", start, at if at >= 0 else host)
    if at < 0 and colon >= 0 and not text[colon + 1 : host].rstrip("\\,;)]").isdigit():
        at = text.rfind("@", start, end)  # a slash in the password
    if at < 0 and colon >= 0 and host == end == len(text):
        at = end  # cut off
    if at < 0:
        return
    user = text[start : colon if 0 <= colon < at else at]
    if 0 <= colon < at and (user in USERS or (user.isalpha() and len(user) <= 12)):
        yield colon + 1, at
        if text[colon + 1 : at] == "x-oauth-basic":
            yield start, at
    elif user not in USERS:
        yield start, at


def _named(text: str) -> Iterator[Span]:
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
    start = _skip(text, end, " \t")
    stop = _unquoted(text, start, start, ENDS)
    value = text[start:stop]
    odd = len(value) >= 16 or any(c.isdigit() for c in value) or value.endswith("=")
    if start > end and odd and is_value(value, YES):
        yield start, stop


def _value_of(text: str, start: int, end: int, sure: int, told: bool) -> Iterator[Span]:
    quoted = _skip(text, end, "\\\"'`]")
    blanks = " \t\r\n" if quoted > end else " \t"
    at = _skip(text, quoted, blanks)
    separator = _separator(text, at)
    if separator:
        # A quote right behind `"name:` is the one that closes it.
        behind = at + len(separator)
        value = _skip(text, behind, blanks)
        if text[start:end].lower() in FOLDERS and text[value : value + 1] == "/":
            return
        closing = text[start - 1 : start] in ("'", '"') and value == behind and quoted == end
        if closing and text[value : value + 1] == text[start - 1]:
            return
        yield from _value(text, value, start, sure, separator, value > behind)
    elif text[start] == "-" or told or _is_sql(text, start, end, quoted, at):
        if quoted > end or text[at : at + 1] == ",":
            at = _skip(text, at, ", \t\r\n")
        at = _skip(text, at, " \t\\\n") if text[at : at + 2] == "\\\n" else at
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
    opening = _opening(text, at)
    if opening:
        start = at + len(opening)
        end, after = _quoted(text, start, opening.lstrip("bBfFrRuU$@"))
        if is_value(text[start:end], sure) or "\n" in text[start:end]:
            yield start, max(end, after)
        return
    end = _unquoted(text, at, name, LOOSE_ENDS if separator == ":" else ENDS)
    if separator == ":":
        end = _header_end(text, name, at, end, sure)
    value = text[at:end]
    if spaced and separator != ":" and _is_code(value):
        return
    if is_value(value, sure):
        yield at, end
    if separator == ":" and text[_skip(text, end, " \t") :][:1] == "=":  # `token: str = "x"`
        equals = _skip(text, end, " \t")
        yield from _value(text, _skip(text, equals + 1, " \t"), name, sure, "=", True)


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
        return _unquoted(text, _skip(text, end, " \t"), name, ENDS) if scheme else end
    found = [close for close in (text.find(c, at, line) for c in "\"'`") if close >= 0]
    inside = [close for close in found if text.count(text[close], 0, name) % 2]
    return min(inside, default=line)


def _opening(text: str, at: int) -> str:
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


def _quoted(text: str, start: int, delimiter: str) -> tuple[int, int]:
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


def _unquoted(text: str, at: int, name: int, ends: str) -> int:
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


def _skip(text: str, at: int, characters: str) -> int:
    while at < len(text) and text[at] in characters:
        at += 1
    return at


def _commands(text: str) -> Iterator[Span]:
    """Options of known programs, what is piped into them, and here-documents."""
    if not CARRIERS.intersection(text.translate(NOT_CARRIER).split()):
        return
    for command, piped in _pipelines(text):
        words = [text[start:end] for start, end in command]
        for index, offset in hidden_arguments(words):
            start, end = command[index]
            yield _inside_quotes(text, start + offset, end)
        if piped and words[:1] and words[0] in SAYERS:
            yield from (at for at in command[1:] if _is_said(text, *at))
        yield from _here_strings(command, words)
    yield from _here_documents(text)


def _is_said(text: str, start: int, end: int) -> bool:
    """Neither an option of echo nor a format of printf."""
    return text[start] != "-" and "%" not in text[start:end]


def _here_strings(command: list[Span], words: list[str]) -> Iterator[Span]:
    if not reads_secret(words):
        return
    for index, word in enumerate(words):
        if word.startswith("<<<"):
            start, end = command[index]
            yield from [(start + 3, end)] if len(word) > 3 else command[index + 1 : index + 2]


def _inside_quotes(text: str, start: int, end: int) -> Span:
    """Without the quotes around it."""
    start += text[start] in QUOTES and end - start > 1
    return start, end - (text[end - 1] in QUOTES and end - start > 1)


def reads_secret(words: list[str]) -> bool:
    """Does this command read a secret from its input?"""
    joined = " ".join(words)
    return (
        "-stdin" in joined
        or "--with-token" in words
        or ("sudo" in words and any(word[:2] == "-S" for word in words))
        or bool(READERS.intersection(words))
    )


def _pipelines(text: str) -> Iterator[tuple[list[Span], bool]]:
    """Each simple command as spans of its words, and whether its output is read as a secret."""
    commands: list[tuple[list[Span], str]] = []
    words: list[Span] = []
    at = 0
    while at <= len(text):
        at = _skip(text, at, " \t\r")
        if at >= len(text) or text[at] in OPERATORS:
            commands.append((words, text[at : at + 1]))
            words = []
            at += 1
            continue
        end = _shell_word(text, at)
        words.append((at, end))
        at = end
    for index, (command, operator) in enumerate(commands):
        following = commands[index + 1][0] if operator == "|" else []
        yield command, bool(following) and reads_secret([text[a:b] for a, b in following])


def _shell_word(text: str, at: int) -> int:
    quote = ""
    while at < len(text):
        character = text[at]
        if character == "\\" and quote != "'":
            at += 1
        elif quote:
            quote = "" if character == quote else quote
        elif character in "\"'":
            quote = character
        elif character in OPERATORS or character in " \t\r":
            break
        at += 1
    return min(at, len(text))


def _here_documents(text: str) -> Iterator[Span]:
    at = text.find("<<")
    while at >= 0:
        line = text.find("\n", at)
        words = text[at:].lstrip("<-").split(None, 1)
        first = text[text.rfind("\n", 0, at) + 1 : at].split()
        if line >= 0 and words and text[at : at + 3] != "<<<" and reads_secret(first):
            end = text.find("\n" + words[0].strip("\"'\\"), line)
            yield line + 1, end if end >= 0 else len(text)
        at = text.find("<<", at + 3)
