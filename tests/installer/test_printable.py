from __future__ import annotations

import pytest

from runaway.installer.printable import printable, printable_lines

SHOWN = {
    "escape": ("\x1b[2J", r"\x1b[2J"),
    "C1 and DEL": ("\x9b\x7f\r", r"\x9b\x7f\x0d"),
    "a line feed": ("a\nb", r"a\x0ab"),
    "right to left": ("\u202etxt.exe\u202c", r"\u202etxt.exe\u202c"),
    "isolates": ("\u2066x\u2069", r"\u2066x\u2069"),
    "zero width": ("a\u200b\ufeffb", r"a\u200b\ufeffb"),
    "separators of lines": ("a\u2028b\u2029c\x85", r"a\u2028b\u2029c\x85"),
    "half an emoji": ("\ud83d", r"\ud83d"),
    "a byte that is no text": ("\udcff", r"\xff"),
    "a tag": ("\U000e0041", r"\U000e0041"),
    "a letter that shows nothing": ("\u3164", r"\u3164"),
    "text": ("ü\t日本\u3000🦊\u00a0✓", "ü\t日本\u3000🦊\u00a0✓"),
}


@pytest.mark.parametrize(("text", "wanted"), SHOWN.values(), ids=SHOWN.keys())
def test_what_steers_or_hides_is_shown_as_an_escape(text: str, wanted: str) -> None:
    assert printable(text) == wanted


def test_only_a_text_of_several_lines_keeps_its_line_feeds() -> None:
    assert printable_lines("a\n\tb\x1b") == "a\n\tb\\x1b"
