"""Tell the results of one and the same call apart: exactly, and but for what each run changes.

What a run changes are times, addresses and ids. They are recognised word by word, without `re`, whose
import costs more than all else that the guard does.
"""

from __future__ import annotations

from ..call import digest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

DIGITS = b"0123456789"
HEX = DIGITS + b"abcdefABCDEF"
MAX_WORD_BYTES = 4096  # bytes of a long result's lines in which words are told apart
SHORT = 2048  # bytes of a result that is not long
MARKS = b"\t\r\n()[]{}<>\"'`,;=|@#*!?&~$^\\"
SPACED = bytes.maketrans(MARKS, b" " * len(MARKS))
MASKED = b"~"
EDGES = b":.-/+%_"  # around a word
UNITS = frozenset(b"s ms us ns \xc2\xb5s m h d hm hms min sec".split())
UNIT_WORDS = frozenset(
    b"s ms us ns sec secs second seconds min minute minutes hour hours day days milliseconds ago".split()
)
NAMES = frozenset(
    b"id pid ppid pgid tid uid gid sid port time duration elapsed timestamp took".split()
)
ENDINGS = (b"_ms", b"Id", b"Port", b"Time", b"Ms", b"Duration", b"Timestamp")  # of longer names
LOCAL = (b"localhost:", b"127.0.0.1:", b"0.0.0.0:")
SCRATCH = (b"/tmp/", b"/var/folders/", b"/private/")
MIN_HASH = 6  # characters of an abbreviated hash
MIN_NAME = 8  # of a random name
RANDOM = (b"tmp", b"pytest-")  # how names of temporary folders begin
EPOCH = 10  # digits of Unix time
MIN_ID = 13  # digits of a number that can only be a time or an id
ESCAPE = b"\x1b["  # begins a colour
UNIT, NUMBER = b"unit", b"number"  # kinds of words, told by identity
MAX_WORDS = 1 << 16  # words to remember
PARAMETERS = DIGITS + b";:?"  # of it; a letter ends it


def result_digest(failed: bool, content: str) -> str:
    """Return two digests in one: of what all runs share, then of the whole result."""
    data = content.encode("utf-8", "surrogatepass")
    return digest(("!" if failed else "") + _stable(data).decode("latin-1")) + digest(content)


def _stable(data: bytes) -> bytes:
    """Return the result with the words that change from run to run masked.

    In a long one these are looked for in lines that hold digits or names of temporary files, and where
    that would take too long, at both ends of them; between, digits and the letters of hexadecimal
    numbers are dropped.
    """
    if ESCAPE in data:
        data = _colourless(data)
    if len(data) <= SHORT or not _changes(data):
        return _masked(data)
    scratch = any(one in data for one in SCRATCH)
    plain: list[bytes] = []
    numbered: list[bytes] = []
    for line, rest in zip(data.split(b"\n"), data.translate(None, DIGITS).split(b"\n")):
        changes = len(line) != len(rest) or (scratch and _changes(line))
        (numbered if changes else plain).append(line)
    found, half = b"\n".join(numbered), MAX_WORD_BYTES // 2
    if len(found) <= 2 * half:
        return b"\n".join(plain) + _masked(found)
    start = found.rfind(b"\n", 0, half) + 1 or half
    end = found.find(b"\n", len(found) - half) + 1 or len(found) - half
    dropped = found[start:end].translate(None, HEX)
    return b"\n".join((*plain, _masked(found[:start]), dropped, _masked(found[end:])))


def _colourless(data: bytes) -> bytes:
    first, *others = data.split(ESCAPE)
    return first + b"".join([part.lstrip(PARAMETERS)[1:] for part in others])


def _changes(data: bytes) -> bool:
    """Tell whether anything in it may change from run to run: digits, names of temporary files."""
    if len(data.translate(None, DIGITS)) != len(data):
        return True
    return b"/" in data and any(one in data for one in SCRATCH)


def _masked(data: bytes) -> bytes:
    if not _changes(data):
        return data
    words, before = data.translate(SPACED).split(), b""
    for at, word in enumerate(words):
        alone = ALONE[word]
        if alone is UNIT:
            if before.isdigit():
                words[at - 1] = MASKED
        elif alone is NUMBER:
            if NAMING[before]:
                words[at] = MASKED
        elif alone is not word:
            words[at] = alone
        before = word if word != b":" else before
    return b" ".join(words)


def _alone(word: bytes) -> bytes:
    """Return what is left of the word by itself, or UNIT or NUMBER where the word before it decides."""
    if word.isalpha():
        return UNIT if word in UNIT_WORDS else word
    if word[:1] == b"/" and word.startswith(SCRATCH):
        return _scratch(word)
    rest = word.translate(None, DIGITS)
    return word if len(rest) == len(word) else _digits(word, rest)


def _digits(word: bytes, rest: bytes) -> bytes:
    """Return the word, or what is left of it, where it is a time, an address or an id.

    `rest`: what is no digit of it.
    """
    marks = rest.strip(EDGES)
    if not marks:
        return MASKED if _is_moment(word, rest) else NUMBER
    if marks.replace(b".", b"") in UNITS and _is_duration(word.strip(EDGES)):
        return MASKED
    if b":" in rest:
        if _is_clock(rest):
            return MASKED
        if any(local in word for local in LOCAL):
            return rest
    return word if len(word) < MIN_HASH else _name(word, marks)


def _is_moment(word: bytes, rest: bytes) -> bool:
    """Recognise a clock, a date and Unix time."""
    if len(rest) > 1 and (_is_time(word) or _is_date(word)):
        return True
    number = word.strip(EDGES).partition(b".")[0]
    return len(number) >= EPOCH and number.isdigit() and (number < b"2" or len(number) >= MIN_ID)


def _naming(before: bytes) -> bytes:
    """Return what is left of a number after this word: nothing if that calls it a time or an id."""
    name = before.rstrip(b":")
    last = name.rpartition(b"-")[2].rpartition(b"_")[2].lower()
    return MASKED if last in NAMES or name.endswith(ENDINGS) else b""


def _is_time(word: bytes) -> bool:
    """`9:05:10.492`; not `9:5:10`, which is a line and a column."""
    parts = word.strip(EDGES).partition(b".")[0].split(b":")
    return len(parts) == 3 and len(parts[0]) < 3 and len(parts[1]) == len(parts[2]) == 2


def _is_date(word: bytes) -> bool:
    """`2026-11-30`, `30/11/2026`."""
    parts = sorted(map(len, word.strip(EDGES).replace(b"/", b"-").split(b"-")))
    return parts in ([2, 2, 4], [1, 2, 4], [1, 1, 4])


def _is_duration(bare: bytes) -> bool:
    """`1m3.2s`; not `s3`."""
    return bare[:1].isdigit() and not bare[-1:].isdigit()


def _is_clock(rest: bytes) -> bool:
    """Recognise a clock with its date by what is no digit of it."""
    return rest.count(b":") > 1 and not rest.strip(b":.-/+TZ")


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
    return len(bare) >= MIN_NAME and bare.isalnum() and _is_random(bare)


def _is_random(bare: bytes) -> bool:
    """Tell whether digits follow letters and letters digits more often than in a name of words."""
    kinds = [bare[at : at + 1].isdigit() for at in range(len(bare))]
    turns = sum(one != other for one, other in zip(kinds, kinds[1:]))
    return turns > 2 and 3 * turns >= len(bare)


def _scratch(word: bytes) -> bytes:
    """Mask the folder for temporary files and what is random below it."""
    path = word.strip(b":.").replace(b"/private/", b"/").split(b"/T/")[-1].split(b"/")
    names = path[-1:] if len(path) > 3 else ()
    folders = [one for one in path[3:-1] if not one.startswith(RANDOM) and not _is_id(one)]
    return b"/".join((SCRATCH[0], *folders, *names))


def _parts(word: bytes) -> bytes:
    """Mask what is random in a path, or in words that are joined; a UUID is joined of hashes."""
    if word.strip(EDGES).translate(None, HEX) == b"----":
        return MASKED
    parts = word.replace(b"-", b"/").split(b"/")
    return b"/".join(
        MASKED if len(part) >= MIN_HASH and _is_id(part.strip(EDGES)) else part for part in parts
    )


class _Words(dict[bytes, bytes]):
    """What a function tells of each word met so far: reading many logs meets the same ones again."""

    def __init__(self, tell: Callable[[bytes], bytes]) -> None:
        self.tell = tell

    def __missing__(self, word: bytes) -> bytes:
        if len(self) >= MAX_WORDS:
            self.clear()
        self[word] = told = self.tell(word)
        return told


ALONE, NAMING = _Words(_alone), _Words(_naming)
