from __future__ import annotations

import errno
import os
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from runaway.installer.errors import Refusal
from runaway.installer.files import backups, renameat2, replacing, snapshot, temporary
from runaway.installer.files.receipts import Receipt, digest
from runaway.installer.files.writer import Commit, DryRun, Refuse, Writer
from tests.support.files import (
    OURS,
    add,
    as_root,
    delete,
    mode,
    names,
    refusal,
    remove,
    temporaries,
    tree,
)

CONTENTS = [
    b"",
    b"\n",
    b"theirs\n",
    b"no final newline",
    b"\xef\xbb\xbfwith a BOM\r\n",
    b"\xff\xfe\x00 not text at all \x00",
    b"x" * 3_000_000,
]


@pytest.mark.parametrize("content", CONTENTS, ids=lambda content: repr(content[:20]))
def test_adding_and_removing_gives_back_every_byte(
    home: Path, writer: Commit, content: bytes
) -> None:
    file = home / "settings"
    file.write_bytes(content)
    added = writer.apply(file, add)
    assert file.read_bytes() == content + OURS
    assert (added.before, added.after, added.action) == (content, content + OURS, "written")
    assert writer.apply(file, remove).after == content
    assert file.read_bytes() == content
    assert temporaries(home) == []


@pytest.mark.parametrize("bits", [0o600, 0o640, 0o644, 0o664, 0o666, 0o700, 0o200 | 0o444, 0o1644])
def test_the_mode_is_kept_whatever_the_umask(home: Path, writer: Commit, bits: int) -> None:
    file = home / "settings"
    file.write_bytes(b"theirs\n")
    file.chmod(bits)
    old = os.umask(0o077)
    try:
        writer.apply(file, add)
    finally:
        os.umask(old)
    assert mode(file) == bits


def test_equal_bytes_are_not_written(home: Path, writer: Commit, state: Path) -> None:
    file = home / "settings"
    file.write_bytes(b"theirs\n" + OURS)
    before = tree(home)
    assert writer.apply(file, add).action == "unchanged"
    assert tree(home) == before
    assert backups.list_backups(state) == ()


def test_a_read_only_file_that_needs_no_change_is_not_refused(home: Path, writer: Commit) -> None:
    file = home / "settings"
    file.write_bytes(OURS)
    file.chmod(0o444)
    assert writer.apply(file, add).action == "unchanged"


def test_a_new_file_is_private_and_its_folders_too(home: Path, writer: Commit) -> None:
    file = home / "a" / "b" / "settings"
    written = writer.apply(file, add)
    assert written.action == "created"
    assert written.created_folders == (home / "a", home / "a" / "b")
    assert written.backup is None
    assert (mode(file), mode(home / "a"), mode(home / "a" / "b")) == (0o600, 0o700, 0o700)


def test_a_new_file_gets_the_mode_that_was_asked_for(home: Path, writer: Commit) -> None:
    writer.apply(home / "settings", add, default_mode=0o644)
    assert mode(home / "settings") == 0o644


def test_a_removed_file_takes_the_empty_folders_named_along(home: Path, writer: Commit) -> None:
    file = home / "a" / "b" / "settings"
    folders = writer.apply(file, add).created_folders
    written = writer.apply(file, delete, folders=(*folders, home.parent / "elsewhere"))
    assert written.action == "removed"
    assert list(home.iterdir()) == []


def test_folders_that_hold_something_else_or_lie_elsewhere_stay(home: Path, writer: Commit) -> None:
    elsewhere = home / "elsewhere"
    elsewhere.mkdir()
    file = home / "a" / "b" / "settings"
    folders = writer.apply(file, add).created_folders
    (home / "a" / "note").write_text("the user's")
    writer.apply(file, delete, folders=(*folders, elsewhere))
    assert names(home) == ["a", "elsewhere"]
    assert names(home / "a") == ["note"]


def test_removing_what_is_not_there_changes_nothing(home: Path, writer: Commit) -> None:
    assert writer.apply(home / "a" / "settings", delete).action == "unchanged"
    assert list(home.iterdir()) == []


def test_a_relative_path_is_reported_in_full(
    home: Path, writer: Commit, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(home)
    assert writer.apply(Path("settings"), add).path == home / "settings"


@pytest.mark.parametrize(
    "name", ['it\'s a "home" $x (1)', "häuschen 家", "\udcff", "-rf", "x" * 250]
)
def test_any_name_will_do(home: Path, writer: Commit, state: Path, name: str) -> None:
    file = home / name
    file.write_bytes(b"theirs\n")
    written = writer.apply(file, add)
    assert file.read_bytes() == b"theirs\n" + OURS
    assert written.backup is not None
    assert backups.load(state, written.backup) == b"theirs\n"
    assert backups.list_backups(state)[0].path == file


def test_extended_attributes_come_along(home: Path, writer: Commit) -> None:
    file = home / "settings"
    file.write_bytes(b"theirs\n")
    try:
        os.setxattr(file, "user.note", b"kept")
    except OSError as error:
        pytest.skip(f"no user attributes on this file system: {error}")
    writer.apply(file, add)
    assert os.getxattr(file, "user.note") == b"kept"


def test_both_names_of_a_hard_linked_file_keep_one_content(
    home: Path, writer: Commit, state: Path
) -> None:
    file, other = home / "settings", home / "other"
    file.write_bytes(b"theirs\n")
    os.link(file, other)
    number = file.stat().st_ino
    written = writer.apply(file, add)
    assert other.read_bytes() == b"theirs\n" + OURS
    assert file.stat().st_ino == other.stat().st_ino == number
    assert backups.load(state, written.backup or "") == b"theirs\n"
    writer.apply(other, remove)
    assert file.read_bytes() == b"theirs\n"


@as_root
def test_the_owner_is_kept(home: Path, writer: Commit) -> None:
    file = home / "settings"
    file.write_bytes(b"theirs\n")
    os.chown(file, 1234, 4321)
    file.chmod(0o640)
    writer.apply(file, add)
    status = file.stat()
    assert (status.st_uid, status.st_gid, mode(file)) == (1234, 4321, 0o640)


def test_a_file_whose_owner_cannot_be_kept_is_edited_in_place(
    home: Path, writer: Commit, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = home / "settings"
    file.write_bytes(b"theirs\n")
    number = file.stat().st_ino
    monkeypatch.setattr(temporary, "_copy_owner", lambda file, status: False)
    writer.apply(file, add)
    assert (file.read_bytes(), file.stat().st_ino) == (b"theirs\n" + OURS, number)
    assert temporaries(home) == []


def test_a_file_that_is_a_mount_of_its_own_is_edited_in_place(
    home: Path, writer: Commit, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Dev containers mount single settings files; a rename onto one answers EBUSY."""

    def answer(first: Path, second: Path) -> bool:
        raise OSError(errno.EBUSY, "busy")

    file = home / "settings"
    file.write_bytes(b"theirs\n")
    number = file.stat().st_ino
    monkeypatch.setattr(replacing, "exchange", answer)
    writer.apply(file, add)
    assert (file.read_bytes(), file.stat().st_ino) == (b"theirs\n" + OURS, number)
    assert temporaries(home) == []


def a_folder(path: Path) -> None:
    path.mkdir()


def a_fifo(path: Path) -> None:
    os.mkfifo(path)


def a_socket(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as server:
        os.chdir(path.parent)  # the whole path may be too long for a socket's address
        server.bind(path.name)


def a_huge_file(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(16 * 1024 * 1024 + 1)


def a_read_only_file(path: Path) -> None:
    path.write_bytes(b"theirs\n")
    path.chmod(0o444)


def a_nix_style_link(path: Path) -> None:
    store = path.parent / "store"
    store.mkdir()
    a_read_only_file(store / "settings")
    store.chmod(0o555)
    path.symlink_to(store / "settings")


def a_file_in_a_read_only_folder(path: Path) -> None:
    path.write_bytes(b"theirs\n")
    path.parent.chmod(0o555)


def nothing_in_a_read_only_folder(path: Path) -> None:
    path.parent.chmod(0o555)


def a_file_in_a_folder_open_to_all(path: Path) -> None:
    path.write_bytes(b"theirs\n")
    path.parent.chmod(0o777)


def a_dangling_link(path: Path) -> None:
    path.symlink_to("nowhere")


def a_dangling_chain(path: Path) -> None:
    (path.parent / "second").symlink_to("nowhere")
    path.symlink_to("second")


def a_circle_of_links(path: Path) -> None:
    (path.parent / "second").symlink_to(path)
    path.symlink_to("second")


def a_link_to_itself(path: Path) -> None:
    path.symlink_to(path)


REFUSED: list[tuple[Callable[[Path], None], str]] = [
    (a_folder, "not-a-file"),
    (a_fifo, "not-a-file"),
    (a_socket, "not-a-file"),
    (a_huge_file, "too-large"),
    (a_read_only_file, "read-only"),
    (a_nix_style_link, "read-only"),
    (a_file_in_a_read_only_folder, "read-only"),
    (nothing_in_a_read_only_folder, "read-only"),
    (a_file_in_a_folder_open_to_all, "unsafe-folder"),
    (a_dangling_link, "dangling-link"),
    (a_dangling_chain, "dangling-link"),
    (a_circle_of_links, "link-loop"),
    (a_link_to_itself, "link-loop"),
]


@pytest.mark.parametrize(("make", "code"), REFUSED, ids=[make.__name__ for make, _ in REFUSED])
@pytest.mark.parametrize("kind", ["commit", "dry run"])
def test_is_refused_and_stays_untouched(
    home: Path,
    writer: Commit,
    monkeypatch: pytest.MonkeyPatch,
    make: Callable[[Path], None],
    code: str,
    kind: str,
) -> None:
    """Also as root, whom modes do not bind: a missing write bit is its owner's statement."""
    monkeypatch.chdir(home)
    make(home / "settings")
    before = tree(home)
    refused = refusal(writer if kind == "commit" else DryRun(), home / "settings")
    assert refused.code == code
    assert refused.text.endswith(".")
    assert refused.fix
    assert tree(home) == before
    home.chmod(0o755)


def test_a_dangling_link_is_refused_with_its_target(home: Path, writer: Commit) -> None:
    (home / "settings").symlink_to("../away/claude.json")
    refused = refusal(writer, home / "settings")
    assert str(home.parent / "away" / "claude.json") in refused.text


def test_a_folder_in_the_path_that_is_a_file_is_refused(home: Path, writer: Commit) -> None:
    (home / "a").write_text("a file")
    refused = refusal(writer, home / "a" / "settings")
    assert refused.code == "not-a-folder"


def test_a_sticky_folder_open_to_all_is_no_reason_to_refuse(home: Path, writer: Commit) -> None:
    home.chmod(0o1777)
    assert writer.apply(home / "settings", add).action == "created"


@as_root
@pytest.mark.parametrize("owner", ["the file's", "the link's"])
def test_what_others_own_is_not_changed_for_them(owner: str) -> None:
    with tempfile.TemporaryDirectory() as name:
        home = Path(name)
        file, link = home / "file", home / "settings"
        file.write_bytes(b"theirs\n")
        file.chmod(0o666)
        link.symlink_to(file)
        os.chown(home, 65534, 65534)
        os.chown(file, 4242 if owner == "the file's" else 65534, 4242)
        os.lchown(link, 4242 if owner == "the link's" else 65534, 4242)
        os.seteuid(65534)
        try:
            assert refusal(DryRun(), link).code == "not-ours"
        finally:
            os.seteuid(0)


def test_a_failing_edit_leaves_nothing_behind(home: Path, writer: Commit, state: Path) -> None:
    def broken(present: bytes | None) -> bytes:
        raise Refusal("No.", code="wrong-type")

    (home / "settings").write_bytes(b"theirs\n")
    before = tree(home)
    assert refusal(writer, home / "settings", broken).code == "wrong-type"
    assert refusal(writer, home / "a" / "settings", broken).code == "wrong-type"
    assert tree(home) == before
    assert backups.list_backups(state) == ()


def test_the_version_before_is_in_the_backup(home: Path, writer: Commit, state: Path) -> None:
    file = home / "settings"
    file.write_bytes(b"theirs\n")
    file.chmod(0o640)
    written = writer.apply(file, add)
    (kept,) = backups.list_backups(state)
    assert kept.id == written.backup
    assert (kept.path, kept.content.read_bytes()) == (file, b"theirs\n")


def test_an_edit_is_made_again_when_the_file_changed_meanwhile(home: Path, writer: Commit) -> None:
    file = home / "settings"
    file.write_bytes(b"first\n")
    seen = []

    def slow(present: bytes | None) -> bytes:
        seen.append(present)
        if len(seen) == 1:
            file.write_bytes(b"second\n")
        return add(present)

    written = writer.apply(file, slow)
    assert seen == [b"first\n", b"second\n"]
    assert written.before == b"second\n"
    assert file.read_bytes() == b"second\n" + OURS


def test_an_edit_is_made_again_when_the_mode_changed_meanwhile(home: Path, writer: Commit) -> None:
    file = home / "settings"
    file.write_bytes(b"theirs\n")
    file.chmod(0o644)

    def slow(present: bytes | None) -> bytes:
        file.chmod(0o600)
        return add(present)

    writer.apply(file, slow)
    assert (mode(file), file.read_bytes()) == (0o600, b"theirs\n" + OURS)


def test_a_file_that_appears_meanwhile_is_not_overwritten(home: Path, writer: Commit) -> None:
    file = home / "settings"

    def slow(present: bytes | None) -> bytes:
        if present is None:
            file.write_bytes(b"theirs\n")
        return add(present)

    writer.apply(file, slow)
    assert file.read_bytes() == b"theirs\n" + OURS
    assert temporaries(home) == []


def test_a_file_that_vanishes_meanwhile_is_planned_as_missing(home: Path, writer: Commit) -> None:
    file = home / "settings"
    file.write_bytes(b"theirs\n")

    def slow(present: bytes | None) -> bytes | None:
        file.unlink(missing_ok=True)
        return remove(present) if present is None else add(present)

    assert writer.apply(file, slow).action == "unchanged"
    assert not file.exists()


def test_a_version_written_in_the_last_moment_is_planned_from(
    home: Path, writer: Commit, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The other program writes after our last comparison, right before our rename."""
    file = home / "settings"
    file.write_bytes(b"first\n")
    exchange = renameat2.exchange
    late = [b"second\n", b"third\n"]

    def too_late(first: Path, second: Path) -> bool:
        if late:
            (home / "new").write_bytes(late.pop(0))
            (home / "new").rename(file)
        return exchange(first, second)

    monkeypatch.setattr(replacing, "exchange", too_late)
    written = writer.apply(file, add)
    assert file.read_bytes() == b"third\n" + OURS
    assert written.before == b"third\n"
    assert temporaries(home) == []


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux lets others wait")
def test_nobody_reads_the_version_that_is_swapped_back(
    home: Path, writer: Commit, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its author would take what it wrote in the last moment for lost, and write on from there."""
    file = home / "settings"
    file.write_bytes(b"first\n")
    exchange = renameat2.exchange
    readers: list[threading.Thread] = []
    seen = []

    def too_late(first: Path, second: Path) -> bool:
        if readers:
            return exchange(first, second)
        file.write_bytes(b"second\n")
        exchanged = exchange(first, second)
        readers.append(threading.Thread(target=lambda: seen.append(file.read_bytes())))
        readers[0].start()
        readers[0].join(0.1)
        assert readers[0].is_alive()
        return exchanged

    monkeypatch.setattr(replacing, "exchange", too_late)
    writer.apply(file, add)
    readers[0].join()
    assert seen == [b"second\n"]
    assert file.read_bytes() == b"second\n" + OURS
    assert temporaries(home) == []


def test_a_last_moment_version_that_cannot_be_edited_is_put_back(
    home: Path, writer: Commit, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = home / "settings"
    file.write_bytes(b"first\n")
    exchange = renameat2.exchange
    late = [b"beyond us\n"]

    def too_late(first: Path, second: Path) -> bool:
        if late:
            file.write_bytes(late.pop())
        return exchange(first, second)

    def choosy(present: bytes | None) -> bytes:
        if present == b"beyond us\n":
            raise Refusal("Cannot edit that.", code="wrong-type")
        return add(present)

    monkeypatch.setattr(replacing, "exchange", too_late)
    assert refusal(writer, file, choosy).code == "wrong-type"
    assert file.read_bytes() == b"beyond us\n"
    assert temporaries(home) == []


def test_a_removal_that_displaced_a_last_moment_version_keeps_it(
    home: Path, writer: Commit, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = home / "settings"
    file.write_bytes(OURS)
    rename = os.rename

    def too_late(first: Path, second: Path) -> None:
        if first == file and file.read_bytes() == OURS:
            file.write_bytes(b"theirs\n" + OURS)
        rename(first, second)

    def take_back(present: bytes | None) -> bytes | None:
        return None if present in (None, OURS) else remove(present)

    monkeypatch.setattr(os, "rename", too_late)
    assert writer.apply(file, take_back).action == "written"
    assert file.read_bytes() == b"theirs\n"
    assert temporaries(home) == []


def test_a_file_that_never_comes_to_rest_is_refused_as_busy(home: Path, writer: Commit) -> None:
    file = home / "settings"
    file.write_bytes(b"0\n")

    def chased(present: bytes | None) -> bytes:
        assert present is not None
        file.write_bytes(b"%d\n" % (int(present.split()[0]) + 1))
        return add(present)

    refused = refusal(writer, file, chased)
    assert refused.code == "busy"
    assert file.read_bytes() == b"50\n"
    assert temporaries(home) == []


def test_a_half_written_file_is_read_again_before_it_is_refused(home: Path, writer: Commit) -> None:
    file = home / "settings"
    file.write_bytes(b"hal")
    age(file, 0)
    tries = []

    def strict(present: bytes | None) -> bytes:
        tries.append(present)
        if present == b"hal":
            age(file, 0)
            if len(tries) == 3:
                file.write_bytes(b"half and whole\n")
            raise Refusal("settings ends early at 1:4.", code="json-truncated")
        return add(present)

    writer.apply(file, strict)
    assert len(tries) == 4
    assert file.read_bytes() == b"half and whole\n" + OURS


def age(file: Path, seconds: float) -> None:
    """Let the file be written so long ago, by the clock that the writer reads."""
    written = time.time() - seconds
    os.utime(file, (written, written))


@pytest.mark.parametrize(("seconds", "tries"), [(0, 4), (60, 1)])
def test_a_broken_file_is_refused_and_at_once_if_nobody_wrote_it_lately(
    home: Path, writer: Commit, seconds: int, tries: int
) -> None:
    file = home / "settings"
    file.write_bytes(b"broken")
    age(file, seconds)
    seen = []

    def strict(present: bytes | None) -> bytes:
        seen.append(present)
        age(file, seconds)
        raise Refusal("settings is broken at 1:1.", code="json-syntax")

    assert refusal(writer, file, strict).code == "json-syntax"
    assert len(seen) == tries


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells who has a file open")
def test_a_file_another_program_is_writing_is_waited_for(home: Path, writer: Commit) -> None:
    """claude-code#91520: a client truncates its file and writes it afterwards."""
    file = home / "settings"
    file.write_bytes(b"theirs\n")
    code = (
        "import sys, time\n"
        "with open(sys.argv[1], 'wb', buffering=0) as file:\n"
        "    print('open', flush=True); time.sleep(0.2); file.write(b'newer\\n')\n"
    )
    with subprocess.Popen([sys.executable, "-c", code, file], stdout=subprocess.PIPE) as other:
        assert other.stdout is not None
        other.stdout.readline()
        assert file.read_bytes() == b""
        writer.apply(file, add)
    assert file.read_bytes() == b"newer\n" + OURS


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells who has a file open")
@pytest.mark.parametrize("names", [1, 2])
def test_a_file_another_program_holds_open_for_writing_is_refused(
    home: Path, writer: Commit, monkeypatch: pytest.MonkeyPatch, names: int
) -> None:
    monkeypatch.setattr(snapshot, "PATIENCE", 0.1)
    file = home / "settings"
    file.write_bytes(b"theirs\n")
    if names == 2:
        os.link(file, home / "other")
    with file.open("r+b"):
        assert refusal(writer, file).code == "busy"
    assert file.read_bytes() == b"theirs\n"


def test_leftovers_of_killed_runs_are_cleared_and_foreign_versions_kept(
    home: Path, writer: Commit, state: Path
) -> None:
    state.mkdir()
    file = home / "settings"
    file.write_bytes(b"theirs\n")
    unplaced = home / temporary.name_for(state, b"new")
    unplaced.write_bytes(b"new")
    displaced = home / temporary.name_for(state, b"new")
    displaced.write_bytes(b"the user's last version")
    alike = home / ".runaway-notes.tmp"
    alike.write_bytes(b"the user's own")
    writer.apply(file, add)
    assert names(home) == [".runaway-notes.tmp", "settings"]
    kept = {kept.content.read_bytes() for kept in backups.list_backups(state)}
    assert kept == {b"theirs\n", b"the user's last version"}


def test_a_temporary_file_of_a_run_with_another_lock_stays_until_it_is_old(
    home: Path, writer: Commit, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    in_use = home / temporary.name_for(tmp_path, b"new")
    in_use.write_bytes(b"new")
    made = in_use.stat().st_ctime
    monkeypatch.setattr(time, "time", lambda: made + 1)
    writer.apply(home / "settings", add)
    assert names(home) == [in_use.name, "settings"]
    monkeypatch.setattr(time, "time", lambda: made + temporary._FOREIGN_IS_STALE + 1)
    writer.apply(home / "settings", add)
    assert names(home) == ["settings"]


def test_a_planted_link_with_the_name_of_a_leftover_is_not_followed(
    home: Path, writer: Commit, state: Path, tmp_path: Path
) -> None:
    state.mkdir()
    secret = tmp_path / "secret"
    secret.write_bytes(b"secret")
    (home / temporary.name_for(state, b"new")).symlink_to(secret)
    writer.apply(home / "settings", add)
    assert secret.read_bytes() == b"secret"


def test_a_writer_keeps_its_lock_for_a_whole_block(home: Path, state: Path) -> None:
    code = """if True:
        import sys
        from pathlib import Path
        from runaway.installer.errors import Refusal
        from runaway.installer.files.lock import locked
        try:
            with locked(Path(sys.argv[1]), patience=0):
                print("free")
        except Refusal as refusal:
            print(refusal.code)
    """

    def other_run() -> bytes:
        return subprocess.check_output([sys.executable, "-c", code, state])

    with Commit(state) as writer:
        writer.apply(home / "one", add)
        assert other_run() == b"locked\n"
        writer.apply(home / "two", add)
        assert other_run() == b"locked\n"
    assert other_run() == b"free\n"


def receipt_for(path: Path) -> Receipt:
    return Receipt(
        path, path, (), None, digest(OURS), None, (), (), "claude", "user", "2026-01-01", "1.0"
    )


CHANGES = [
    pytest.param(b"theirs\n", add, id="an edit"),
    pytest.param(None, add, id="a new file"),
    pytest.param(b"theirs\n", delete, id="a removal"),
]


@pytest.mark.parametrize(("content", "transform"), CHANGES)
def test_a_dry_run_touches_nothing_and_tells_what_commit_does(
    home: Path,
    state: Path,
    content: bytes | None,
    transform: Callable[[bytes | None], bytes | None],
) -> None:
    file = home / "a" / "b" / "settings"
    if content is not None:
        file.parent.mkdir(parents=True)
        file.write_bytes(content)
    before = tree(home.parent)
    with DryRun() as writer:
        told = writer.apply(file, transform)
        writer.record(receipt_for(file))
        writer.forget(receipt_for(file))
    assert tree(home.parent) == before
    assert told == Commit(state).apply(file, transform)._replace(backup=None)


def test_the_refusing_writer_lets_only_unchanged_files_pass(home: Path) -> None:
    file = home / "settings"
    file.write_bytes(OURS)
    before = tree(home)
    writer: Writer = Refuse()
    assert writer.apply(file, add).action == "unchanged"
    with pytest.raises(AssertionError, match="would be written"):
        writer.apply(file, remove)
    with pytest.raises(AssertionError, match="would be created"):
        writer.apply(home / "new", add)
    with pytest.raises(AssertionError, match="receipt"):
        writer.record(receipt_for(file))
    with pytest.raises(AssertionError, match="receipt"):
        writer.forget(receipt_for(file))
    assert tree(home) == before
