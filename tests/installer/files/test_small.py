"""Files of other programs: whatever they are, reading them is no crash."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from runaway.installer.files import small


@pytest.mark.parametrize(
    ("data", "wanted"),
    [
        (b'{"a": 1}', {"a": 1}),
        (b"[1]", {}),
        (b"{", {}),
        (b"", {}),
        (b"\xff\xfe", {}),
        (b"[" * 100_000, {}),
        (b'{"a": "' + b"x" * small.MAX_BYTES + b'"}', {}),
    ],
    ids=["an object", "a list", "torn", "empty", "no text", "deep", "large"],
)
def test_only_an_object_has_members(tmp_path: Path, data: bytes, wanted: dict[str, int]) -> None:
    path = tmp_path / "x.json"
    path.write_bytes(data)
    assert small.json_object(path) == wanted


def test_what_is_no_file_is_empty(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "loop").symlink_to("loop")
    places = (tmp_path, tmp_path / "none", tmp_path / "pipe", tmp_path / "loop", Path("a\0b"))
    assert [small.text(path) for path in places] == [""] * 5
