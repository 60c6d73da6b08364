"""Which parts of a settings file are secrets: diffs and messages end up in CI logs."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

MASK = "***"
# Whole blocks whose values are secret, in JSON and in TOML, and single keys that look like one.
STRING = r'"(?:[^"\\\n]|\\.)*"'
BLOCK = re.compile(
    rf'"(?:env|headers|http_headers)"\s*:\s*\{{((?:[^{{}}"]|{STRING})*)\}}'
    r"|(?m:^\[[^\]\n]*(?:env|headers)\]$)([^\[]*)"
)
IN_BLOCK = re.compile(r'[:=]\s*(?:"((?:[^"\\\n]|\\.)+)"|([^\s"{}\[\],]+))')
# A value in quotes, or behind `=` inside a command line. The first lookbehind keeps it linear.
KEY = re.compile(
    r'(?i)(?<![\w.-])"?[\w.-]*'
    r"(?:token|secret|passw|api[_-]?key|authorization|credential|private[_-]?key)[\w.-]*"
    r"""(?:"?\s*[:=]\s*"((?:[^"\\\n]|\\.)+)"|=([^\s"'\\;&|]+))"""
)
BARE = re.compile(
    r"\b(?:(?:sk|pk|glpat|xox[abprs])-|(?:sk|pk|rk)_(?:live|test)_|gh[opsu]_|github_pat_|AKIA)"
    r"[\w-]{12,}|(?<=://)[^\s/:@\"]*:[^\s/@\"]+(?=@)|(?i:(?<=bearer )[\w.~+/=-]{8,})"
)


def secret_spans(text: str) -> list[tuple[int, int]]:
    """Sorted, merged spans (start, end) of what must not be shown."""
    merged: list[tuple[int, int]] = []
    for start, end in sorted(_spans(text)):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged


def _spans(text: str) -> Iterator[tuple[int, int]]:
    for block in BLOCK.finditer(text):
        for value in IN_BLOCK.finditer(text, *block.span(_group(block))):
            yield value.span(_group(value))
    yield from (found.span(_group(found)) for found in KEY.finditer(text))
    yield from (found.span() for found in BARE.finditer(text))


def _group(found: re.Match[str]) -> int:
    """Which of the two alternatives it was."""
    return 1 if found[1] is not None else 2


def redact(text: str) -> str:
    """The text with every secret masked."""
    return mask(text, secret_spans(text))


def mask(text: str, spans: Iterable[tuple[int, int]]) -> str:
    """The text with these spans (sorted, apart) masked."""
    parts, position = [], 0
    for start, end in spans:
        parts += [text[position:start], MASK]
        position = end
    return "".join(parts) + text[position:]
