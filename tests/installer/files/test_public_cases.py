"""Three bugs of other installers, by the threads they were reported in."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest

from runaway.installer.files import backups
from runaway.installer.files.writer import Commit
from tests.support.files import OURS, add, mode, remove


def test_a6_a_link_into_a_dotfiles_repository_stays_a_link(home: Path, writer: Commit) -> None:
    """slkiser/opencode-quota#265: rename() onto the link made it a plain file, the repository went
    stale unnoticed. Also realiti4/claude-swap#201, petergaultney/lemonaid#49,
    anthropics/claude-code#80276."""
    real = home / "dots" / "claude.json"
    hop = home / "stow" / "claude.json"
    file = home / ".claude" / "settings.json"
    for path in (real, hop, file):
        path.parent.mkdir()
    real.write_bytes(b"theirs\n")
    hop.symlink_to("../dots/claude.json")
    file.symlink_to("../stow/claude.json")
    written = writer.apply(file, add)
    assert (file.readlink(), hop.readlink()) == (
        Path("../stow/claude.json"),
        Path("../dots/claude.json"),
    )
    assert real.read_bytes() == b"theirs\n" + OURS
    assert (written.path, written.target, written.links) == (file, real, (file, hop))
    writer.apply(file, remove)
    assert real.read_bytes() == b"theirs\n"


@pytest.mark.parametrize("bits", [0o600, 0o640, 0o644])
def test_a7_private_settings_stay_private(
    home: Path, writer: Commit, state: Path, monkeypatch: pytest.MonkeyPatch, bits: int
) -> None:
    """nameforjt-afk/session-knowledge#16: a temporary file made with the umask turned 0600 into
    0644. Also stablyai/orca#20597, brizzai/fleet#63. No file on the way is wider than the target."""
    widths = []
    pwrite = os.pwrite

    def watched(file: int, data: bytes, offset: int) -> int:
        widths.append(os.fstat(file).st_mode & 0o777)
        return pwrite(file, data, offset)

    monkeypatch.setattr(os, "pwrite", watched)
    file = home / "settings.json"
    file.write_bytes(b"theirs\n")
    file.chmod(bits)
    old = os.umask(0o022)
    try:
        writer.apply(file, add)
        writer.apply(home / "new.json", add)
    finally:
        os.umask(old)
    assert mode(file) == bits
    assert mode(home / "new.json") == 0o600
    assert widths
    assert all(width & ~bits == 0 and width & ~0o600 == 0 for width in widths)
    (kept,) = backups.list_backups(state)
    assert mode(kept.content) == 0o600


def test_a15_settings_are_not_reduced_to_a_stale_snapshot(memory: Path) -> None:
    """Yeachan-Heo/oh-my-claudecode#2584: an installer wrote what it had read before the client wrote.
    Also anthropics/claude-code#91520, #78392. test_races.py does the same with real processes and
    with clients that write in place."""
    file, writer = memory / "settings.json", Commit(memory / "state")
    file.write_bytes(b"model 0\n")
    toggled = 0
    stop = threading.Event()

    def client() -> None:
        nonlocal toggled
        while not stop.wait(0.005):
            lines = file.read_bytes().splitlines(keepends=True)
            assert lines[0] == b"model %d\n" % toggled
            toggled += 1
            beside = file.with_suffix(".new")
            beside.write_bytes(b"".join([b"model %d\n" % toggled, *lines[1:]]))
            beside.replace(file)

    thread = threading.Thread(target=client)
    thread.start()
    try:
        for _ in range(100):
            writer.apply(file, add)
            writer.apply(file, remove)
    finally:
        stop.set()
        thread.join()
    writer.apply(file, remove)
    assert file.read_bytes() == b"model %d\n" % toggled
    assert toggled > 5
