from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from runaway.guard.call import DENY, EDIT, NOTHING, SHELL, STOP, Call
from runaway.guard.judge import judge
from runaway.guard.policy import Policy
from tests.support.homes import tamper

POLICY = Policy(
    {
        "tamper": tamper(Path("/home/u")),
        "protected": ["/home/u/.local/share/runaway", "~/.local/share/runaway"],
        "wired": ["/home/u/.claude/settings.json"],
    },
    "/nowhere",
)


def judged(kind: str, arguments: dict[str, Any]) -> str:
    call = Call("claude", "s", tool="T", kind=kind, arguments=arguments, id="t")
    verdict, level, _ = judge(call, {}, POLICY, 1.0)
    return verdict.rule if level != NOTHING else ""


@pytest.mark.parametrize(
    "command",
    [
        "rm -rf ~/.local/share/runaway",
        "echo exit 0 > /home/u/.local/share/runaway/launch",
        "runaway pause 30d",
        "/usr/local/bin/runaway uninstall --yes",
        "runaway config set mode observe",
        "echo '{\"disableAllHooks\": true}' > .claude/settings.local.json",
        "jq 'del(.hooks)' ~/.claude/settings.json > x && mv x ~/.claude/settings.json",
        "sed -i s/runaway// /home/u/.codex/hooks.json",
        "rm -f ~/.gemini/settings.json",
        'echo \'{"/": "DO_NOT_TRUST"}\' > ~/.gemini/trustedFolders.json',
        "rm ~/.copilot/hooks/runaway.json",
        "echo '{\"disableAllHooks\": true}' > .github/copilot/settings.json",
        "rm ~/.config/opencode/plugin/runaway.js",
        "rm ~/.pi/agent/extensions/runaway.js",
        'echo \'{"extensions": ["-extensions/runaway.js"]}\' > ~/.pi/agent/settings.json',
        "pi --no-extensions -p hello",
        "pi -ne -p hello",
        "rm ~/.gemini/config/hooks.json",
        "PI_CODING_AGENT_DIR=/tmp/x pi -p hello",
    ],
)
def test_commands_that_would_disarm_the_guard_are_for_a_person(command: str) -> None:
    assert judged(SHELL, {"command": command}) == "tamper"


@pytest.mark.parametrize(
    "path",
    [
        "/home/u/.claude/settings.json",
        ".claude/settings.local.json",
        "/home/u/.local/share/runaway/policy.json",
        "/p/.cursor/hooks.json",
        "/home/u/.copilot/hooks/runaway.json",
        "/p/.github/copilot/settings.local.json",
    ],
)
def test_edits_of_hook_files_are_for_a_person(path: str) -> None:
    edit = {"file_path": path, "old_string": "x", "new_string": '{"disableAllHooks": true}'}
    assert judged(EDIT, edit) == "tamper"


@pytest.mark.parametrize(
    ("file", "text"),
    [("settings.json", '{"hooksConfig": {}}'), ("trustedFolders.json", '{"/": "DO_NOT_TRUST"}')],
)
def test_switches_in_gemini_clis_files_are_for_a_person(file: str, text: str) -> None:
    path = f"/home/u/.gemini/{file}"
    assert judged(EDIT, {"file_path": path, "old_string": "x", "new_string": text}) == "tamper"
    assert judged(EDIT, {"file_path": path, "old_string": "x", "new_string": "{}"}) == ""


@pytest.mark.parametrize("change", [{"oldString": "throw", "newString": ""}, {"content": "x"}])
def test_any_edit_of_a_file_that_is_ours_as_a_whole_is_for_a_person(change: dict[str, str]) -> None:
    file = "/home/u/.config/opencode/plugin/runaway.js"
    assert judged(EDIT, {"filePath": file, **change}) == "tamper"
    patch = f"*** Begin Patch\n*** Update File: {file}\n-throw\n*** End Patch"
    assert judged(EDIT, {"patchText": patch}) == "tamper"


def test_rewriting_a_wired_file_without_our_entry_is_for_a_person() -> None:
    file = "/home/u/.claude/settings.json"
    assert judged(EDIT, {"file_path": file, "content": "{}"}) == "tamper"
    kept = "... '/home/u/.local/share/runaway/launch' claude"
    assert judged(EDIT, {"file_path": file, "content": kept}) == ""


def test_other_settings_in_a_wired_file_are_the_users_business() -> None:
    edit = {
        "file_path": "/home/u/.claude/settings.json",
        "old_string": "opus",
        "new_string": "haiku",
    }
    assert judged(EDIT, edit) == ""


@pytest.mark.parametrize(
    "command",
    [
        "cat ~/.claude/settings.json",
        "runaway status",
        "runaway why last",
        "git log --grep runaway",
        "python manage.py runserver",
        "echo 'the runaway config is documented' > notes.md",
        "rm -rf build",
        "cp settings.json backup/",
        "cat ~/.claude/settings.json 2>/dev/null | head",
        "npx runaway-other config",
    ],
)
def test_ordinary_commands_are_nobodys_business(command: str) -> None:
    assert judged(SHELL, {"command": command}) == ""


def test_ordinary_edits_are_nobodys_business() -> None:
    assert judged(EDIT, {"file_path": "/p/src/settings.json"}) == ""
    assert judged(EDIT, {"file_path": "/p/hooks.json", "new_string": "disableAllHooks"}) == ""


PATCHES = {
    "our entry": (
        ".codex/hooks.json",
        "Update",
        '-  "command": "... /runaway/launch ..."',
        "tamper",
    ),
    "trust": ("/home/u/.codex/config.toml", "Update", '-trusted_hash = "sha256:1"', "tamper"),
    "our code": ("/home/u/.local/share/runaway/launch", "Update", "+exit 0", "tamper"),
    "a wired file": ("/home/u/.claude/settings.json", "Delete", "", "tamper"),
    "another setting": ("/home/u/.codex/config.toml", "Update", "+model = 'x'", ""),
    "another file": ("/p/hooks.json", "Update", "+runaway", ""),
}


@pytest.mark.parametrize(("path", "action", "change", "rule"), PATCHES.values(), ids=PATCHES)
def test_a_patch_is_looked_at_file_by_file(path: str, action: str, change: str, rule: str) -> None:
    harmless = "*** Begin Patch\n*** Add File: a.txt\n+trusted_hash\n"
    patch = f"{harmless}*** {action} File: {path}\n{change}\n*** End Patch"
    assert judged(EDIT, {"command": patch}) == rule


def unattended(*commands: str) -> list[int]:
    memory: Any = {}
    levels = []
    for number, command in enumerate(commands):
        call = Call(
            "claude", "s", tool="Bash", kind=SHELL, arguments={"command": command}, id=f"{number}"
        )
        levels.append(judge(call, memory, POLICY, float(number))[1])
    return levels


def test_ways_to_disarm_the_guard_are_one_trip_and_end_no_unattended_run() -> None:
    ways = ("runaway pause 1h", "rm -rf ~/.local/share/runaway", "runaway uninstall --yes", "date")
    assert unattended(*ways) == [DENY, DENY, DENY, NOTHING]


def test_the_same_way_again_and_again_climbs_as_every_repeated_call_does() -> None:
    levels = unattended(*["runaway pause 1h"] * 20)
    assert levels[:7] == [DENY] * 7
    assert levels[-1] == STOP


def test_a_call_that_names_nothing_of_ours_is_not_looked_into(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("runaway.guard.tampering.meaning.tampers", lambda *_: True)
    assert judged(SHELL, {"command": "npm test > out.log && rm -rf build && cat src/app.py"}) == ""
    assert judged(EDIT, {"file_path": "/p/src/app.py", "content": "disableAllHooks"}) == ""
    assert judged(SHELL, {"command": "cat .claude/x"}) == "tamper"
