"""Settings files as people write them, of which only some values are wanted."""

from __future__ import annotations

import pytest

from runaway.installer.documents import jsonc

OFF = {"chat.useHooks": False}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"chat.useHooks": false}', OFF),
        ('\ufeff{"chat.useHooks": false}', OFF),
        ('{\n  // mine\n  "chat.useHooks": false,\n}', OFF),
        ('{"chat.useHooks": /* why? */ false}', OFF),
        ('{"chat.useHooks": true, "chat.useHooks": false}', OFF),
        ('{// "chat.useHooks": false\n}', {}),
        ('{"editor.fontSize": 12}', {}),  # none of what is wanted
        ('["chat.useHooks"]', {}),
        ('{"chat.useHooks": fal', {}),
        ('"chat.useHooks"' + "[" * 9000, {}),
        ("", {}),
    ],
)
def test_what_a_file_says_of_what_is_wanted(text: str, said: object) -> None:
    assert jsonc.values(text.encode(), ("chat.useHooks",)) == said


@pytest.mark.parametrize("data", [b'\xff"chat.useHooks"', b"chat.useHooks " * jsonc.MAX_BYTES])
def test_what_cannot_be_read_says_nothing(data: bytes) -> None:
    assert jsonc.values(data, ("chat.useHooks",)) == {}
