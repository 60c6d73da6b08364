"""A text or an argument with every secret in it masked."""

from __future__ import annotations

from .addresses import addresses
from .arguments import hidden_arguments
from .commands import commands
from .named import named
from .names import YES, telling
from .shapes import shapes
from .values import is_value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

    Span = tuple[int, int]

MASK = "***"
NESTED = 20  # levels of an argument that are looked at
VALUES = 50  # strings, numbers and containers of an argument that are looked at
READ = 2000  # characters of a text of which only the beginning is shown
CUTS = " \t\r\n,;&|"  # where a text can be cut without leaving a part of a secret


def masked(text: str) -> str:
    """The text with every secret masked; line ends stay."""
    return mask(text, spans(text))


def mask(text: str, hidden: Iterable[Span]) -> str:
    """The text with these spans (sorted, apart) masked."""
    shown, at = [], 0
    for start, end in hidden:
        shown += [text[at:start], MASK]
        at = end
    return "".join(shown) + text[at:]


def beginning(text: str) -> str:
    """As much as one line needs; a word that would be cut in two is left out, it might be a secret."""
    if len(text) <= READ:
        return text
    text = text[:READ]
    return text[: max(text.rfind(cut) for cut in CUTS) + 1] + "…"


def masked_value(value: Any) -> Any:
    """The same for arguments of which only the beginning is shown: the rest of a large value is cut."""
    return _masked_value(value, "", NESTED, [VALUES])


def _masked_value(value: Any, name: str, levels: int, left: list[int]) -> Any:
    """Below a telling name every string and number is a secret; `left` counts down over the tree."""
    left[0] -= 1
    if left[0] < 0 or not levels:
        return "…"
    if isinstance(value, dict):
        return {
            masked(beginning(key)): _masked_value(
                value[key], key if telling(key) == YES else name, levels - 1, left
            )
            for key in sorted(value)[:VALUES]
        }
    if isinstance(value, list):
        return _masked_list(value[:VALUES], name, levels, left)
    sure = telling(name) if name else 0
    if isinstance(value, str):
        return MASK if sure and is_value(value, sure) else masked(beginning(value))
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return MASK if number and sure == YES else value


def _masked_list(value: list[Any], name: str, levels: int, left: list[int]) -> list[Any]:
    shown = [_masked_value(item, name, levels - 1, left) for item in value]
    words = [item if isinstance(item, str) else "" for item in value]
    for index, start in hidden_arguments(words):
        shown[index] = words[index][:start] + MASK
    return shown


def spans(text: str) -> list[Span]:
    """Sorted, merged spans (start, end) of what must not be shown; none holds a line end."""
    found = [*shapes(text), *addresses(text), *named(text), *commands(text)]
    return merged(line for span in found for line in by_line(text, *span))


def merged(found: Iterable[Span]) -> list[Span]:
    result: list[Span] = []
    for start, end in sorted(found):
        if result and start <= result[-1][1]:
            result[-1] = (result[-1][0], max(end, result[-1][1]))
        elif start < end:
            result.append((start, end))
    return result


def by_line(text: str, start: int, end: int) -> Iterator[Span]:
    """The parts of a span on each line, without blanks around."""
    while start < end:
        stop = text.find("\n", start, end)
        stop = stop if stop >= 0 else end
        part = text[start:stop]
        left = start + len(part) - len(part.lstrip())
        right = stop - len(part) + len(part.rstrip())
        if left < right:
            yield left, right
        start = stop + 1
