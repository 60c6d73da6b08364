"""Paths: what a word of a call names, links and patterns resolved, and whether that is guarded."""

from __future__ import annotations

import sys

from ..system import (
    O_CLOEXEC,
    O_NONBLOCK,
    O_RDONLY,
    close,
    expanded,
    open,
    read,
    readlink,
    variable,
)
from .facts import SHARED, Facts
from .registered import LAUNCHER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..policy import Policy

OWN, FILE, ABOVE, ELSEWHERE = "own", "file", "above", ""
MAX_SETTINGS_BYTES = 1 << 20  # bytes of a settings file
MAX_PATH_CHARACTERS = 4096  # letters of a path
MAX_LINKS = 40
HOMES = ("home", "Users")
PATTERN = "*?["
SYSTEM_PROGRAMS = "/usr/bin"


class Places:
    """What is guarded on this machine: our folders, and files that may hold our entry."""

    __slots__ = ("facts", "files", "folders", "home", "python", "wired")

    def __init__(self, policy: Policy) -> None:
        self.facts = facts = Facts(policy)
        self.home = variable("HOME") or expanded("~")
        both = {*policy.protected, SHARED}
        self.folders = {name for one in both for name in self._spellings(one)}
        self.wired = {name for one in policy.wired for name in self._spellings(one)}
        named = [*facts.files, *(f"{self.home}/{end}" for end in facts.ends)]
        self.files = self.wired.union(name for one in named for name in self._spellings(one))
        self.python = {folder_of(sys.executable), folder_of(real(sys.executable)), SYSTEM_PROGRAMS}

    def _spellings(self, path: str) -> tuple[str, str]:
        """As it is written, and where it leads."""
        plain = self.absolute(path, "/")
        return plain, real(plain)

    def absolute(self, path: str, cwd: str) -> str:
        """From the folder of the call; `~` is the home that the agent's shell sees."""
        if path == "~" or path[:2] == "~/":
            return self.home + path[1:]
        return path if path[:1] == "/" else f"{cwd}/{path}"

    def at(self, word: str, cwd: str, *, itself: bool = False) -> str:
        """Where a word leads; `itself`: a link is what is meant, not what it leads to."""
        path = self.absolute(word[:MAX_PATH_CHARACTERS], cwd)
        if not itself:
            return real(path)
        path = path.rstrip("/")
        return (real(folder_of(path)) + "/" + path.rpartition("/")[2]).replace("//", "/")

    def hit(self, path: str) -> str:
        """What a resolved path is: OWN, a settings FILE, a folder ABOVE one of these, or ELSEWHERE."""
        if any(letter in path for letter in PATTERN):
            return self._hit_by_pattern(path.split("/"))
        if any(is_below(path, folder) for folder in self.folders) or self._is_python(path):
            return OWN
        if path in self.files or (
            self.is_settings(path) and (self._in_a_home(path) or self._holds_ours(path))
        ):
            return FILE
        above = path.rstrip("/") + "/"
        below = any(one.startswith(above) for one in (*self.folders, *self.files))
        return ABOVE if below else ELSEWHERE

    def _is_python(self, path: str) -> bool:
        """The interpreter that runs us."""
        folder, _, name = path.rpartition("/")
        return name[:6] == "python" and folder in self.python

    def _hit_by_pattern(self, parts: list[str]) -> str:
        """`*` and the like can only meet what is known to be there."""
        found = ELSEWHERE
        for known in (*self.folders, *self.files):
            names = known.split("/")
            if not all(map(matches, parts, names)):
                continue
            if len(parts) == len(names) or (known in self.folders and len(parts) > len(names)):
                return OWN if known in self.folders else FILE
            found = ABOVE if len(parts) < len(names) else found
        return found

    def is_settings(self, path: str) -> bool:
        return path in self.files or self.facts.names_settings(path)

    def _in_a_home(self, path: str) -> bool:
        """A person's own file, also where HOME is another one; not that of a project."""
        bases = [path[: -len(end)] for end in self.facts.ends if path.endswith("/" + end)]
        parts = [base.split("/")[1:-1] for base in bases]
        return any(one == ["root"] or (len(one) == 2 and one[0] in HOMES) for one in parts)

    def _holds_ours(self, path: str) -> bool:
        text = contents(path) or ""
        return LAUNCHER in text.replace("\\/", "/") or (
            path.endswith(self.facts.whole) and bool(text)
        )

    def below(self, folder: str) -> list[str]:
        """Everything guarded in a folder, and the folder itself where it is guarded."""
        above = folder.rstrip("/") + "/"
        found = [one for one in (*self.folders, *self.files) if one.startswith(above)]
        return [folder] if self.hit(folder) in (OWN, FILE) else found

    def keeps_settings(self, folder: str) -> bool:
        """Is it the folder in which a harness or the guard keeps its files?"""
        return any(folder_of(file) == folder for file in self.files) or self.hit(folder) == OWN


def is_below(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder + "/")


def folder_of(path: str) -> str:
    return path.rpartition("/")[0] or "/"


def real(path: str) -> str:
    """Every link followed, `.` and `..` taken out; what is not there is taken as it is written."""
    done, rest, links = "", path[:MAX_PATH_CHARACTERS].split("/")[::-1], 0
    while rest:
        part = rest.pop()
        if part == "..":
            done = done.rpartition("/")[0]
        elif part not in ("", "."):
            try:
                target = readlink(f"{done}/{part}") if links < MAX_LINKS else ""
            except (OSError, ValueError):
                target = ""
            links += bool(target)
            done = "" if target[:1] == "/" else done if target else f"{done}/{part}"
            rest += target.split("/")[::-1] if target else []
    return done or "/"


def contents(path: str) -> str | None:
    """The text of a settings file; None where there is none."""
    try:
        descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    except (OSError, ValueError):
        return None
    try:
        return (
            read(descriptor, MAX_SETTINGS_BYTES).decode("utf-8", "surrogateescape").lstrip("\ufeff")
        )
    except OSError:
        return None
    finally:
        close(descriptor)


def matches(pattern: str, name: str) -> bool:
    """Shell patterns without sets of letters, of which any letter is taken for one; no recursion."""
    if pattern[:1] in ("*", "?") and name[:1] == ".":
        return False
    return glob(pattern, name)


def glob(pattern: str, name: str) -> bool:
    """`*` and `?`, and `[...]` as any one letter; goes back to the last `*` only, so it ends soon."""
    letters = _without_sets(pattern)
    at = seen = tried = 0
    star = -1
    while seen < len(name):
        letter = letters[at : at + 1]
        if letter == "*":
            star, tried, at = at, seen, at + 1
        elif letter in ("?", name[seen]):
            at, seen = at + 1, seen + 1
        elif star >= 0:
            tried += 1
            at, seen = star + 1, tried
        else:
            return False
    return not letters[at:].strip("*")


def _without_sets(pattern: str) -> str:
    done, rest = "", pattern
    while "[" in rest:
        first, _, more = rest.partition("[")
        _, closed, after = more[1:].partition("]")
        if not closed:
            break
        done, rest = f"{done}{first}?", after
    return done + rest
