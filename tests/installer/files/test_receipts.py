from __future__ import annotations

import json
import os
import stat
from pathlib import Path
from typing import Any

import pytest

from runaway.installer.errors import Refusal
from runaway.installer.files.receipts import (
    Receipt,
    all_receipts,
    digest,
    find,
    follow,
    forget,
    record,
)
from tests.support.files import mode, names, tree

SETTINGS = Path("/home/u/.claude/settings.json")
RECEIPT = Receipt(
    path=SETTINGS,
    target=Path("/home/u/dots/claude \udcff.json"),
    links=(SETTINGS,),
    before=digest(b"{}"),
    after=digest(b"{1}"),
    backup="0" * 32 + "-" + "1" * 8,
    containers=("hooks", "hooks.PreToolUse"),
    folders=(Path("/home/u/.claude"),),
    harness="claude",
    scope="user",
    time="2026-11-30T12:00:00+00:00",
    version="1.0.0",
)


def place(state: Path) -> Path:
    (place,) = (state / "receipts").iterdir()
    return place


def test_a_receipt_comes_back_as_it_was(state: Path) -> None:
    record(state, RECEIPT)
    assert find(state, SETTINGS, "claude") == RECEIPT
    assert all_receipts(state) == ((RECEIPT,), ())
    assert (mode(state / "receipts"), mode(place(state))) == (0o700, 0o600)


def test_harnesses_that_share_a_file_have_a_receipt_each(state: Path) -> None:
    other = RECEIPT._replace(harness="vscode")
    record(state, RECEIPT)
    record(state, other)
    assert find(state, SETTINGS, "claude") == RECEIPT
    assert find(state, SETTINGS, "vscode") == other
    forget(state, RECEIPT)
    assert all_receipts(state).receipts == (other,)
    forget(state, RECEIPT)


def test_nothing_recorded_is_nothing_found_and_nothing_made(state: Path) -> None:
    assert find(state, SETTINGS, "claude") is None
    assert all_receipts(state) == ((), ())
    forget(state, RECEIPT)
    assert not state.exists()


def test_an_update_of_our_own_version_still_leads_back_to_the_first() -> None:
    update = RECEIPT._replace(
        before=RECEIPT.after, after=digest(b"{2}"), backup="2" * 32 + "-" + "1" * 8, containers=()
    )
    merged = follow(RECEIPT, update, unbroken=True)
    assert (merged.before, merged.backup) == (RECEIPT.before, RECEIPT.backup)
    assert (merged.after, merged.containers) == (update.after, RECEIPT.containers)


def test_an_update_after_a_change_by_others_cannot_be_given_back() -> None:
    update = RECEIPT._replace(before=digest(b"{user's}"), after=digest(b"{2}"))
    merged = follow(RECEIPT, update, unbroken=False)
    assert (merged.before, merged.backup) == (update.before, None)
    assert merged.containers == RECEIPT.containers


def test_the_same_receipt_is_written_once(state: Path) -> None:
    record(state, RECEIPT)
    before = tree(state)
    record(state, RECEIPT._replace(time="2026-11-30T12:00:09+00:00"))
    assert tree(state) == before
    record(state, RECEIPT._replace(after=digest(b"{2}")))
    found = find(state, SETTINGS, "claude")
    assert found is not None
    assert found.after == digest(b"{2}")


def damaged(**fields: Any) -> bytes:
    whole = {
        name: [str(item) for item in value] if isinstance(value, tuple) else value
        for name, value in RECEIPT._asdict().items()
    }
    whole |= {"path": str(RECEIPT.path), "target": str(RECEIPT.target)}
    return json.dumps(whole | fields).encode()


HOSTILE = [
    b"",
    b"{",
    b"null",
    b"[]",
    b"{}",
    b"\xff\xfe\x00",
    b"\x00" * 100,
    b"[" * 200_000,
    b"1" * 10_000,
    damaged(path="relative/settings.json"),
    damaged(path="/etc/passwd"),
    damaged(path="/home/u/.claude/settings.json\0"),
    damaged(path=["/home"]),
    damaged(target=7),
    damaged(links="/home"),
    damaged(links=[7]),
    damaged(folders=["relative"]),
    damaged(containers=[{}]),
    damaged(before="short"),
    damaged(after="../../../etc/passwd"),
    damaged(before=True),
    damaged(backup=7),
    damaged(harness="cursor"),
    damaged(scope=None),
    damaged(version={}),
]


@pytest.mark.parametrize("content", HOSTILE, ids=lambda content: repr(content[:25]))
def test_a_damaged_receipt_is_reported_and_ignored(state: Path, content: bytes) -> None:
    good = RECEIPT._replace(harness="vscode")
    record(state, RECEIPT)
    place(state).write_bytes(content)
    record(state, good)
    shelf = all_receipts(state)
    assert shelf.receipts == (good,)
    assert [problem.code for problem in shelf.problems] == ["damaged-receipt"]
    assert find(state, SETTINGS, "claude") is None
    record(state, RECEIPT)
    assert find(state, SETTINGS, "claude") == RECEIPT


def test_an_unharmed_receipt_is_not_in_that_table() -> None:
    """Or the table above could be refused for a reason of its own."""
    assert json.loads(damaged())["path"] == str(SETTINGS)
    assert all(json.loads(damaged()) != parsed for parsed in HOSTILE)


def test_unknown_fields_of_a_later_version_do_no_harm(state: Path) -> None:
    record(state, RECEIPT)
    place(state).write_bytes(damaged(new_in_version_9={"a": 1}))
    assert find(state, SETTINGS, "claude") == RECEIPT


def test_a_huge_receipt_is_not_read(state: Path) -> None:
    record(state, RECEIPT)
    with place(state).open("r+b") as file:
        file.truncate(1024 * 1024 + 1)
    assert [problem.code for problem in all_receipts(state).problems] == ["unsafe-state"]
    assert find(state, SETTINGS, "claude") is None


@pytest.mark.parametrize("kind", ["link", "fifo", "folder"])
def test_what_is_not_a_file_is_not_read_as_a_receipt(
    state: Path, tmp_path: Path, kind: str
) -> None:
    record(state, RECEIPT)
    receipt = place(state)
    (tmp_path / "elsewhere").write_bytes(receipt.read_bytes())
    receipt.unlink()
    if kind == "link":
        receipt.symlink_to(tmp_path / "elsewhere")
    elif kind == "fifo":
        os.mkfifo(receipt)
    else:
        receipt.mkdir()
    shelf = all_receipts(state)
    assert (shelf.receipts, len(shelf.problems)) == ((), 1)
    assert find(state, SETTINGS, "claude") is None


def test_recording_over_a_planted_link_replaces_the_link(state: Path, tmp_path: Path) -> None:
    record(state, RECEIPT)
    receipt, victim = place(state), tmp_path / "victim"
    victim.write_bytes(b"precious")
    receipt.unlink()
    receipt.symlink_to(victim)
    record(state, RECEIPT)
    assert victim.read_bytes() == b"precious"
    assert stat.S_ISREG(receipt.lstat().st_mode)


def test_a_planted_folder_is_refused(state: Path, tmp_path: Path) -> None:
    state.mkdir(mode=0o700)
    (tmp_path / "elsewhere").mkdir()
    (state / "receipts").symlink_to(tmp_path / "elsewhere")
    before = tree(tmp_path / "elsewhere")
    with pytest.raises(Refusal) as caught:
        record(state, RECEIPT)
    assert caught.value.code == "unsafe-state"
    with pytest.raises(Refusal):
        all_receipts(state)
    with pytest.raises(Refusal):
        forget(state, RECEIPT)
    assert tree(tmp_path / "elsewhere") == before


def test_recording_leaves_nothing_beside(state: Path) -> None:
    record(state, RECEIPT)
    record(state, RECEIPT)
    assert len(names(state / "receipts")) == 1
