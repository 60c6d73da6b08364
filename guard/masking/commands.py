"""Commands that carry secrets: options of known programs, what is piped into them, here-documents."""

from __future__ import annotations

from .arguments import LOGINS, STORES, TOOLS, hidden_arguments
from .scan import QUOTES, skip

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    Span = tuple[int, int]

NOT_CARRIER = {ord(character): " " for character in "\"'`/;|&()<"}
OPERATORS = ";|&()\n"
READERS = frozenset(["passwd", "chpasswd", "secret", "secrets", "login", "cryptsetup"])
# Without one of these words no command carries a secret outside a telling name's value.
CARRIERS = frozenset((*READERS, *LOGINS, *STORES, *TOOLS, "-H", "--header", "sudo")) | {
    "--password-stdin",
    "--with-token",
    "--api-key-stdin",
    "-stdin",
}
SAYERS = ("echo", "printf")


def commands(text: str) -> Iterator[Span]:
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
        at = skip(text, at, " \t\r")
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
