"""Show text that an agent or a file wrote so that it can neither steer a screen nor hide itself."""

from __future__ import annotations

from unicodedata import category

# Control and format characters (bidi overrides, zero width), half surrogate pairs, U+2028, U+2029.
UNSAFE = frozenset(("Cc", "Cf", "Cs", "Zl", "Zp"))
BLANK_LETTERS = frozenset("\u115f\u1160\u3164\uffa0")  # Hangul fillers: letters that show nothing
UNDECODED = range(0xDC80, 0xDD00)  # bytes that were no text, as `surrogateescape` keeps them


class _Shown(dict[int, str]):
    """Character code -> how it is shown, found out once for each."""

    def __missing__(self, code: int) -> str:
        character = chr(code)
        unsafe = category(character) in UNSAFE or character in BLANK_LETTERS
        self[code] = shown = _escape(code) if unsafe else character
        return shown


def _escape(code: int) -> str:
    if code in UNDECODED:
        code -= 0xDC00
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


_ONE_LINE = _Shown({ord("\t"): "\t"})
_LINES = _Shown({ord("\t"): "\t", ord("\n"): "\n"})


def printable(text: str) -> str:
    """One line: control, format and line-separating characters as escapes such as `\\x1b`."""
    return text.translate(_ONE_LINE)


def printable_lines(text: str) -> str:
    """The same for a text of several lines: line feeds stay."""
    return text.translate(_LINES)
