"""Commands of a shell: does one of them write where the guard lives, or speak to it?

Commands that are known to write are looked at, by the words that are their targets; what is not known
to write only reads, as far as this can tell.
"""

from __future__ import annotations

from ..system import variable
from . import edits
from .arguments import bare, braces, options, plain, without_options
from .places import ABOVE, ELSEWHERE, FILE, OWN, folder_of, glob
from .programs import OURS, code_tampers, inner_text, silences
from .shell import Command, Splitter
from .writers import (
    EVERY,
    IN_PLACE,
    INTO,
    ITSELF,
    LAST,
    LEAVING,
    LOCKING,
    UNPACKING,
    destinations,
    extracts,
    git_destroys,
    is_in_place,
    opens,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from .places import Places

DEEPEST = 6  # texts within texts: `sh -c "eval '...'"`
MAX_TEXTS = 50
MAX_PLACES = 300  # words of a call that are looked up on the disk
NOWHERE = "/nowhere"
FINDS = ("-exec", "-execdir", "-ok", "-okdir")


class Look:
    """At the commands of one call, in their order; `cwd` follows `cd`."""

    def __init__(self, places: Places, cwd: str, text: str) -> None:
        self.places = places
        self.cwd = cwd
        self.speaks = "runaway" in text or any(switch in text for switch in places.facts.words)
        self.left = MAX_PLACES
        self.pending = [(text, 0)]

    def tampers(self) -> bool:
        for text, depth in self.pending:
            splitter = Splitter(text, self.variable)
            for command in splitter.split():
                if self.redirects(command) or self.runs(command, splitter.variables, depth):
                    return True
        return False

    def variable(self, name: str) -> str | None:
        if name == "HOME":
            return self.places.home
        return self.cwd if name == "PWD" else variable(name)

    def runs(self, command: Command, variables: dict[str, str], depth: int) -> bool:
        """A simple command, with what stands before it taken away."""
        words, assigned, adds = bare(command.words)
        words = words + self.fed(command) if adds else words
        if not words:
            return False
        name, arguments = words[0].rpartition("/")[2], words[1:]
        if name in ("cd", "pushd"):
            self.cwd = self.at((plain(arguments) or ["~"])[0])
            return False
        text = inner_text(name, arguments, command)
        if text and depth < DEEPEST and len(self.pending) < MAX_TEXTS:
            self.pending.append((text, depth + 1))
        named = {**variables, **dict(one.split("=", 1) for one in assigned)}
        return (
            silences(name, arguments, named, self.places)
            or code_tampers(name, arguments, command, self.places, self.cwd)
            or self.changes(name, arguments, command)
        )

    def changes(self, name: str, arguments: list[str], command: Command) -> bool:
        if name in ("apply_patch", "applypatch"):
            patch = "".join(arguments[:1]) or command.body
            return edits.tampers(edits.changes("", patch), self.places, self.cwd)
        if name == "git":
            return self.git(arguments)
        if name == "find":
            return self.finds(arguments)
        return self.writes(name.lower(), arguments, command)

    # -- paths

    def at(self, word: str, *, itself: bool = False) -> str:
        """Where a word leads; nowhere when there were too many."""
        self.left -= 1
        return self.places.at(word, self.cwd, itself=itself) if self.left > 0 else NOWHERE

    def hit(self, word: str, *, itself: bool = False) -> str:
        """The worst of what a word names."""
        found = ELSEWHERE
        for one in braces(word) if "{" in word else (word,):
            kind = self.places.hit(self.at(one, itself=itself)) if one else ELSEWHERE
            found = kind if kind in (OWN, FILE) or not found else found
        return found

    def is_guarded(self, word: str) -> bool:
        """Also a project's settings, where the call speaks of a switch."""
        if self.hit(word) in (OWN, FILE):
            return True
        return self.speaks and self.places.is_settings(self.at(word))

    def redirects(self, command: Command) -> bool:
        return any(map(self.is_guarded, command.targets)) or any(
            self.starts_silenced(target, command) for target in command.targets
        )

    def fed(self, command: Command) -> list[str]:
        """What `xargs` is given, as far as it is plain."""
        source = command.fed.words if command.fed else []
        if source[:1] == ["find"]:
            return list(self.found(source[1:]))
        printed = source[2:] if source[:1] == ["printf"] else source[1:]
        return [part for word in (*printed, command.body) for part in word.split()]

    # -- commands that write

    def writes(self, name: str, arguments: list[str], command: Command) -> bool:
        paths = plain(arguments)
        if name in LAST and paths and self.replaces(destinations(paths)):
            return True
        if name in EVERY or (name in IN_PLACE and is_in_place(name, arguments)):
            named = paths[:-1] if name in LAST else paths
            if self.takes_any(name, named, command) and not opens(name, arguments):
                return True
        into = options(arguments, INTO.get(name, ()))
        targets = [one for place in into for one in destinations([*paths, place])]
        return any(map(self.is_guarded, targets)) or self.unpacks(name, arguments)

    def replaces(self, targets: list[str]) -> bool:
        """One of them is guarded; or, put into a folder, takes the place of one with settings."""
        folders = (self.places.keeps_settings(self.at(one)) for one in targets[1:])
        return any(map(self.is_guarded, targets)) or any(folders)

    def takes_any(self, name: str, paths: list[str], command: Command) -> bool:
        above = name in LEAVING or any(word in LOCKING for word in command.words)
        return any(
            self.starts_silenced(word, command) or self.takes(word, above, itself=name in ITSELF)
            for word in paths
        )

    def starts_silenced(self, word: str, command: Command) -> bool:
        said = [*command.words, command.body, *(command.fed.words if command.fed else ())]
        return self.places.facts.sets(word, "\n".join(said))

    def takes(self, word: str, above: bool, *, itself: bool) -> bool:
        kind = self.hit(word, itself=itself)
        return (
            kind in (OWN, FILE)
            or (kind == ABOVE and above)
            or (not itself and self.is_guarded(word))
        )

    def unpacks(self, name: str, arguments: list[str]) -> bool:
        folders = options(arguments, UNPACKING.get(name, ()))
        if name not in UNPACKING or not extracts(name, arguments):
            return False
        into = any(self.places.keeps_settings(self.at(one)) for one in folders)
        return into or any(map(self.is_guarded, plain(arguments)))

    def git(self, arguments: list[str]) -> bool:
        cwd = self.cwd
        for folder in options(arguments, ("-C",))[:1]:
            self.cwd = self.at(folder)
        words = without_options(arguments, ("-C", "-c", "--git-dir", "--work-tree"))
        found = bool(words) and git_destroys(words[0], words[1:]) and self.git_takes(words[1:])
        self.cwd = cwd
        return found

    def git_takes(self, words: list[str]) -> bool:
        """One of the words, or without a path everything there."""
        if any(self.hit(word) in (OWN, FILE) for word in plain(words)):
            return True
        return "--" not in words[:-1] and self.places.keeps_settings(self.at("."))

    # -- find

    def finds(self, arguments: list[str]) -> bool:
        action = next((index for index, word in enumerate(arguments) if word in FINDS), None)
        if action is None:
            return "-delete" in arguments and any(True for _ in self.found(arguments))
        words = arguments[action + 1 :]
        if words[:1] == ["{}"]:
            names = options(arguments, ("-name",))
            return any(
                name in OURS and silences(name, words[1:], {}, self.places) for name in names
            )
        return any(self.runs(filled(words, path), {}, DEEPEST) for path in self.found(arguments))

    def found(self, arguments: list[str]) -> Iterator[str]:
        """What is guarded and such a search comes upon."""
        if "-empty" in arguments:
            return
        tests = next((i for i, word in enumerate(arguments) if word[:1] in "-(!"), len(arguments))
        names = options(arguments, ("-name", "-iname"))
        patterns = options(arguments, ("-path", "-wholename", "-ipath"))
        for word in arguments[:tests] or ["."]:
            root = self.at(word)
            for path in self.places.below(root):
                for step in steps(path, root):
                    named = all(glob(name, step.rpartition("/")[2]) for name in names)
                    if named and all(glob(pattern, step) for pattern in patterns):
                        yield step


def filled(words: list[str], path: str) -> Command:
    command = Command()
    command.words = [word.replace("{}", path) for word in words if word not in (";", "+")]
    return command


def steps(path: str, root: str) -> Iterator[str]:
    """A path and the folders above it, as far as they lie in `root`."""
    while path == root or path.startswith(root.rstrip("/") + "/"):
        yield path
        if path == root:
            return
        path = folder_of(path)
