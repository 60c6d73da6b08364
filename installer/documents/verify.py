"""From pieces to bytes, with the proof that all other bytes are the old ones."""

from __future__ import annotations

from collections.abc import Sequence

from .text import Source
from .values import ByteEdit, TextEdit, VerificationError


def verified_edit(source: Source, pieces: Sequence[TextEdit]) -> tuple[bytes, ByteEdit]:
    """The new bytes and the one splice that spans all pieces (in order, without overlap)."""
    text = apply(source.text, pieces)
    if revert(text, pieces, source.text) != source.text:
        raise VerificationError(f"{source.name}: without the change the text is not the old one")
    old, new = source.encode(source.text), source.encode(text)
    splice = _splice(source, pieces)
    start, end, replacement = splice
    if new[:start] + old[start:end] + new[start + len(replacement) :] != old:
        raise VerificationError(f"{source.name}: without the splice the bytes are not the old ones")
    return new, splice


def apply(text: str, pieces: Sequence[TextEdit]) -> str:
    """The text with all pieces replaced."""
    parts, position = [], 0
    for piece in pieces:
        parts += [text[position : piece.start], piece.new]
        position = piece.end
    return "".join(parts) + text[position:]


def revert(text: str, pieces: Sequence[TextEdit], old: str) -> str:
    """What `apply` started from, rebuilt from its result and the old text of the pieces alone."""
    parts, position, shift = [], 0, 0
    for piece in pieces:
        start = piece.start + shift
        if not text.startswith(piece.new, start):
            raise VerificationError(f"the change is not where it should be, at {start}")
        parts += [text[position:start], old[piece.start : piece.end]]
        position = start + len(piece.new)
        shift = position - piece.end
    return "".join(parts) + text[position:]


def difference(old: str, new: str) -> TextEdit:
    """What lies between the common beginning and the common end."""
    start = _common(old, new)
    tail = _common(old[start:][::-1], new[start:][::-1])
    return TextEdit(start, len(old) - tail, new[start : len(new) - tail])


def _common(one: str, other: str) -> int:
    pairs = enumerate(zip(one, other, strict=False))
    return next((i for i, (a, b) in pairs if a != b), min(len(one), len(other)))


def _splice(source: Source, pieces: Sequence[TextEdit]) -> ByteEdit:
    if not pieces:
        return ByteEdit(0, 0, b"")
    start, end = pieces[0].start, pieces[-1].end
    moved = [TextEdit(piece.start - start, piece.end - start, piece.new) for piece in pieces]
    new = apply(source.text[start:end], moved).encode(source.encoding)
    return ByteEdit(source.byte_offset(start), source.byte_offset(end), new)
