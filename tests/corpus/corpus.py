"""The whole corpus: each harness with its cases, in the order of the published table."""

from __future__ import annotations

from tests.corpus import claude, codex, cursor
from tests.corpus.case import Case, Harness

CORPUS: tuple[tuple[Harness, tuple[Case, ...]], ...] = (
    (claude.CLAUDE, claude.CASES),
    (codex.CODEX, codex.CASES),
    (codex.CODEX_TOML, codex.TOML_CASES),
    (cursor.CURSOR, cursor.CASES),
)
