"""Mistakes in a call: our own sentence for each, nothing of the libraries that find them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.installer.console import run

SAID = {
    "setup --spend-cap much": "--spend-cap takes a number, not 'much'.",
    "resume --laps 1.5": "--laps takes a whole number, not '1.5'.",
    "prices set m one 2": "IN takes a number, not 'one'.",
    "prices set m -1 2": "-1 is below 0: neither a setting nor a price can be.",
    "setup --spend-cap": "--spend-cap needs a value.",
    "setup --scop x": "`runaway setup` has no option --scop; did you mean --scope?",
    "setup --nothing-like-it": "`runaway setup` has no option --nothing-like-it.",
    "setup --dry-run=yes": "--dry-run takes no value.",
    "config get": "`runaway config get` needs KEY.",
    "confg": "There is no command 'confg'; did you mean 'config'?",
    "why a b": "That is more than it takes: b.",
}


@pytest.mark.parametrize(("line", "sentence"), SAID.items())
def test_a_mistake_is_one_sentence_and_where_to_look(empty: Path, line: str, sentence: str) -> None:
    ran = run(empty, *line.split())
    first, second = ran.err.decode().splitlines()
    assert (ran.code, ran.out, first) == (2, b"", sentence)
    assert second.startswith("  See `runaway")


def test_a_group_without_a_command_shows_its_help(empty: Path) -> None:
    ran = run(empty, "config")
    assert (ran.code, ran.out) == (2, b"")
    assert ran.err.startswith(b"Usage: runaway config")
