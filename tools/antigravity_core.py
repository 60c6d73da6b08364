"""Antigravity's own core, out of its SDK, for tests: what loads hooks.json, runs hooks and tools.

The SDK tells its core not to look for hooks.json in the usual places. Tests drive a copy in a scratch
folder in which that one switch is on: an instruction of five bytes, found by the name of the function
that reads it. Nothing of the SDK is kept here.
"""

from __future__ import annotations

import mmap
import struct
from collections.abc import Callable, Iterator
from pathlib import Path

from tools import pip_engine

PACKAGE, VERSION = "google-antigravity", "0.1.22"
FOLDER = pip_engine.CACHE / f"{PACKAGE}-{VERSION}"
CORE = FOLDER / "google/antigravity/bin/localharness"
FUNCTION = b"customizations.(*Manager).GetJSONHooks\0"
TABLE = b"\xf1\xff\xff\xff\x00\x00\x01\x08"  # how Go's table of functions begins
ASKED, ON = bytes.fromhex("450fb64d00"), bytes.fromhex("6a01415990")  # the flag; a constant 1
LOADED = 1  # the kind of an ELF segment that is in memory
MIN_PC, TEXT = 20, 22  # places in the module's data, in words

Data = mmap.mmap


def installed() -> bool:
    return CORE.is_file()


def missing() -> str:
    """Why there is no core, as a skip reason."""
    return f"{PACKAGE} {VERSION} is not in {FOLDER}: `make live` installs it"


def copy(folder: Path) -> Path:
    """The core in `folder`, with the switch on; ValueError where it is not the known one."""
    with CORE.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        start, end = _bounds(data)
        changed = bytearray(data)
    if changed.count(ASKED, start, end) != 1:
        raise ValueError(f"the core of {PACKAGE} {VERSION} is not what it was")
    at = changed.index(ASKED, start)
    changed[at : at + len(ON)] = ON
    core = folder / CORE.name
    core.write_bytes(changed)
    core.chmod(0o755)
    return core


def _bounds(data: Data) -> tuple[int, int]:
    """Where FUNCTION begins and ends in the file."""
    offset = _offsets(data)
    for table in _places(data, TABLE):
        count, *_, names, _, _, _, lines = struct.unpack_from("<8Q", data, table + len(TABLE))
        if not 1000 < count < 10**6:
            continue
        for number in range(count):
            entry = table + lines + 8 * number
            start, about = struct.unpack_from("<II", data, entry)
            [name] = struct.unpack_from("<I", data, table + lines + about + 4)
            if _text(data, table + names + name).endswith(FUNCTION):
                [end] = struct.unpack_from("<I", data, entry + 8)
                text = _text_start(data, table, offset)
                return offset(text + start, False), offset(text + end, False)
    raise ValueError(f"{FUNCTION!r} is not in the core of {PACKAGE} {VERSION}")


def _places(data: Data, wanted: bytes) -> Iterator[int]:
    at = data.find(wanted)
    while at >= 0:
        yield at
        at = data.find(wanted, at + 1)


def _text(data: Data, at: int) -> bytes:
    return data[at : data.find(b"\0", at) + 1]


def _offsets(data: Data) -> Callable[[int, bool], int]:
    """From an address to a place in the file, or back."""
    [headers] = struct.unpack_from("<Q", data, 32)
    [count] = struct.unpack_from("<H", data, 56)
    found = (struct.unpack_from("<IIQQQQ", data, headers + 56 * one) for one in range(count))
    segments = [
        (place, address, size) for kind, _, place, address, _, size in found if kind == LOADED
    ]

    def offset(at: int, back: bool) -> int:
        for place, address, size in segments:
            start, other = (place, address) if back else (address, place)
            if start <= at < start + size:
                return int(at - start + other)
        raise ValueError(f"{at:x} is in no segment")

    return offset


def _text_start(data: Data, table: int, offset: Callable[[int, bool], int]) -> int:
    """The address of the code, from the module's data, which begin with the address of the table."""
    for module in _places(data, struct.pack("<Q", offset(table, True))):
        [first] = struct.unpack_from("<Q", data, module + 8 * MIN_PC)
        [text] = struct.unpack_from("<Q", data, module + 8 * TEXT)
        if first == text:
            return int(text)
    raise ValueError("no module's data")


def install() -> int:
    return 0 if installed() else pip_engine.install(PACKAGE, FOLDER)
