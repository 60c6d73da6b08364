"""docs/editing-safely.md: every promise names tests that exist."""

from __future__ import annotations

import ast
import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
DOCUMENT = (ROOT / "docs/editing-safely.md").read_text(encoding="utf-8")
PROMISES = DOCUMENT.split("\n## A collection")[0].split("\n- ")[1:]
TEST = re.compile(r"`(tests/[\w/]+\.py)::(test_\w+)`")


def defined_in(file: str) -> set[str]:
    tree = ast.parse((ROOT / file).read_text(encoding="utf-8"))
    return {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}


def test_every_promise_names_the_test_that_holds_it() -> None:
    assert len(PROMISES) > 30
    assert [promise for promise in PROMISES if not TEST.search(promise)] == []


def test_the_named_tests_exist() -> None:
    named = TEST.findall(DOCUMENT)
    assert len(named) >= DOCUMENT.count("::")
    assert [(file, name) for file, name in named if name not in defined_in(file)] == []
