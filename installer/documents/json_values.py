"""Between the tokens of a scan and plain Python values; numbers keep their letters."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from .values import Number, Value

LONE_SURROGATE = re.compile("[\ud800-\udfff]")
KEYWORDS: dict[str, Value] = {"true": True, "false": False, "null": None}


def tokens_of(value: Value) -> Iterator[str]:
    """The tokens a scan of the value would give; for values of our own (it recurses)."""
    if isinstance(value, dict):
        yield "{"
        for key, item in value.items():
            yield f'"{key}"'
            yield from tokens_of(item)
        yield "}"
    elif isinstance(value, list | tuple):
        yield "["
        for item in value:
            yield from tokens_of(item)
        yield "]"
    else:
        yield f'"{value}"' if isinstance(value, str) else scalar_lexeme(value)


def scalar_lexeme(value: Value) -> str:
    """The JSON text of anything but a container."""
    if isinstance(value, Number):
        return value.lexeme
    text = json.dumps(value, ensure_ascii=False, allow_nan=False)
    return LONE_SURROGATE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def value_of(tokens: list[str]) -> Value:
    """The tree the tokens spell, without recursion; of duplicate keys the last one counts."""
    top: list[Value] = []
    stack: list[tuple[Value, str | None]] = [(top, None)]
    for token in tokens:
        container, key = stack[-1]
        if token in ("}", "]"):
            stack.pop()
        elif isinstance(container, dict) and key is None:
            stack[-1] = container, token[1:-1]
        else:
            item = _item(token)
            if isinstance(container, dict):
                container[key] = item
                stack[-1] = container, None
            else:
                container.append(item)
            if isinstance(item, dict | list):
                stack.append((item, None))
    return top[0]


def _item(token: str) -> Value:
    if token[0] == '"':
        return token[1:-1]
    if token == "{":
        return {}
    if token == "[":
        return []
    return KEYWORDS[token] if token in KEYWORDS else _number(token)


def _number(lexeme: str) -> int | Number:
    """An int if that says it all."""
    plain = len(lexeme) < 20 and lexeme.removeprefix("-").isdecimal() and lexeme != "-0"
    return int(lexeme) if plain else Number(lexeme)
