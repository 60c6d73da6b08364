from __future__ import annotations

import pytest

from runaway.installer.documents import text
from runaway.installer.errors import Refusal


@pytest.mark.parametrize(
    ("data", "utf16", "bom", "decoded"),
    [
        (b"", False, b"", ""),
        ("{} — é".encode(), False, b"", "{} — é"),
        (b"\xef\xbb\xbf{}", False, b"\xef\xbb\xbf", "{}"),
        (b"\xff\xfe{\x00}\x00", True, b"\xff\xfe", "{}"),
    ],
)
def test_decoded_text_gives_its_bytes_again(
    data: bytes, utf16: bool, bom: bytes, decoded: str
) -> None:
    source = text.decode(data, "f", utf16=utf16)
    assert (source.bom, source.text) == (bom, decoded)
    assert source.encode(source.text) == data


@pytest.mark.parametrize(
    ("data", "utf16", "sentence"),
    [
        (b'{"a": "\xff"}', False, "f is not UTF-8: byte 0xff at offset 7"),
        (b"\xef\xbb\xbf\xc3", False, "f is not UTF-8: byte 0xc3 at offset 3"),
        (b"\xff\xfe{\x00}\x00", False, "f is UTF-16, not UTF-8"),
        (b"\xfe\xff\x00{\x00}", True, "f is UTF-16, not UTF-8"),
        (b"\xed\xa0\x80", False, "f is not UTF-8: byte 0xed at offset 0"),
    ],
    ids=["latin-1", "cut off", "utf-16", "big-endian utf-16", "encoded surrogate"],
)
def test_what_cannot_be_decoded_is_refused(data: bytes, utf16: bool, sentence: str) -> None:
    with pytest.raises(Refusal) as caught:
        text.decode(data, "f", utf16=utf16)
    assert (caught.value.text, caught.value.code) == (sentence, "not-utf8")


def test_files_over_16_megabytes_are_refused() -> None:
    text.check_size(bytes(16 * 1024 * 1024), "f")
    with pytest.raises(Refusal) as caught:
        text.check_size(bytes(16 * 1024 * 1024 + 1), "f")
    assert caught.value.code == "too-large"


@pytest.mark.parametrize(
    ("before", "place"),
    [
        ("", "1:1"),
        ("ab", "1:3"),
        ("a\nb", "2:2"),
        ("a\r\nb", "2:2"),
        ("a\rb", "2:2"),
        ("a\n\r\n\r", "4:1"),
        ("é€😀", "1:4"),
        ("a\u2028b", "1:4"),
    ],
)
def test_places_count_characters_and_every_kind_of_line_end(before: str, place: str) -> None:
    assert str(text.place(before + "X", len(before))) == place


@pytest.mark.parametrize(
    ("content", "line_end"),
    [
        ("a", "\n"),
        ("a\r\n^", "\r\n"),
        ("a\n^", "\n"),
        ("a\r^", "\r"),
        ("a\r\nb\n^", "\n"),
        ("a\nb\r\n^\nc", "\r\n"),
        ("^ab\r\nc\n", "\r\n"),
        ("\n^", "\n"),
    ],
)
def test_the_line_end_is_that_of_the_nearest_line(content: str, line_end: str) -> None:
    offset = max(content.find("^"), 0)
    assert text.line_end_near(content.replace("^", ""), offset) == line_end


def test_the_indent_is_what_opens_the_line() -> None:
    assert text.line_indent("a\n \t b", 6) == " \t "
    assert text.line_indent("  a", 1) == " "
    assert text.line_indent("a\r  b", 4) == "  "
