"""Words of a command: what stands before the command itself, its options, and braces spelled out."""

from __future__ import annotations

from .shell import is_assignment

MAX_WORDS = 2000  # of one command
MAX_BRACES = 64
RESERVED = ("{", "}", "!", "if", "then", "elif", "else", "do", "while", "until", "time")
BEFORE = {  # a command, with its options that take a value
    "sudo": ("-u", "-g", "-p", "-C", "-h", "-r", "-t", "-T", "-D"),
    "doas": ("-u", "-C"),
    "env": ("-u", "-C"),
    "nice": ("-n",),
    **dict.fromkeys(("nohup", "command", "builtin", "setsid", "busybox"), ()),
    "ionice": ("-c", "-n"),
    **dict.fromkeys(("timeout", "gtimeout"), ("-k", "-s")),
    "stdbuf": ("-i", "-o", "-e"),
    "exec": ("-a",),
    "caffeinate": ("-t", "-w"),
    "strace": ("-o", "-e"),
    "flock": ("-w", "-E"),
    "uvx": ("--from", "--with", "--python", "-p"),
    "xargs": ("-n", "-P", "-I", "-L", "-d", "-s", "-E", "-a"),
    "parallel": ("-j", "-n"),
    "watch": ("-n",),
}
TAKES_ONE = ("timeout", "gtimeout", "flock")  # word of its own, before the command
RUNNERS = (
    *("uv tool run", "uv run", "pipx run", "poetry run", "pdm run", "hatch run", "rye run"),
    *("pipenv run", "mise exec"),
)
RUNNERS_OPTIONS = ("--from", "--spec", "--with", "--python", "--project", "--directory", "-p")
ADDING = ("xargs", "parallel")  # words that come on the input


def bare(words: list[str]) -> tuple[list[str], list[str], bool]:
    """(the command itself, assignments before it, does `xargs` add words to it)."""
    words, assigned, adds = words[:MAX_WORDS], [], False
    while words:
        name = words[0].rpartition("/")[2]
        if is_assignment(words[0]):
            assigned.append(words[0])
            words = words[1:]
        elif name in RESERVED:
            words = words[1:]
        elif name == "command" and words[1:2] in (["-v"], ["-V"]):
            return [], assigned, False
        elif name in BEFORE:
            words = without_options(words[1:], BEFORE[name])[name in TAKES_ONE :]
            adds = adds or name in ADDING
        else:
            lead = next((one for one in RUNNERS if words[: one.count(" ") + 1] == one.split()), "")
            if not lead:
                break
            words = without_options(words[lead.count(" ") + 1 :], RUNNERS_OPTIONS)
    return words, assigned, adds


def without_options(words: list[str], valued: tuple[str, ...]) -> list[str]:
    """From the first word on that is neither an option nor its value."""
    index = 0
    while index < len(words) and words[index][:1] == "-":
        index += 1 + (words[index] in valued)
    return words[index:]


def options(words: list[str], names: tuple[str, ...]) -> list[str]:
    """The values of options: `-o FILE`, `-oFILE`, `-qO FILE`, `--output=FILE`, `of=FILE`."""
    found = []
    short = [one for one in names if len(one) == 2]
    for index, word in enumerate(words if names else ()):
        name, sign, value = word.partition("=")
        cluster = word[:1] == "-" != word[1:2] and f"-{word[-1:]}" in short
        if word in names or cluster:
            found += words[index + 1 : index + 2]
        elif sign and name in names:
            found.append(value)
        elif word[:2] in short:
            found.append(word[2:])
    return found


def plain(words: list[str]) -> list[str]:
    return [word for word in words if word[:1] != "-"]


def braces(word: str) -> list[str]:
    """`{a,b}` spelled out, as far as there are not too many."""
    done: list[str] = []
    pending = [word]
    while pending and len(done) + len(pending) < MAX_BRACES:
        head, _, rest = pending[-1].partition("{")
        inner, sign, tail = rest.partition("}")
        one = pending.pop()
        if sign and "," in inner and "{" not in inner:
            pending += [head + part + tail for part in inner.split(",")[:MAX_BRACES]]
        else:
            done.append(one)
    return done
