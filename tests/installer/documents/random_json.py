"""Random JSON and JSONC texts in random layouts, for the property tests.

A tree is a lexeme, a list of trees, or a tuple of (key lexeme, tree): so numbers, escapes and
doubled keys stay as they were drawn.
"""

from __future__ import annotations

import json
from random import Random
from typing import Any, NamedTuple

from hypothesis import strategies as st

Tree = Any

NUMBERS = ["0", "-0", "1e400", "12345678901234567890", "1.10", "1E+2"]
STRINGS = ["", "a — b", r"\ud800", r"\u0041\/", "\u2028", "//", "/* ,]} */", r"\\", r"\""]
WORDS = ["true", "false", "null"]
SCALARS = st.sampled_from([*NUMBERS, *WORDS, *(f'"{string}"' for string in STRINGS)])
KEYS = st.sampled_from(['"a"', '"b c"', r'"\u0061"', '"__proto__"', '""', '"é"', '"//"', '"type"'])


def objects(values: st.SearchStrategy[Tree]) -> st.SearchStrategy[Tree]:
    return st.lists(st.tuples(KEYS, values), max_size=4).map(tuple)


TREES: st.SearchStrategy[Tree] = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=4) | objects(inner), max_leaves=8
)
# Values an installer may want to put in: plain Python.
VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3)
    ),
    max_leaves=5,
)


@st.composite
def settings(draw: st.DrawFn) -> Tree:
    """An object that may have `hooks`, which may have `PreToolUse`, of the right types."""
    members = list(draw(objects(TREES)))
    if draw(st.booleans()):
        events = list(draw(objects(TREES)))
        if draw(st.booleans()):
            event = ('"PreToolUse"', draw(st.lists(TREES, max_size=3)))
            events.insert(draw(st.integers(0, len(events))), event)
        hooks = ('"hooks"', tuple(events))
        members.insert(draw(st.integers(0, len(members))), hooks)
    return tuple(members)


class Layout(NamedTuple):
    """`chaos` is how often a gap holds something else than the style says."""

    random: Random
    comments: bool
    trailing_commas: bool
    chaos: float
    unit: str
    line_end: str
    colon: str
    comma: str
    pad: str
    one_line: float

    def gap(self, regular: str) -> str:
        if self.random.random() >= self.chaos:
            return regular
        blanks = [" ", "\t", "\n", "\r\n", "\r", "", "  "]
        if self.comments:
            blanks += ["/* ,]} */", "// [{\n", "/**/", "//\r\n", "// é  \n  "]
        return "".join(self.random.choice(blanks) for _ in range(self.random.randint(1, 3)))


def layout_of(seed: int, comments: bool) -> Layout:
    """One integer for all choices: drawing each of them would take most of the test's time."""
    random = Random(seed)
    return Layout(
        random=random,
        comments=comments,
        trailing_commas=comments and random.random() < 0.5,
        chaos=random.choice([0, 0, 0.05, 0.5]),
        unit=random.choice(["  ", "    ", "\t", " "]),
        line_end=random.choice(["\n", "\r\n", "\r"]),
        colon=random.choice([": ", ":", " : "]),
        comma=random.choice([", ", ",", " ,"]),
        pad=random.choice(["", " "]),
        one_line=random.choice([0, 0, 1, 0.3]),
    )


def render(tree: Tree, layout: Layout, indent: str = "", one_line: bool = False) -> str:
    if isinstance(tree, str):
        return tree
    opening, closing = "[]" if isinstance(tree, list) else "{}"
    if not tree:
        return opening + layout.gap("") + closing
    one_line = one_line or layout.random.random() < layout.one_line
    inner = indent if one_line else indent + layout.unit
    before = layout.pad if one_line else layout.line_end + inner
    behind = layout.pad if one_line else layout.line_end + indent
    items = [_item(item, layout, inner, one_line) for item in tree]
    comma = layout.comma if one_line else "," + layout.line_end + inner
    text = items[0] + "".join(
        layout.gap("") + "," + layout.gap(comma.replace(",", "")) + item for item in items[1:]
    )
    tail = layout.gap("") + "," if layout.trailing_commas else ""
    return opening + layout.gap(before) + text + tail + layout.gap(behind) + closing


def _item(item: Tree, layout: Layout, indent: str, one_line: bool) -> str:
    if not isinstance(item, tuple) or not item or not isinstance(item[0], str):
        return render(item, layout, indent, one_line)
    key: str = item[0]
    value: Tree = item[1]
    colon: str = layout.gap(layout.colon)
    if ":" not in colon:
        colon = f":{colon}"
    return key + colon + render(value, layout, indent, one_line)


@st.composite
def texts(draw: st.DrawFn, comments: bool = False) -> str:
    """A whole settings file."""
    layout = layout_of(draw(st.integers(0, 2**32)), comments)
    ending = layout.random.choice(["", layout.line_end])
    return layout.gap("") + render(draw(settings()), layout) + ending


def paths(value: Any) -> list[tuple[str | int, ...]]:
    """All paths below the top level of a plain value."""
    found: list[tuple[str | int, ...]] = []
    if isinstance(value, dict | list):
        steps = value.items() if isinstance(value, dict) else enumerate(value)
        for step, item in steps:
            found += [(step,), *((step, *path) for path in paths(item))]
    return found


def plain(text: str) -> Any:
    """What the standard library reads, numbers as their letters."""
    return json.loads(text, parse_int=_letters, parse_float=_letters)


def _letters(lexeme: str) -> tuple[str, str]:
    return ("number", lexeme)
