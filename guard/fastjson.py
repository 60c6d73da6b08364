"""JSON at C speed without importing `json` (which would double the guard's start-up).

The C scanner and encoder behind the standard library are used directly; wherever they are missing
or differ, the standard library itself takes over.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable

    Scan = Callable[[str, int], tuple[Any, int]]
    Encode = Callable[[object, int], tuple[str, ...]]


class _Context:
    """The options of `_json.make_scanner`, those of `json.JSONDecoder(strict=False)`."""

    strict = False
    object_hook = None
    object_pairs_hook = None
    parse_float = float
    parse_int = int
    parse_constant = float
    memo: dict[str, str] = {}


def _no_default(value: object) -> object:
    raise TypeError(type(value).__name__)


try:
    import _json

    _scan: Scan | None = _json.make_scanner(_Context)  # type: ignore[arg-type]  # any object with these names
    _encode: Encode | None = _json.make_encoder(
        None, _no_default, _json.encode_basestring_ascii, None, ":", ",", True, False, True
    )
except (ImportError, AttributeError, TypeError):  # another Python implementation
    _scan = _encode = None


def loads(text: str) -> Any:
    """Parse one JSON document; ValueError if it is none."""
    if _scan is None:
        import json

        return json.loads(text, strict=False)
    try:
        value, end = _scan(text, len(text) - len(text.lstrip(" \t\r\n")))
    except (StopIteration, SystemError):  # the latter where it wants to raise json's own error
        raise ValueError("not JSON") from None
    if text[end:].strip(" \t\r\n"):
        raise ValueError("text after the JSON document")
    return value


def dumps(value: object) -> str:
    """Return compact ASCII JSON with sorted keys: the same value always gives the same text."""
    if _encode is None:
        import json

        return json.dumps(value, sort_keys=True, separators=(",", ":"))
    return "".join(_encode(value, 0))


def decode(data: bytes) -> str:
    """Return the text of a payload: byte order marks dropped, undecodable bytes kept as surrogates."""
    return data.decode("utf-8", "surrogateescape").lstrip("\ufeff")
