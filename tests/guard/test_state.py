"""Who may write what the guard remembers: what guard/state.py says, compared with the code."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from runaway.guard import approvals

GUARD = Path(approvals.__file__).parent
WRITERS = {  # of the keys of SessionState and AgentState
    "session harness started seen cwd transcript prompt turn told": "history",
    "agents storm met laps tripped": "history",
    "count unseen": "history",
    "asked granted": "approvals",
    "project invalid": "policy",
    "failing": "failure",
    "over": "judge",
    "spend": "spending",
    "days": "spending",
    "lost": "hook",
    "failed": "failure",
    "until behind": "session_files",
    "members looked": "codex_files",
}
STATES = {"state", "agent", "agents", "logs", "storm", "granted", "asked", "unseen"}


def key_of(node: ast.expr) -> str | None:
    """The key of `state["key"]`, `context.agent["key"]`, `state["logs"]["key"]`."""
    if not isinstance(node, ast.Subscript) or not isinstance(node.slice, ast.Constant):
        return None
    owner = node.value
    name = owner.attr if isinstance(owner, ast.Attribute) else getattr(owner, "id", None)
    if isinstance(owner, ast.Subscript):
        name = key_of(owner)
    return str(node.slice.value) if name in STATES else None


def written(file: Path) -> Iterator[str]:
    """The keys that a module assigns, deletes or sets by default."""
    for node in ast.walk(ast.parse(file.read_bytes())):
        targets: list[ast.expr] = []
        if isinstance(node, ast.Assign):
            targets = [*node.targets]
        elif isinstance(node, ast.AugAssign):
            targets = [node.target]
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            call, owner = node.func, node.func.value
            name = owner.attr if isinstance(owner, ast.Attribute) else getattr(owner, "id", "")
            if call.attr in ("setdefault", "pop") and name in STATES and node.args:
                yield str(getattr(node.args[0], "value", ""))
        for target in targets:
            parts = target.elts if isinstance(target, ast.Tuple) else [target]
            yield from (key for key in map(key_of, parts) if key)


@pytest.mark.parametrize(
    ("key", "writer"), [(key, writer) for keys, writer in WRITERS.items() for key in keys.split()]
)
def test_a_key_of_the_state_has_one_writer(key: str, writer: str) -> None:
    assert {file.stem for file in GUARD.rglob("*.py") if key in written(file)} == {writer}


@pytest.mark.parametrize("key", [key for keys in WRITERS for key in keys.split()])
def test_the_writer_of_a_key_is_told_where_its_type_is(key: str) -> None:
    assert key in (ast.get_docstring(ast.parse((GUARD / "state.py").read_bytes())) or "")


def test_types_are_never_imported_at_run_time() -> None:
    for file in GUARD.rglob("*.py"):
        for node in ast.parse(file.read_bytes()).body:
            assert not (isinstance(node, ast.ImportFrom) and node.module in ("state", "typing")), (
                file
            )
