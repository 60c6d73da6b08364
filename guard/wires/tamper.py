"""TAMPER: a call that would change the guard's files, its entries or its state is for a person."""

from __future__ import annotations

from ..call import ASK, EDIT, NO_OPINION, SHELL, Verdict

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..call import Case

OWN = ("/plugin/runaway.js",)  # ours as a whole: OpenCode's
SETTINGS = (  # where harnesses keep hooks, as they end a path
    "/.claude/settings.json",
    "/.claude/settings.local.json",
    "/managed-settings.json",
    "/managed-settings.d/50-runaway.json",
    "/etc/codex/hooks.json",
    "/etc/codex/config.toml",
    "/etc/cursor/hooks.json",
    "/.codex/hooks.json",
    "/.codex/config.toml",
    "/.cursor/hooks.json",
    "/.gemini/settings.json",
    "/.gemini/trustedFolders.json",
    "/hooks/runaway.json",  # Copilot's and VS Code's
    "/.factory/settings.json",
    "/.factory/hooks.json",
    "/.github/copilot/settings.json",
    "/.github/copilot/settings.local.json",
    "/.qwen/settings.json",
    *OWN,
)
SWITCHES = (
    "disableAllHooks",
    "CLAUDE_CODE_SIMPLE",
    "CLAUDE_CODE_SAFE_MODE",
    "allowManagedHooksOnly",
    "hooksDisabled",
    "codex_hooks",
    "allow_managed_hooks_only",
    "trusted_hash",
    "hooksConfig",
    "DO_NOT_TRUST",
)
OURS = ("runaway", *SWITCHES)
PATHS = ("file_path", "filePath", "path", "notebook_path")
WRITING = (">", "tee ", "sed -i", "rm ", "mv ", "cp ", "ln ", "truncate ")
HARMLESS = ("2>&1", "2>/dev/null", "2> /dev/null", ">/dev/null", "> /dev/null")
VERBS = ("pause", "resume", "uninstall", "config", "setup")
BEFORE_A_COMMAND = (";", "&", "|", "(", "sudo", "then", "do", "else", "env")


def verdict(case: Case) -> Verdict:
    call, arguments = case.call, case.call.arguments
    if not isinstance(arguments, dict) or call.kind not in (EDIT, SHELL):
        return NO_OPINION
    touched = (
        _edits(case, arguments) if call.kind == EDIT else _runs(case, arguments.get("command"))
    )
    return Verdict(ASK, "tamper", 1, case.record[0]) if touched else NO_OPINION


def _edits(case: Case, arguments: dict[str, Any]) -> bool:
    """Other settings in the same file are the user's business; our entry and the switches are not."""
    named = next((arguments[name] for name in PATHS if arguments.get(name)), None)
    if named is None:
        return _patches(case, str(arguments.get("command") or arguments.get("patchText")))
    path = "/" + str(named)
    if _is_ours_alone(case, path):
        return True
    text = " ".join(
        value for value in arguments.values() if isinstance(value, str) and value != named
    )
    whole = isinstance(arguments.get("content"), str)
    if whole and path[1:] in case.policy.wired and "runaway/launch" not in text:
        return True
    return (
        path.endswith(SETTINGS)
        and any(word in text for word in OURS)
        and not (whole and _kept(text))
    )


def _patches(case: Case, patch: str) -> bool:
    """As Codex and OpenCode write it: `*** Update File: PATH` before the changes of each file."""
    for part in patch.split("\n*** ")[1:]:
        named, _, changes = part.partition("\n")
        action, _, path = named.partition(": ")
        path = "/" + path.strip()
        if _is_ours_alone(case, path):
            return True
        gone = action == "Delete File" and path[1:] in case.policy.wired
        if gone or (path.endswith(SETTINGS) and any(word in changes for word in OURS)):
            return True
    return False


def _is_ours_alone(case: Case, path: str) -> bool:
    return path.endswith(OWN) or any(folder in path for folder in case.policy.protected)


def _kept(text: str) -> bool:
    return "runaway/launch" in text and not any(switch in text for switch in SWITCHES)


def _runs(case: Case, command: object) -> bool:
    if not isinstance(command, str):
        return False
    if any(folder in command for folder in case.policy.protected) or _is_ours(command.split()):
        return True
    if not any(name[1:] in command for name in SETTINGS):
        return False
    for redirection in HARMLESS:
        command = command.replace(redirection, "")
    return any(writing in command for writing in WRITING)


def _is_ours(words: list[str]) -> bool:
    """`runaway pause`, where a command may stand."""
    for index, word in enumerate(words[:-1]):
        starts = index == 0 or words[index - 1].endswith(BEFORE_A_COMMAND)
        if starts and word.rpartition("/")[2] == "runaway" and words[index + 1] in VERBS:
            return True
    return False
