"""TAMPER: a call that would change the guard's files, its entries or its state is for a person."""

from __future__ import annotations

from ..call import ASK, EDIT, NO_OPINION, SHELL, Verdict

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..call import Case

# Where harnesses keep hooks, as they end a path; a shell command must also have a word that writes.
SETTINGS = (
    "/.claude/settings.json",
    "/.claude/settings.local.json",
    "/.codex/hooks.json",
    "/.codex/config.toml",
    "/.cursor/hooks.json",
)
WRITING = (
    ">",
    "tee ",
    "sed -i",
    "rm ",
    "mv ",
    "cp ",
    "ln ",
    "truncate",
    "jq ",
    "python",
    "perl",
    "node ",
)
SWITCHES = (
    "disableAllHooks",
    "CLAUDE_CODE_SIMPLE",
    "CLAUDE_CODE_SAFE_MODE",
    "allowManagedHooksOnly",
)
VERBS = ("pause", "resume", "uninstall", "config", "setup")


def verdict(case: Case) -> Verdict:
    call, arguments = case.call, case.call.arguments
    if not isinstance(arguments, dict) or call.kind not in (EDIT, SHELL):
        return NO_OPINION
    touched = (
        _edited(case, arguments) if call.kind == EDIT else _run(case, str(arguments.get("command")))
    )
    return Verdict(ASK, "tamper", 1, case.record[0]) if touched else NO_OPINION


def _edited(case: Case, arguments: dict[str, Any]) -> bool:
    path = "/" + str(
        arguments.get("file_path") or arguments.get("path") or arguments.get("notebook_path")
    )
    return path.endswith(SETTINGS) or any(folder in path for folder in case.policy.protected)


def _run(case: Case, command: str) -> bool:
    if any(folder in command for folder in case.policy.protected):
        return True
    words = command.split()
    for index, word in enumerate(words[:-1]):
        if word.rpartition("/")[2] == "runaway" and words[index + 1] in VERBS:
            return True
    names = any(setting[1:] in command for setting in SETTINGS)
    writes = any(writing in command for writing in WRITING)
    return writes and (names or any(switch in command for switch in SWITCHES))
