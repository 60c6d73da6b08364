"""A shell's text as simple commands: one pass over the letters, in time linear in their number."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

MAX_TEXT_CHARACTERS = 1 << 16  # letters of a command that are looked at
MAX_COMMANDS = 400  # commands in it
DEEPEST = 64  # of `$(` and the like within each other
NAMED = 256  # letters within which a `${...}` must end
BLANKS = " \t\r"
ECHOING = (
    *("which", "command", "type", "echo", "printf", "readlink", "realpath", "pgrep", "ls"),
    "cat",
)
SETTING = ("export", "declare", "typeset", "local", "readonly")
IN_A_WORD = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789"


class Command:
    """Words and files that output goes to; `body` comes on its input, or else what `fed` prints."""

    __slots__ = ("body", "fed", "targets", "words")

    def __init__(self, fed: Command | None = None) -> None:
        self.words: list[str] = []
        self.targets: list[str] = []
        self.body = ""
        self.fed = fed


class Splitter:
    """Where the pass stands: `open` holds what waits for the end of each `$(`, back quote and `(`."""

    def __init__(self, text: str, variables: Callable[[str], str | None]) -> None:
        self.text = text[:MAX_TEXT_CHARACTERS]
        self.place = 0
        self.left = MAX_TEXT_CHARACTERS  # letters that variables and substitutions may still bring
        self.outside = variables
        self.variables: dict[str, str] = {}
        self.found: list[Command] = []
        self.command = Command()
        self.word: list[str] | None = None
        self.quoted = False
        self.expected = ""  # what the next word is for, where it is no argument
        self.open: list[tuple[str, Command, list[str] | None, bool, str]] = []
        self.bodies: list[tuple[Command, str]] = []

    def split(self) -> list[Command]:
        while self.place < len(self.text) and self.is_bounded():
            letter = self.text[self.place]
            self.place += 1
            step = (QUOTED if self.quoted else UNQUOTED).get(letter)
            if step:
                step(self, letter)
            else:
                self.add(letter)
        while self.open:
            self.close()
        self.end()
        return self.found

    def is_bounded(self) -> bool:
        return len(self.found) < MAX_COMMANDS and len(self.open) < DEEPEST

    def ahead(self, text: str) -> bool:
        return self.text.startswith(text, self.place)

    def add(self, text: str) -> None:
        if self.word is None:
            self.word = []
        self.word.append(text)

    def end_word(self, _letter: str = "") -> None:
        if self.word is None:
            return
        word, expected = "".join(self.word), self.expected
        self.word, self.expected = None, ""
        if expected == ">":
            self.command.targets.append(word)
        elif expected == "<<":
            self.bodies.append((self.command, word))
        elif expected == "<<<":
            self.command.body = word
        elif expected != "<":
            self.command.words.append(word)

    def end(self, _letter: str = "", fed: Command | None = None) -> None:
        """Of a simple command; assignments on their own hold for what follows."""
        self.end_word()
        self.expected = ""
        command = self.command
        if command.words or command.targets:
            self.found.append(command)
            self.assign(command.words)
        self.command = Command(fed)

    def assign(self, words: list[str]) -> None:
        if words and words[0] in SETTING:
            words = [word for word in words[1:] if word[:1] != "-"]
        if words[:1] == ["for"] and words[2:3] == ["in"]:
            self.variables[words[1]] = " ".join(words[3:])
        elif all(map(is_assignment, words)):
            for word in words:
                name, _, value = word.partition("=")
                self.variables[name] = value

    # -- what a letter does

    def line(self, _letter: str) -> None:
        self.end()
        for command, delimiter in self.bodies:
            first = self.place
            command.body = self.text[first : self.last_of(delimiter)]
        self.bodies = []

    def last_of(self, delimiter: str) -> int:
        """Where the here-document ends; the pass goes on behind its last line."""
        while self.place < len(self.text):
            last = self.place
            after = self.text.find("\n", last)
            self.place = len(self.text) if after < 0 else after + 1
            line = self.text[last : self.place].rstrip("\r\n")
            if (line.lstrip("\t") if delimiter[:1] == "-" else line) == delimiter.lstrip("-"):
                return last
        return len(self.text)

    def pipe(self, _letter: str) -> None:
        if self.ahead("|"):
            self.place += 1
            self.end()
        else:
            self.place += self.ahead("&")
            self.end_word()
            self.end(fed=self.command)

    def ampersand(self, _letter: str) -> None:
        if not self.ahead(">"):
            self.end()

    def comment(self, letter: str) -> None:
        if self.word is not None:
            self.add(letter)
            return
        after = self.text.find("\n", self.place)
        self.place = len(self.text) if after < 0 else after

    def escape(self, letter: str) -> None:
        following = self.text[self.place : self.place + 1]
        self.place += 1
        if self.quoted and following not in ('"', "\\", "$", "`", "\n"):
            self.add(letter + following)
        elif following != "\n":
            self.add(following)

    def literal(self, _letter: str) -> None:
        after = self.text.find("'", self.place)
        last = len(self.text) if after < 0 else after
        self.add(self.text[self.place : last])
        self.place = last + 1

    def quote(self, _letter: str) -> None:
        self.add("")
        self.quoted = not self.quoted

    def dollar(self, letter: str) -> None:
        following = self.text[self.place : self.place + 1]
        if following == "(":
            self.place += 1
            self.nest("$(")
        elif following == "{":
            self.braced()
        elif following in IN_A_WORD and following:
            first = self.place
            while self.text[self.place : self.place + 1] in IN_A_WORD and self.place < len(
                self.text
            ):
                self.place += 1
            self.value(self.text[first : self.place])
        elif following not in ("'", '"') or self.quoted:
            self.add(letter)

    def braced(self) -> None:
        last = self.text.find("}", self.place, self.place + NAMED)
        if last < 0:
            self.add("$")
            return
        name, _, default = self.text[self.place + 1 : last].partition(":-")
        self.place = last + 1
        self.value(name, default)

    def value(self, name: str, default: str = "") -> None:
        """Unquoted, blanks in a value end words; what is not known stays as it is written."""
        found = self.variables.get(name)
        found = self.outside(name) if found is None else found
        if found is None:
            home = self.outside("HOME") or ""
            found = default.replace("${HOME", "$HOME").replace("$HOME", home) or f"${name}"
        self.insert(found)

    def insert(self, value: str) -> None:
        value = value[: self.left]
        self.left -= len(value)
        if self.quoted or " " not in value:
            self.add(value)
            return
        for number, part in enumerate(value.split()):
            if number:
                self.end_word()
            self.add(part)

    def back_quote(self, _letter: str) -> None:
        if any(kind == "`" for kind, *_ in self.open[-1:]):
            self.close()
        else:
            self.nest("`")

    def nest(self, kind: str) -> None:
        self.open.append((kind, self.command, self.word, self.quoted, self.expected))
        self.command, self.word, self.quoted, self.expected = Command(), None, False, ""

    def parenthesis(self, _letter: str) -> None:
        self.end()
        self.open.append(("(", Command(), None, False, ""))

    def close(self, _letter: str = "") -> None:
        """The end of the innermost; of a substitution, a word goes on with what it prints."""
        self.end_word()
        last = self.command if self.command.words or not self.found else self.found[-1]
        self.end()
        if not self.open:
            return
        kind, command, word, quoted, expected = self.open.pop()
        if kind == "(":
            return
        self.command, self.word, self.quoted, self.expected = command, word, quoted, expected
        if kind != "<":
            self.add("")
            self.insert(printed(last))

    def output(self, _letter: str) -> None:
        """`>`, `>>`, `>|`, `>&`, with the number of a descriptor before it or behind `&`."""
        if self.word is not None and "".join(self.word).isdigit():
            self.word = None
        self.end_word()
        while self.ahead(">") or self.ahead("|"):
            self.place += 1
        if self.ahead("("):
            self.place += 1
            self.nest("<")
        elif self.ahead("&"):
            self.place += 1
            digit = self.text[self.place : self.place + 1]
            self.expected = "<" if digit.isdigit() or digit == "-" else ">"
        else:
            self.expected = ">"

    def input(self, _letter: str) -> None:
        if self.word is not None and "".join(self.word).isdigit():
            self.word = None
        self.end_word()
        if self.ahead("("):
            self.place += 1
            self.nest("<")
            return
        self.expected = "<"
        while self.ahead("<") and len(self.expected) < 3:
            self.place += 1
            self.expected += "<"
        if self.expected == "<" and self.ahead(">"):
            self.place += 1
            self.expected = ">"


def is_assignment(word: str) -> bool:
    name, sign, _ = word.partition("=")
    return bool(sign) and name.rstrip("+").isidentifier()


def printed(command: Command) -> str:
    """What a substitution would print, where that is plain from its words."""
    words = command.words
    if words and words[0] == "cat" and command.body:
        return command.body
    named = [word for word in words[1:] if word[:1] != "-"]
    return " ".join(named) if words and words[0] in ECHOING else ""


UNQUOTED: dict[str, Any] = {
    **dict.fromkeys(BLANKS, Splitter.end_word),
    "\n": Splitter.line,
    ";": Splitter.end,
    "&": Splitter.ampersand,
    "|": Splitter.pipe,
    "#": Splitter.comment,
    "\\": Splitter.escape,
    "'": Splitter.literal,
    '"': Splitter.quote,
    "$": Splitter.dollar,
    "`": Splitter.back_quote,
    "(": Splitter.parenthesis,
    ")": Splitter.close,
    ">": Splitter.output,
    "<": Splitter.input,
}
QUOTED: dict[str, Any] = {
    "\\": Splitter.escape,
    '"': Splitter.quote,
    "$": Splitter.dollar,
    "`": Splitter.back_quote,
}
