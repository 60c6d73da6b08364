"""Programs that are told to let the guard be: ours, a harness started anew, code in a command."""

from __future__ import annotations

from .arguments import options, plain, without_options

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .facts import Facts
    from .places import Places
    from .shell import Command

OURS = ("runaway", "runaway-guard")
ENDING = ("pkill", "killall", "kill")
HARMLESS = ("--help", "-h", "--dry-run", "--check", "--version", "--off")
CHANGING: dict[str, tuple[str, ...]] = {
    "setup": (),
    "pause": (),
    "resume": (),
    "start": (),
    "uninstall": (),
    "config": ("set", "edit"),
    "prices": ("set",),
    "backups": ("restore", "prune"),
}
SHELLS = ("sh", "bash", "zsh", "dash", "ksh", "fish", "ash", ".", "source")
HERE = ("localhost", "127.0.0.1", "::1")
LANGUAGES = ("node", "perl", "ruby", "php", "deno", "bun", "osascript", "lua")
CODE = ("-c", "-e", "-r", "-E", "--eval", "eval")
# How code writes, and how it starts programs: `dump(` and `'w'` are Python's, `Sync(` is Node's.
WRITES = (
    *("write", ",'w", ", 'w", ',"w', ', "w', ",'a')", ", 'a')", "unlink", "remove(", "rmtree"),
    *("rename", "os.replace", "truncate", "put_contents", ".dump(", "copy", "move(", "chmod"),
    *("rmSync", "rm(", "delete", "symlink"),
)
STARTS = ("system", "run(", "call(", "Popen", "exec", "spawn", "output(", "shell script", "`")
STARTED = ("rm ", "mv ", "cp ", "sed -i", ">", "chmod ")
PRINTS = ("stdout.write", "stderr.write")
OFF = ("", "0", "false")  # of a variable that silences
SIGNS = "\"'`,[](){}"


def changes_ours(arguments: list[str]) -> bool:
    """`runaway pause`, but not `runaway pause --help`."""
    words = plain(arguments)
    if not words or words[0] not in CHANGING or any(word in HARMLESS for word in arguments):
        return False
    verbs = CHANGING[words[0]]
    return not verbs or any(word in verbs for word in words[1:2])


def silences(name: str, arguments: list[str], variables: dict[str, str], places: Places) -> bool:
    """Does the program end the guard, change what it keeps, or start a harness without it?"""
    if name in OURS:
        return changes_ours(arguments)
    if name in ENDING:
        return any("runaway" in word or "guard.pyc" in word for word in arguments)
    if name in places.facts.programs:
        return _is_told_so(name, arguments, places.facts) or _is_told_by_variables(
            name, variables, places
        )
    module = options(arguments, ("-m",))[:1] if name[:6] == "python" else []
    if module and module[0].partition(".")[0] == "runaway":
        return changes_ours(arguments[arguments.index("-m") + 2 :])
    return False


def _is_told_so(name: str, arguments: list[str], facts: Facts) -> bool:
    """By a flag, by a switch, or by settings in an argument."""
    said = " ".join(["", *arguments, ""])
    if any(f" {flag} " in said for flag in facts.programs[name]["flags"]):
        return True
    settings = [word for word in arguments if word[:1] == "{" or " " not in word]
    off = tuple(f"{'.'.join(keys)}=false" for keys in facts.off)
    return any(
        word.replace(" ", "").endswith(off)
        or any(switch == word or (word[:1] == "{" and switch in word) for switch in facts.words)
        for word in settings
    )


def _is_told_by_variables(name: str, variables: dict[str, str], places: Places) -> bool:
    """A switch is set, or the settings are elsewhere and hold no entry of ours."""
    if any(variables.get(one, "") not in OFF for one in places.facts.variables):
        return True
    moving = (places.facts.programs[name]["moved"], "HOME")
    moved = [places.at(variables[one], "/") for one in moving if one in variables]
    return any(not any(one.startswith(folder + "/") for one in places.wired) for folder in moved)


def inner_text(name: str, arguments: list[str], command: Command) -> str:
    """A text that is run as commands in its turn."""
    if name == "eval":
        return " ".join(arguments)
    if name == "ssh":
        words = without_options(arguments, ("-p", "-i", "-l", "-o", "-F"))
        return " ".join(words[1:]) if words and words[0].rpartition("@")[2] in HERE else ""
    if name not in (*SHELLS, "su", "script"):
        return ""
    for index, word in enumerate(arguments):
        if word[:1] == "-" != word[1:2] and word[-1:] == "c":
            return "".join(arguments[index + 1 : index + 2])
    fed = command.fed
    if fed and fed.words[:1] in (["echo"], ["printf"]):
        return " ".join(fed.words[1:])
    return command.body or (fed.body if fed else "")


def code_tampers(
    name: str, arguments: list[str], command: Command, places: Places, cwd: str
) -> bool:
    """Does a program in the command itself name what is guarded, and write or start something?"""
    if name[:6] != "python" and name not in LANGUAGES:
        return False
    code = "\n".join((*options(arguments, CODE), command.body))
    for harmless in PRINTS:
        code = code.replace(harmless, "")
    starts = any(sign in code for sign in STARTS)
    if starts and _speaks_to_us(code):
        return True
    writes = any(sign in code for sign in (*WRITES, *(STARTED if starts else ())))
    return writes and _names_guarded(code, places, cwd)


def _speaks_to_us(code: str) -> bool:
    """`['runaway', 'pause']` as well as `'runaway pause'`."""
    words = "".join(" " if letter in SIGNS else letter for letter in code).split()
    return any(
        word.rpartition("/")[2] in OURS and changes_ours(words[index + 1 : index + 6])
        for index, word in enumerate(words)
    )


def _names_guarded(code: str, places: Places, cwd: str) -> bool:
    here = places.keeps_settings(cwd)
    for path in (*places.files, *places.folders):
        folder, _, name = path.rpartition("/")
        if name in code and (here or folder.rpartition("/")[2] in code):
            return True
    return False
