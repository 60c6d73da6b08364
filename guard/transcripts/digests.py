"""Tell the results of one and the same call apart: exactly, and but for what each run changes.

What a run changes are times, addresses and ids. They are recognised word by word, without `re`, whose
import costs more than all else that the guard does.
"""

from __future__ import annotations

from ..call import digest

DIGITS = b"0123456789"
HEX = DIGITS + b"abcdefABCDEF"
PART = 1024  # bytes of the head and of the tail in which words are told apart
MARKS = b"\t\r\n()[]{}<>\"'`,;=|@#*!?&~$^\\"
SPACED = bytes.maketrans(MARKS, b" " * len(MARKS))
MASKED = b"~"
EDGES = b":.-/+%_"  # around a word
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
    if len(data.translate(None, DIGITS)) == len(data) and not any(one in data for one in SCRATCH):
        return data
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
    if word[:1] == b"/" and word.startswith(SCRATCH):
        return _scratch(word)
    rest = word.translate(None, DIGITS)
    if len(rest) == len(word):
        return word
    marks = rest.strip(EDGES)
    if not marks:
        return MASKED if _is_moment(word, rest, before) else word
    if b":" in rest or marks.replace(b".", b"") in UNITS:
        if _is_clock(rest):
            return MASKED
        if any(local in word for local in LOCAL):
            return rest
    return word if len(word) < MIN_HASH else _name(word, marks)


def _is_moment(word: bytes, rest: bytes, before: bytes) -> bool:
    """Recognise a clock, a date, Unix time, and a number that the word before calls a time or an id."""
    if rest.count(b":") > 1 or rest.strip(b".:") in (b"--", b"//"):
        return True
    number = word.lstrip(EDGES).partition(b".")[0]
    return len(number) >= MIN_EPOCH or before.rstrip(b":").lower().endswith(NAMED)


def _is_clock(rest: bytes) -> bool:
    """Recognise, by what is no digit of it, a clock with its date, and a duration."""
    if rest.count(b":") > 1:
        return not rest.strip(b":.-/+TZ")
    return b":" not in rest.rstrip(b":")


def _name(word: bytes, marks: bytes) -> bytes:
    """Mask what is random in a name."""
    if b"/" in marks or b"-" in marks:
        return _parts(word)
    return MASKED if _is_id(word.strip(EDGES)) else word


def _is_id(bare: bytes) -> bool:
    """Recognise an address in memory, a hash, a UUID and a random name."""
    if bare[:2] in (b"0x", b"0X"):
        return True
    others = bare.translate(None, HEX)
    if not others:
        return len(bare) >= MIN_HASH and not bare.isalpha() and not bare.isdigit()
    return len(bare) >= MIN_NAME and bare.isalnum() and _changes(bare) > 2


def _changes(bare: bytes) -> int:
    """Count how often digits follow letters or letters digits."""
    kinds = [bare[at : at + 1].isdigit() for at in range(len(bare))]
    return sum(one != other for one, other in zip(kinds, kinds[1:]))


def _scratch(word: bytes) -> bytes:
    """Keep the name of what stands in a folder for temporary files, and no name of a folder."""
    start, slash, name = word.strip(b":.").rpartition(b"/")
    return SCRATCH[0] + slash + name if start.count(b"/") > 1 else MASKED


def _parts(word: bytes) -> bytes:
    """Mask what is random in a path, or in words that are joined; a UUID is joined of hashes."""
    if word.strip(EDGES).translate(None, HEX) == b"----":
        return MASKED
    parts = word.replace(b"-", b"/").split(b"/")
    return b"/".join(
        MASKED if len(part) >= MIN_HASH and _is_id(part.strip(EDGES)) else part for part in parts
    )
