from __future__ import annotations

from pathlib import Path

from runaway.guard.policy import DEFAULTS
from tools.rules_table import table

DOCUMENT = (Path(__file__).parent.parent / "docs/how-it-decides.md").read_text(encoding="utf-8")


def test_the_numbers_in_the_document_are_those_of_the_guard() -> None:
    assert table() in DOCUMENT, "renew it with: python -m tools.rules_table"


def test_every_rule_is_explained() -> None:
    explained = DOCUMENT.split("## The wires")[1]
    assert [rule for rule in DEFAULTS if f"`{rule}`" not in explained] == []
