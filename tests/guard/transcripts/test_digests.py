from __future__ import annotations

import pytest

from runaway.guard.outcomes import shared
from runaway.guard.transcripts.digests import result_digest

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
    "identifiers": ("Chunk ID: e7f067\nok", "Chunk ID: 47a98b\nok"),
    "UUIDs": (
        "job 6f1c2d34-5a6b-4c7d-8e9f-0a1b2c3d4e5f",
        "job 0a1b2c3d-5a6b-4c7d-8e9f-6f1c2d345a6b",
    ),
    "hashes": ("HEAD is now at 1f3c9aa", "HEAD is now at be01ab2"),
    "temporary folders": ("/tmp/tmp8ct6yoru/x.py: no", "/tmp/tmpabcdefgh/x.py: no"),
    "random names": ("container web-x7k2p9q4 failed", "container web-b1c8d3e6 failed"),
    "identifiers in the middle of a long result": (
        "a" * 3000 + "0x7f3a" + "z" * 3000,
        "a" * 3000 + "0x99cc" + "z" * 3000,
    ),
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


@pytest.mark.parametrize("outcome", ["0123456789ab", "!0123456789ab"])
def test_an_outcome_of_an_older_release_is_shared_as_a_whole(outcome: str) -> None:
    assert shared(outcome) == "0123456789ab"
