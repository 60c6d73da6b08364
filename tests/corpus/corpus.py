"""The whole corpus: each harness with its cases, in the order of the published table."""

from __future__ import annotations

from tests.corpus import claude, claude_refused, codex, copilot, cursor, droid, gemini, grok, qwen
from tests.corpus.case import Case, Harness

CLAUDE_CASES = (*claude.CASES, *claude_refused.CASES)
CORPUS: tuple[tuple[Harness, tuple[Case, ...]], ...] = (
    (claude.CLAUDE, CLAUDE_CASES),
    (codex.CODEX, codex.CASES),
    (codex.CODEX_TOML, codex.TOML_CASES),
    (cursor.CURSOR, cursor.CASES),
    (gemini.GEMINI, gemini.CASES),
    (copilot.COPILOT, copilot.CASES),
    (qwen.QWEN, qwen.CASES),
    (droid.DROID, droid.CASES),
    (grok.GROK, grok.CASES),
)
