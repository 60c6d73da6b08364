"""What other installers did to their users' files, from public bug threads; values are invented.

The cases about files and processes rather than documents are tested where those are.
"""

from __future__ import annotations

import difflib

import pytest

from runaway.installer.documents import json_document, toml_document
from runaway.installer.errors import Refusal

EVENT = ("hooks", "PreToolUse")
CLAUDE = json_document.Rules("Claude Code", bom=True, utf16=True)
OPENCODE = json_document.Rules("OpenCode", comments=True, trailing_commas=True)
CODEX = toml_document.Rules("Codex")
OURS = {"type": "command", "command": "python3 '/a/guard.py'", "timeout": 10}
GROUP = {"hooks": [OURS]}


def test_a1_a_comment_survives_or_is_refused_and_never_costs_the_file() -> None:
    """gsd-build/get-shit-done#1461: settings with a comment came back with only the installer's
    keys, because a failed parse counted as an empty file.
    """
    data = b'{ // my note\n "theme":"dark" }'
    with pytest.raises(Refusal) as caught:
        json_document.parse(data, CLAUDE, "settings.json")
    assert caught.value.text.endswith("comment at 1:3")
    edited = json_document.append(json_document.parse(data, OPENCODE, "f"), EVENT, GROUP)
    assert edited.data.startswith(b'{ // my note\n "theme":"dark",')


def test_a2_a_byte_order_mark_is_kept() -> None:
    """Graphify-Labs/graphify#2167: a BOM turned 5 KB of settings into 519 bytes."""
    data = b'\xef\xbb\xbf{"model":"m","mcpServers":{"s":{"command":"x"}}}'
    edited = json_document.append(json_document.parse(data, CLAUDE, "f"), EVENT, GROUP)
    assert edited.data.startswith(data[:-1] + b',"hooks":')
    assert json_document.remove(edited.document, (*EVENT, 0), edited.created).data == data


def test_a3_copies_of_our_entry_collapse_to_one_in_the_place_of_the_first() -> None:
    """microsoft/apm#708: each run appended another copy, quoted another way."""
    copy = {"hooks": [{**OURS, "command": 'python3 "/a/guard.py"', "timeout": 5}]}
    document = json_document.parse(b'{"model": "m"}', CLAUDE, "f")
    for group in (GROUP, {"hooks": [{"type": "command", "command": "x"}]}, copy, copy):
        document = json_document.append(document, EVENT, group).document
    for index in (3, 2):
        document = json_document.remove(document, (*EVENT, index)).document
    updated = json_document.replace(document, (*EVENT, 0), copy)
    assert updated.document.get(EVENT) == [copy, {"hooks": [{"type": "command", "command": "x"}]}]
    assert json_document.replace(updated.document, (*EVENT, 0), copy).data == updated.data


def test_a4_removal_takes_our_handler_and_not_the_group_it_shares() -> None:
    """rtk-ai/rtk#3036: uninstalling deleted a foreign guard in the same matcher group."""
    data = (
        b'{"hooks":{"PreToolUse":[{"matcher":"Bash","hooks":'
        b'[{"type":"command","command":"block-secrets"}]}]}}'
    )
    path = (*EVENT, 0, "hooks")
    shared = json_document.append(json_document.parse(data, CLAUDE, "f"), path, OURS)
    assert json_document.remove(shared.document, (*path, 1), shared.created).data == data


def test_a10_the_first_installation_appends_behind_the_groups_of_the_user() -> None:
    """eneskirca/nodeterm#51: prepending shifts the positions that Codex has recorded as trusted."""
    user = {"hooks": [{"type": "command", "command": "mine"}]}
    document = json_document.parse(b"", CLAUDE, "hooks.json")
    first = json_document.append(document, EVENT, user)
    second = json_document.append(first.document, EVENT, GROUP)
    assert second.document.get((*EVENT, 0)) == user
    placeholder = json_document.replace(second.document, (*EVENT, 0), {"hooks": []})
    assert placeholder.document.get((*EVENT, 1)) == GROUP


def test_a10_holds_for_groups_in_toml_too() -> None:
    """eneskirca/nodeterm#51, for hooks that stand in config.toml."""
    data = b'[[hooks.PreToolUse]]\nmatcher = "x"\n\n[[hooks.PreToolUse]]\nmatcher = "y"\n'
    document = toml_document.parse(data, CODEX, "config.toml")
    edited = toml_document.append(document, EVENT, GROUP)
    assert edited.document.get(EVENT) == [{"matcher": "x"}, {"matcher": "y"}, GROUP]
    emptied = toml_document.replace(edited.document, (*EVENT, 2), {"hooks": []})
    assert emptied.document.get(EVENT) == [{"matcher": "x"}, {"matcher": "y"}, {"hooks": []}]


def test_a11_the_difference_is_only_the_new_lines() -> None:
    """agent-toolworks/token-save#7: one new key gave 13 changed lines, escaped and sorted."""
    data = '{\n    "z": 1,\n    "note": "a — b",\n    "a": [\n        1\n    ]\n}\n'
    edited = json_document.append(json_document.parse(data.encode(), CLAUDE, "f"), EVENT, GROUP)
    lines = data.splitlines(), edited.data.decode().splitlines()
    changes = [line for line in difflib.ndiff(*lines) if line.startswith("- ")]
    assert changes == ["-     ]"]


def test_a12_a_flat_foreign_entry_is_left_alone_and_ours_is_nested() -> None:
    """anthropics/claude-code#49990: a flat entry makes the harness skip the whole file."""
    data = b'{"hooks":{"PreToolUse":[{"type":"command","command":"x"}]}}'
    edited = json_document.append(json_document.parse(data, CLAUDE, "f"), EVENT, GROUP)
    assert edited.document.get(EVENT) == [{"type": "command", "command": "x"}, GROUP]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("[features]\nweb = true # keep\n", "[features]\nweb = true # keep\nhooks = true\n"),
        ("features.web = true\n", "features.web = true\nfeatures.hooks = true\n"),
        ("features = { web = true }\n", "features = { web = true, hooks = true }\n"),
    ],
    ids=["table", "dotted", "inline"],
)
def test_a13_a_feature_goes_into_the_table_that_is_there(before: str, after: str) -> None:
    """Yeachan-Heo/oh-my-codex#21: a second [features] table, and Codex did not start any more."""
    data = f'model = "m"\n{before}\n[tail]\n'.encode()
    document = toml_document.parse(data, CODEX, "config.toml")
    edited = toml_document.set_value(document, ("features", "hooks"), True)
    assert edited.data.decode() == f'model = "m"\n{after}\n[tail]\n'
    again = toml_document.set_value(edited.document, ("features", "hooks"), True)
    assert again.data == edited.data
    removed = toml_document.remove(edited.document, ("features", "hooks"), edited.created)
    assert removed.data == data
