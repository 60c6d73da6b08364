"""Random valid TOML texts in random layouts, for the property tests."""

from __future__ import annotations

import tomllib
from random import Random

from hypothesis import strategies as st

ROOT_PAIRS = [
    "a = 1",
    "b.c = 'x'",
    'b."d e" = "]"',
    's = """\n[features]\n"" \\""""',
    "t = '''\n[[hooks.PreToolUse]] # ''\n'''",
    "l = [ 1, # one\n  [2], { x = [ ] }, ]",
    "d = 1979-05-27 07:32:00.5Z",
    "f = [1e400, 0x1F, -1_000, inf, 1.10]",
    'q."x y" = {a = 1, b.c = [ ]}',
    "features.web = true",
    "features = { web = true }",
    "features = {}",
    "hooks = { Stop = [] }",
    "hooks = {PreToolUse = [{hooks=[]}]}",
    "hooks.PreToolUse = [\n  { matcher = 'a' }, # a\n  # b\n]",
    "hooks.PreToolUse = [ # a\n]",
    "hooks.state.k.enabled = false",
]
BLOCKS = [
    "[t]\nk = 1",
    "[t.u]",
    "[[o]]\nk = '[x]'",
    "[[o]]\nfeatures.x = 1",
    "[[o.p]]\nk = []",
    "[features]\nweb = true",
    "[features]",
    "[ 'features' . sub ]\nx = 1",
    "[hooks]",
    "[hooks]\nPreToolUse = []",
    "[hooks]\nPreToolUse = [ { hooks = [] } ]",
    "[hooks]\nPreToolUse = [\n  { hooks = [] }, # a\n]",
    "[[hooks.PreToolUse]]\nmatcher='x'",
    "[[hooks.PreToolUse]]\nhooks = []",
    "[[hooks.PreToolUse]]",
    "[[hooks.PreToolUse.hooks]]\ncommand = 'x'",
    "[hooks.PreToolUse.more]\nx.y = 1",
    "[[hooks.Stop]]\n[[hooks.Stop.hooks]]\ncommand = 'x'",
    '[hooks.state."k:0"]\nenabled = true',
    "[hooks.state]",
]
NOTES = ["", "", "# note", "  # [x]", "\t", "#", "# a\n\n# b"]


def text_of(seed: int) -> str:
    """Parts in random order, each of which is taken if the text is still valid with it."""
    random = Random(seed)
    busy = random.random()
    text = ""
    for parts in (random.choices(ROOT_PAIRS, k=6), random.choices(BLOCKS, k=9)):
        for part in parts:
            if random.random() < busy:
                longer = text + _decorated(part, random) + "\n" + _notes(random)
                text = longer if _is_valid(longer) else text
    text = _notes(random) + text
    text = text.rstrip("\n") if random.random() < 0.3 else text
    return _with_line_ends(text, random)


def _decorated(part: str, random: Random) -> str:
    indent = random.choice(["", "", "  ", "\t"])
    if "''" not in part and '""' not in part:
        part = part.replace("\n", "\n" + indent)
    comment = random.choice(["", "", " # c", "  "])
    return indent + part + comment


def _notes(random: Random) -> str:
    return "".join(random.choice(NOTES) + "\n" for _ in range(random.choice([0, 0, 1, 2])))


def _is_valid(text: str) -> bool:
    """Valid TOML in which the path of the event has the right types."""
    try:
        hooks = tomllib.loads(text).get("hooks", {})
    except tomllib.TOMLDecodeError:
        return False
    return isinstance(hooks.get("PreToolUse", []), list)


def _with_line_ends(text: str, random: Random) -> str:
    line_ends = random.choice([["\n"], ["\r\n"], ["\n", "\r\n"]])
    lines = text.split("\n")
    return "".join(line + random.choice(line_ends) for line in lines[:-1]) + lines[-1]


TEXTS = st.integers(0, 2**40).map(text_of)
