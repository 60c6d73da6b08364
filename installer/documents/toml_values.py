"""Plain TOML values: changed by path without touching the original, compared strictly, written."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from .values import KeyPath, Number, Value

BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")


def lookup(tree: Value, path: KeyPath) -> tuple[bool, Value]:
    """Whether there is something at the path, and what."""
    for step in path:
        if isinstance(step, str):
            there = isinstance(tree, dict) and step in tree
        else:
            there = isinstance(tree, list) and 0 <= step < len(tree)
        if not there:
            return False, None
        tree = tree[step]
    return True, tree


def with_value(tree: Value, path: KeyPath, value: Value) -> Value:
    """The tree with `value` at the path; tables on the way are made, an index may be the next."""
    if not path:
        return value
    step, rest = path[0], path[1:]
    if isinstance(step, str):
        table = tree if isinstance(tree, dict) else {}
        return {**table, step: with_value(table.get(step), rest, value)}
    items = tree if isinstance(tree, list) else []
    item = with_value(items[step] if step < len(items) else None, rest, value)
    return [*items[:step], item, *items[step + 1 :]]


def without(tree: Value, path: KeyPath) -> Value:
    """The tree without what stands at the path; an emptied container stays."""
    step, rest = path[0], path[1:]
    if rest:
        return with_value(tree, (step,), without(tree[step], rest))
    if isinstance(tree, dict):
        return {key: item for key, item in tree.items() if key != step}
    return [item for index, item in enumerate(tree) if index != step]


def same(one: Value, other: Value) -> bool:
    """Equal in types too (`1` is not `true`, nor `1.0`), without recursion."""
    pairs = [(one, other)]
    while pairs:
        a, b = pairs.pop()
        if type(a) is not type(b):
            return False
        if isinstance(a, dict) and a.keys() == b.keys():
            pairs += [(item, b[key]) for key, item in a.items()]
        elif isinstance(a, list) and len(a) == len(b):
            pairs += zip(a, b, strict=True)
        elif a != b:
            return False
    return True


def as_read(value: Value) -> Value:
    """The value as a parser that keeps the letters of floats gives it back."""
    if isinstance(value, dict):
        return {key: as_read(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [as_read(item) for item in value]
    return Number(repr(value)) if isinstance(value, float) else value


def key_text(keys: KeyPath) -> str:
    """A dotted key; indices into arrays of tables are not written."""
    names = [key for key in keys if isinstance(key, str)]
    return ".".join(key if BARE_KEY.fullmatch(key) else _string(key) for key in names)


def inline(value: Value) -> str:
    """The value on one line."""
    if isinstance(value, dict):
        pairs = ", ".join(f"{key_text((key,))} = {inline(item)}" for key, item in value.items())
        return f"{{ {pairs} }}" if pairs else "{}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(inline, value))}]"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, Number):
        return value.lexeme
    return _string(value) if isinstance(value, str) else _plain(value)


def block(path: KeyPath, value: dict[str, Any], *, is_item: bool, equals: str) -> Iterator[str]:
    """The lines of a table under its header, an item of an array of tables where `is_item`."""
    yield f"[[{key_text(path)}]]" if is_item else f"[{key_text(path)}]"
    below = {key: item for key, item in value.items() if _has_header(item)}
    for key, item in value.items():
        if key not in below:
            yield f"{key_text((key,))}{equals}{inline(item)}"
    for key, item in below.items():
        for table in item if isinstance(item, list) else [item]:
            yield from block((*path, key), table, is_item=isinstance(item, list), equals=equals)


def _has_header(value: Value) -> bool:
    if isinstance(value, list):
        return bool(value) and all(isinstance(item, dict) for item in value)
    return isinstance(value, dict) and bool(value)


def _string(text: str) -> str:
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _plain(value: Value) -> str:
    """A number or a date."""
    return value.isoformat() if hasattr(value, "isoformat") else repr(value)
