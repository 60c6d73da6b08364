from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from runaway.installer.diff import folder_for, unified
from tests.support.installer import NASTY, needs_patch

HERE = Path("/home/u")
SECRET = "Zq7xYw0123456789abcdef"

OLD = b'{\n  "model": "opus"\n}\n'
NEW = b'{\n  "model": "opus",\n  "hooks": {}\n}\n'

LONG = b"".join(b'  "key%d": "%d",\n' % (number, number) for number in range(500))

# (before, after): None is no file.
CHANGES: dict[str, tuple[bytes | None, bytes | None]] = {
    "a line more": (OLD, NEW),
    "a line less": (NEW, OLD),
    "CRLF": (OLD.replace(b"\n", b"\r\n"), NEW.replace(b"\n", b"\r\n")),
    "mixed line ends": (OLD.replace(b'"\n', b'"\r\n'), NEW),
    "old Mac line ends": (OLD.replace(b"\n", b"\r"), NEW.replace(b"\n", b"\r")),
    "no final newline": (OLD.rstrip(), NEW.rstrip()),
    "a final newline more": (OLD.rstrip(), NEW),
    "a final newline less": (OLD, NEW.rstrip()),
    "an empty file": (b"", NEW),
    "a blank file": (b" \n", NEW),
    "a new file": (None, NEW),
    "a new file without final newline": (None, NEW.rstrip()),
    "a file that goes": (NEW, None),
    "BOM": (b"\xef\xbb\xbf" + OLD, b"\xef\xbb\xbf" + NEW),
    "U+2028 and form feeds in a line": (
        OLD + b"\xe2\x80\xa8\x0c\x85\n",
        NEW + b"\xe2\x80\xa8\x0c\x85\n",
    ),
    "bytes that are no text": (OLD + b"\xff\xfe\x80\n", NEW + b"\xff\xfe\x80\n"),
    "UTF-16": (OLD.decode().encode("utf-16"), NEW.decode().encode("utf-16")),
    "lines that look like a diff": (b"--- a\n+++ b\n@@ -1 +1 @@\n", b"--- a\n--- b\n@@ -1 +1 @@\n"),
    "a change far down": (b"{\n" + LONG + OLD[2:], b"{\n" + LONG + NEW[2:]),
    "a change far up": (
        b"{\n" + LONG + b'  "z": 1\n}\n',
        b'{\n  "hooks": {},\n' + LONG + b'  "z": 1\n}\n',
    ),
    "one more of many equal lines": (b"{\n" + b"\n" * 40 + b"}\n", b"{\n" + b"\n" * 41 + b"}\n"),
    "secrets far from the change": (
        b'{\n  "token": "%s",\n' % SECRET.encode() + LONG + OLD[2:],
        b'{\n  "token": "%s",\n' % SECRET.encode() + LONG + NEW[2:],
    ),
    "a secret in a block that begins far up": (
        b'{\n  "env": {\n' + LONG + b'    "K": "%s"\n  },\n  "a": 1\n}\n' % SECRET.encode(),
        b'{\n  "env": {\n' + LONG + b'    "K": "%s"\n  },\n  "a": 2\n}\n' % SECRET.encode(),
    ),
    "secrets nearby": (
        b'{\n  "env": {\n    "K": "%s"\n  },\n  "a": 1\n}\n' % SECRET.encode(),
        b'{\n  "env": {\n    "K": "%s"\n  },\n  "a": 1,\n  "hooks": {}\n}\n' % SECRET.encode(),
    ),
    "a secret on the next line": (
        b'{\n  "a": [],\n  "token": "%s"\n}\n' % SECRET.encode(),
        b'{\n  "a": [1],\n  "token": "%s"\n}\n' % SECRET.encode(),
    ),
}


def patched(folder: Path, name: str, before: bytes | None, diff: str) -> bytes | None:
    """What the program patch makes of the file."""
    file = folder / name
    file.parent.mkdir(parents=True, exist_ok=True)
    if before is not None:
        file.write_bytes(before)
    data = diff.encode("utf-8", "surrogateescape")
    done = subprocess.run(
        ["patch", "-p0", "--fuzz=0"], input=data, capture_output=True, cwd=folder, check=False
    )
    assert done.returncode == 0, (done.stdout + done.stderr).decode()
    assert list(folder.rglob("*.rej")) == []
    return file.read_bytes() if file.exists() else None


@needs_patch
@pytest.mark.parametrize(("before", "after"), CHANGES.values(), ids=CHANGES.keys())
def test_patch_makes_the_same_bytes_of_it(
    tmp_path: Path, before: bytes | None, after: bytes | None
) -> None:
    diff = unified(HERE / ".claude/settings.json", before, after, HERE)
    assert patched(tmp_path, ".claude/settings.json", before, diff) == after
    assert SECRET not in diff


NAMES = ["a b/s.json", "a\tb \\", "a\nb/s.json", '"a"/s.json', f"{NASTY}/s.json", "ünï"]


@needs_patch
@pytest.mark.parametrize("name", NAMES)
def test_patch_finds_the_file_whatever_its_name(tmp_path: Path, name: str) -> None:
    diff = unified(HERE / name, OLD, NEW, HERE)
    assert patched(tmp_path, name, OLD, diff) == NEW


def test_a_file_below_the_current_folder_is_named_from_there() -> None:
    assert unified(HERE / "a/b", b"1\n", b"2\n", HERE).startswith("--- a/b\n+++ a/b\n@@ ")


@pytest.mark.parametrize(
    ("files", "folder"),
    [
        (["/home/u/project/a", "/home/u/project/b/c"], "/home/u/project"),
        (["/home/u/project/a", "/home/u/.claude/settings.json"], "/home/u"),
        (["/home/u/.claude/settings.json", "/etc/x"], "/"),
        ([], "/home/u/project"),
    ],
)
def test_the_folder_is_one_that_all_files_lie_below(files: list[str], folder: str) -> None:
    found = folder_for(map(Path, files), Path("/home/u/project"), Path("/home/u"))
    assert found == Path(folder)


def test_a_file_elsewhere_is_named_from_the_root() -> None:
    told = unified(Path("/etc/x"), None, b"2\n", Path("/"))
    assert told.startswith("--- /dev/null\n+++ etc/x\n"), "patch refuses absolute names"


def test_equal_bytes_give_no_diff() -> None:
    assert unified(HERE / "a", OLD, OLD, HERE) == ""


# Where the changed line itself holds the secret, hiding it matters more than a patch that applies.
LEAKS = {
    "on one line": '{"env": {"FOO": "%s"}}',
    "the block opens on a line before": '{"env": {"A": "b",\n"FOO": "%s"}}',
    "a key of its own": '{"my_token": "%s"}',
    "UTF-16": '{"env": {"FOO": "%s"}}',
}


@pytest.mark.parametrize("kind", LEAKS)
def test_a_secret_in_the_changed_line_itself_is_masked(kind: str) -> None:
    encoding = "utf-16" if kind == "UTF-16" else "utf-8"
    before = LEAKS[kind] % SECRET
    after = before[:-1] + ', "hooks": {}}'
    diff = unified(HERE / "s.json", before.encode(encoding), after.encode(encoding), HERE)
    shown = diff.replace("\0", "")
    assert SECRET not in shown
    assert '"***"' in shown
    assert '"hooks": {}' in shown
