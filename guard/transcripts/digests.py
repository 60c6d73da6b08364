"""Tell the results of one and the same call apart: exactly, and but for what each run changes.

What a run changes are times, addresses and ids. They are recognised word by word, without `re`, whose
import costs more than all else that the guard does.
"""

from __future__ import annotations

from ..call import digest

DIGITS = b"0123456789"
HEX = DIGITS + b"abcdefABCDEF"
PART = 2048  # bytes of the head and of the tail in which words are told apart
MARKS = b"\t\r\n()[]{}<>\"'`,;=|@#*!?&~$^\\"
SPACED = bytes.maketrans(MARKS, b" " * len(MARKS))
MASKED = b"~"
UNITS = frozenset(b"s ms us ns \xc2\xb5s m h d hm hms min sec".split())
UNIT_WORDS = frozenset(
    b"s ms us ns sec secs second seconds min minute minutes hour hours day days milliseconds ago".split()
)
NAMED = (b"pid", b"id", b"port", b"time", b"duration", b"elapsed", b"timestamp", b"took", b"_ms")
LOCAL = (b"localhost:", b"127.0.0.1:", b"0.0.0.0:")
SCRATCH = (b"/tmp/", b"/var/folders/", b"/private/")
MIN_HASH = 6  # characters of an abbreviated hash
MIN_NAME = 8  # of a random name
MIN_EPOCH = 9  # digits of a number that can only be a time or an id


def result_digest(failed: bool, content: str) -> str:
    """Return two digests in one: of what all runs share, then of the whole result."""
    data = content.encode("utf-8", "surrogatepass")
    return digest(("!" if failed else "") + _stable(data).decode("latin-1")) + digest(content)


def _stable(data: bytes) -> bytes:
    """Return the result with the words that change from run to run masked.

    Of a long one this is done at both ends, up to an end of a line; in its middle, where that would
    take too long, digits and the letters of hexadecimal numbers are dropped.
    """
    if len(data) <= 2 * PART:
        return _masked(data)
    start = data.rfind(b"\n", 0, PART) + 1 or PART
    end = data.find(b"\n", len(data) - PART) + 1 or len(data) - PART
    return _masked(data[:start]) + data[start:end].translate(None, HEX) + _masked(data[end:])


def _masked(data: bytes) -> bytes:
    words, before = data.translate(SPACED).split(), b""
    for at, word in enumerate(words):
        if not word.isalpha():
            words[at] = _word(word, before)
        elif before.isdigit() and word in UNIT_WORDS:
            words[at - 1] = MASKED
        before = word if word != b":" else before
    return b" ".join(words)


def _word(word: bytes, before: bytes) -> bytes:
    """Return the word, or what is left of it, where it is a time, an address or an id."""
    if word.startswith(SCRATCH):
        return _path(word)
    rest = word.translate(None, DIGITS)
    if len(rest) == len(word):
        return word
    bare = word.strip(b":.-/+%_")
    marks = bare.translate(None, DIGITS)
    if not marks.strip(b".") and before.rstrip(b":").lower().endswith(NAMED):
        return MASKED
    if _is_time(bare, marks) or _is_id(bare, marks):
        return MASKED
    if any(local in word for local in LOCAL):
        return rest
    return _path(word) if b"/" in bare or b"-" in bare else word


def _is_time(bare: bytes, marks: bytes) -> bool:
    """Recognise a clock, a date, a duration and Unix time."""
    if marks.count(b":") > 1 or marks in (b"--", b"//"):
        return not marks.strip(b":.-/+TZ")
    if not marks.strip(b"."):
        return len(bare.partition(b".")[0]) >= MIN_EPOCH
    return marks.replace(b".", b"") in UNITS


def _is_id(bare: bytes, marks: bytes) -> bool:
    """Recognise an address in memory, a hash, a UUID and a random name."""
    if bare[:2] in (b"0x", b"0X"):
        return True
    others = bare.translate(None, HEX)
    if not others:
        return len(bare) >= MIN_HASH and bool(marks)
    return others == b"----" or (len(bare) >= MIN_NAME and bare.isalnum() and _changes(bare) > 2)


def _changes(bare: bytes) -> int:
    """Count how often digits follow letters or letters digits."""
    kinds = [bare[at : at + 1].isdigit() for at in range(len(bare))]
    return sum(one != other for one, other in zip(kinds, kinds[1:]))


def _path(word: bytes) -> bytes:
    """Mask what is random in a path, and what stands in a folder for temporary files."""
    if word.startswith(SCRATCH):
        start, slash, name = word.strip(b":.").rpartition(b"/")
        return SCRATCH[0] + slash + name if start.count(b"/") > 1 else MASKED
    parts = word.replace(b"-", b"/").split(b"/")
    return b"/".join(
        MASKED if _is_id(part.strip(b":.-_"), part.strip(b":.-_").translate(None, DIGITS)) else part
        for part in parts
    )
