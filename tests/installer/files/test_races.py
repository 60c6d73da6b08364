"""Real processes change the same real file at once, without any lock they share."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from runaway.installer.errors import Refusal
from runaway.installer.files.writer import Commit
from tests.installer.files import other_program
from tests.support.files import temporaries

STYLES = ["rename"]
if sys.platform == "linux":
    STYLES.append("in-place")  # only Linux tells who has a file open for writing


def with_ours(present: bytes | None) -> bytes:
    return edited(present, ours=True)


def without_ours(present: bytes | None) -> bytes:
    return edited(present, ours=False)


def edited(present: bytes | None, *, ours: bool) -> bytes:
    try:
        document = json.loads(present or b"{}")
    except ValueError as error:
        raise Refusal(f"settings.json is broken: {error}.", code="json-syntax") from error
    if ours == ("ours" in document):
        return present or b"{}"
    if ours:
        document["ours"] = 1
    else:
        del document["ours"]
    return json.dumps(document).encode()


@pytest.mark.parametrize("style", STYLES)
def test_no_key_of_another_writer_is_lost(memory: Path, style: str) -> None:
    """Yeachan-Heo/oh-my-claudecode#2584, anthropics/claude-code#91520."""
    add_and_remove_beside_another_writer(memory, style, rounds=200)


@pytest.mark.long
@pytest.mark.parametrize("style", STYLES)
def test_no_key_of_another_writer_is_lost_on_a_disk(tmp_path: Path, style: str) -> None:
    add_and_remove_beside_another_writer(tmp_path, style, rounds=500)


def add_and_remove_beside_another_writer(place: Path, style: str, rounds: int) -> None:
    home, writer = place / "home", Commit(place / "state")
    home.mkdir()
    file = home / "settings.json"
    file.write_text('{"kept": 1}')
    command = [sys.executable, other_program.__file__, str(file), style]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "started\n"
        try:
            for _ in range(rounds):
                writer.apply(file, with_ours)
                writer.apply(file, without_ours)
        finally:
            (home / "stop").touch()
            said = other.stdout.read()
    assert other.returncode == 0, said
    assert int(said) > rounds / 10
    writer.apply(file, with_ours)
    assert json.loads(file.read_bytes()) == {"kept": 1, "theirs": int(said), "ours": 1}
    assert temporaries(home) == []


ONE_RUN = """if True:
    import sys
    from pathlib import Path
    from runaway.installer.files.writer import Commit
    state, file, entry, start = sys.argv[1:]
    entry = entry.encode() + b"\\n"
    while not Path(start).exists():
        pass
    def add(present):
        present = present or b""
        return present if entry in present else present + entry
    Commit(Path(state)).apply(Path(file), add)
"""


def several_runs(home: Path, runs: list[tuple[Path, str]]) -> list[bytes]:
    """Starts a run per state folder and entry, all at once; gives the lines of the file."""
    file, start = home / "settings", home / "start"
    file.write_bytes(b"theirs\n")
    processes = [
        subprocess.Popen([sys.executable, "-c", ONE_RUN, state, file, entry, start])
        for state, entry in runs
    ]
    start.touch()
    assert [process.wait() for process in processes] == [0] * len(runs)
    assert temporaries(home) == []
    return file.read_bytes().splitlines()


def test_several_runs_at_once_make_one_entry(home: Path, state: Path) -> None:
    assert several_runs(home, [(state, "ours")] * 4) == [b"theirs", b"ours"]


def test_runs_that_share_no_lock_keep_each_others_entries(home: Path, tmp_path: Path) -> None:
    """As two users' data folders, or a container's and its host's, would be."""
    entries = ["a", "b", "c", "d"]
    lines = several_runs(home, [(tmp_path / entry, entry) for entry in entries])
    assert lines[0] == b"theirs"
    assert sorted(lines[1:]) == [b"a", b"b", b"c", b"d"]
