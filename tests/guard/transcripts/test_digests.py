from __future__ import annotations

import pytest

from runaway.guard.outcomes import shared
from runaway.guard.transcripts.digests import result_digest


def long(line: str, lines: int = 100) -> str:
    """A result with this line in the middle of a log."""
    return "a line of the log\n" * lines + line + "\nanother line of it\n" * lines


def dense(line: str) -> str:
    """The same where every line of the log has numbers."""
    return "at line 7\n" * 500 + line + "\nat line 8\n" * 500


SAME = {
    "durations": ("2 failed in 0.41s", "2 failed in 12.9s"),
    "durations in words": ("took 3 seconds", "took 12 seconds"),
    "durations in minutes": ("built in 1m3s (12ms idle)", "built in 59s (4ms idle)"),
    "durations by name": (
        '{"duration_ms": 1243.5, "ok": true}',
        '{"duration_ms": 87.25, "ok": true}',
    ),
    "times": ("at 2026-11-30T13:42:10Z", "at 2026-12-01T00:01:59Z"),
    "clocks": ("[13:42:10] waiting", "[13:42:20] waiting"),
    "dates": ("2026/11/30 13:42:10 refused", "2026/12/01 00:01:59 refused"),
    "Unix time": ("now 1764573821", "now 1764573999.25"),
    "addresses": ("<object at 0x7f3ab2c0>", "<object at 0x5620ffde>"),
    "ports": ("connect localhost:41233: refused", "connect localhost:39118: refused"),
    "ports in addresses": ("GET http://127.0.0.1:41233/x", "GET http://127.0.0.1:39118/x"),
    "process ids": ("pid 4711 gone", "pid=4712 gone"),
    "process groups": ("Process Group PGID: 4711", "Process Group PGID: 4802"),
    "identifiers": ("Chunk ID: e7f067\nok", "Chunk ID: 47a98b\nok"),
    "UUIDs": (
        "job 6f1c2d34-5a6b-4c7d-8e9f-0a1b2c3d4e5f",
        "job 0a1b2c3d-5a6b-4c7d-8e9f-6f1c2d345a6b",
    ),
    "hashes": ("HEAD is now at 1f3c9aa", "HEAD is now at be01ab2"),
    "temporary folders": ("/tmp/tmp8ct6yoru/x.py: no", "/tmp/tmpabcdefgh/x.py: no"),
    "random names": ("container web-x7k2p9q4 failed", "container web-b1c8d3e6 failed"),
    "times by a longer name": ("start_time: 41 requestId=7", "start_time: 42 requestId=8"),
    "folders below one for temporary files": (
        "/var/folders/zz/a1b2/T/tmpabcd/src/x.py: no",
        "/var/folders/yy/c3d4/T/tmpefgh/src/x.py: no",
    ),
    "folders of pytest": (
        "/tmp/pytest-of-me/pytest-12/test_a0/x.py: no",
        "/tmp/pytest-of-me/pytest-13/test_a0/x.py: no",
    ),
    "durations in the middle of a long result": (long("built in 3.1s"), long("built in 2.9s")),
    "identifiers in the middle of a very long result": (dense("0x7f3a"), dense("0x99cc")),
    "lone surrogates": ("\ud83d 1.5s", "\ud83d 2.5s"),
}
DIFFERENT = {
    "words": ("connection refused", "connection reset"),
    "counts": ("19 failed, 81 passed in 0.4s", "18 failed, 82 passed in 0.4s"),
    "progress": ("[12/100] cc a.c", "[13/100] cc a.c"),
    "percentages": ("done 12%", "done 13%"),
    "lines and columns": ("a.py:12:5: error", "a.py:14:5: error"),
    "versions": ("needs 1.2.3", "needs 1.2.4"),
    "sizes": ("12.3MB read", "14.1MB read"),
    "exit codes": ("exit code 1", "exit code 2"),
    "numbers alone": ("41", "42"),
    "progress in thousands": ("[1234/5678] cc a.c", "[1239/5678] cc a.c"),
    "bytes": ("104857600 of 524288000", "204857600 of 524288000"),
    "coloured counts": ("\x1b[31m19 failed\x1b[0m", "\x1b[31m18 failed\x1b[0m"),
    "counts after a word that ends like a name": ("valid 81, import 19", "valid 82, import 18"),
    "lines and columns alone": ("12:5:7 error", "12:5:9 error"),
    "ranges": ("lines 10-20-30", "lines 10-20-31"),
    "names of a letter and a number": ("FAIL s1", "FAIL s2"),
    "names with numbers": ("FAIL lesson1part2", "FAIL lesson1part3"),
    "folders of a project among temporary files": (
        "/tmp/build/src/a/index.ts: no",
        "/tmp/build/src/b/index.ts: no",
    ),
    "counts in the middle of a long result": (long("19 failed"), long("18 failed")),
    "lines in the middle of a long result": (long("a.py:12:5: no"), long("a.py:14:5: no")),
    "letters in the middle of a long result": (long("FAIL test_a"), long("FAIL test_b")),
    "letters of hexadecimal numbers": ("add a face", "add a cafe"),
    "the head of a long result": ("x" + "z" * 9000, "y" + "z" * 9000),
    "the middle of a long result": ("z" * 4000 + "x" + "z" * 4000, "z" * 4000 + "y" + "z" * 4000),
    "the tail of a long result": ("z" * 9000 + "x", "z" * 9000 + "y"),
}


@pytest.mark.parametrize(("one", "other"), SAME.values(), ids=SAME)
def test_what_changes_from_run_to_run_is_not_shared(one: str, other: str) -> None:
    assert shared(result_digest(False, one)) == shared(result_digest(False, other))
    assert result_digest(False, one) != result_digest(False, other)


@pytest.mark.parametrize(("one", "other"), DIFFERENT.values(), ids=DIFFERENT)
def test_other_results_differ(one: str, other: str) -> None:
    assert shared(result_digest(False, one)) != shared(result_digest(False, other))


def test_a_failure_is_never_equal_to_a_success() -> None:
    assert shared(result_digest(True, "same")) != shared(result_digest(False, "same"))


def test_colours_do_not_hide_a_duration() -> None:
    one, other = (f"\x1b[1;32mok\x1b[0m \x1b[2m{took}\x1b[22m" for took in ("3ms", "12ms"))
    assert shared(result_digest(False, one)) == shared(result_digest(False, other))


@pytest.mark.parametrize("outcome", ["0123456789ab", "!0123456789ab"])
def test_an_outcome_of_an_older_release_is_shared_as_a_whole(outcome: str) -> None:
    assert shared(outcome) == "0123456789ab"
