"""Text in the columns of a terminal."""

from __future__ import annotations

import pytest

from runaway.installer.fitting import width, wrapped

# What a line of 12 columns becomes.
WRAPPED = {
    "": [""],
    "it fits well": ["it fits well"],
    "one two three four": ["one two", "three four"],
    "  one two three": ["  one two", "  three"],
    "✗ one two three": ["✗ one two", "  three"],
    "a/very/long/path here": ["a/very/long/path", "here"],
    "see a/very/long/path": ["see", "a/very/long/path"],
    "日本 日本 日本": ["日本 日本", "日本"],
    "\x1b[31mone two\x1b[0m six": ["\x1b[31mone two\x1b[0m six"],
    "name    state": ["name", "state"],
}


@pytest.mark.parametrize(("text", "lines"), WRAPPED.items())
def test_a_wide_line_is_broken_between_words(text: str, lines: list[str]) -> None:
    assert wrapped(text, 12).split("\n") == lines
    assert " ".join(wrapped(text, 12).split()) == " ".join(text.split())


def test_a_wide_character_takes_two_columns() -> None:
    assert (width("日本"), width("e\u0301"), width("ab")) == (4, 1, 2)
