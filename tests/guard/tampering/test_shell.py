"""Texts of a shell, and the simple commands in them."""

from __future__ import annotations

import pytest

from runaway.guard.tampering.shell import Splitter

SPLIT: dict[str, list[list[str]]] = {
    "a b; c && d || e\nf & g | h": [["a", "b"], ["c"], ["d"], ["e"], ["f"], ["g"], ["h"]],
    "a 'b; c' \"d | e\" f\\ g": [["a", "b; c", "d | e", "f g"]],
    "a 'b'\"c\"d ''": [["a", "bcd", ""]],
    "(a; b) && { c; }": [["a"], ["b"], ["{", "c"], ["}"]],
    "a # b; c\nd#e": [["a"], ["d#e"]],
    "x=1; a $x ${x}2 ${y:-3} '$x' \"$x\"": [["x=1"], ["a", "1", "12", "3", "$x", "1"]],
    "c='a b'; $c \"$c\"": [["c=a b"], ["a", "b", "a b"]],
    "for f in a b; do c $f; done": [["for", "f", "in", "a", "b"], ["do", "c", "a", "b"], ["done"]],
    "$(which a) b": [["which", "a"], ["a", "b"]],
    'a "$(b "c d" | e)" f': [["b", "c d"], ["e"], ["a", "", "f"]],
    "a <(b c) d": [["b", "c"], ["a", "d"]],
    "a 2>&1 &>b >>c 2>d <e f": [["a", "f"]],
    "a <<E b\nc; d\nE\nf": [["a", "b"], ["f"]],
    "a <<-'E'\n\tc $(d)\n\tE\nf": [["a"], ["f"]],
    "a \\\n b": [["a", "b"]],
    "a `b c` d": [["b", "c"], ["a", "", "d"]],
}


def split(text: str) -> list[list[str]]:
    return [command.words for command in Splitter(text, lambda _: None).split()]


@pytest.mark.parametrize(("text", "commands"), SPLIT.items(), ids=SPLIT)
def test_a_text_is_split_as_a_shell_does(text: str, commands: list[list[str]]) -> None:
    assert split(text) == commands


def test_what_output_goes_to_and_what_comes_in_is_known() -> None:
    first, second = Splitter("a >b 2>/dev/null 3>>c <<E | d\nbody\nE\n", lambda _: None).split()
    assert (first.targets, first.body) == (["b", "/dev/null", "c"], "body\n")
    assert second.fed is first


@pytest.mark.parametrize(
    "text", ["'a", '"a $(b', "`a", "a <<E\nb", "${a", ")))", "a >", "<<", "\\"]
)
def test_what_is_not_closed_ends_with_the_text(text: str) -> None:
    assert len(split(text)) <= 2
