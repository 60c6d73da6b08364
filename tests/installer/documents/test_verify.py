from __future__ import annotations

import pytest

from runaway.installer.documents.text import decode
from runaway.installer.documents.values import ByteEdit, TextEdit, VerificationError
from runaway.installer.documents.verify import apply, difference, revert, verified_edit

PIECES = [TextEdit(0, 1, "XY"), TextEdit(2, 2, "-"), TextEdit(4, 6)]


def test_pieces_are_applied_and_reverted() -> None:
    assert apply("abcdef", PIECES) == "XYb-cd"
    assert revert("XYb-cd", PIECES, "abcdef") == "abcdef"


def test_pieces_that_stand_elsewhere_are_noticed() -> None:
    with pytest.raises(VerificationError):
        revert("XYb+cd", PIECES, "abcdef")


def test_the_splice_counts_bytes_and_spans_all_pieces() -> None:
    source = decode("\ufeffäb€d".encode(), "f")
    data, splice = verified_edit(source, [TextEdit(1, 2, "ß"), TextEdit(3, 4)])
    assert data.decode() == "\ufeffäß€"
    assert splice == ByteEdit(5, 10, "ß€".encode())


@pytest.mark.parametrize(
    "pieces", [[TextEdit(2, 3, "x"), TextEdit(0, 1, "y")], [TextEdit(0, 3), TextEdit(1, 2)]]
)
def test_pieces_out_of_order_fail_their_proof(pieces: list[TextEdit]) -> None:
    with pytest.raises(VerificationError):
        verified_edit(decode(b"abcdef", "f"), pieces)


@pytest.mark.parametrize(
    ("old", "new", "piece"),
    [
        ("abc", "abXc", TextEdit(2, 2, "X")),
        ("abc", "ac", TextEdit(1, 2, "")),
        ("aaa", "aa", TextEdit(2, 3, "")),
        ("", "a", TextEdit(0, 0, "a")),
        ("a", "a", TextEdit(1, 1, "")),
    ],
)
def test_the_difference_of_two_texts_is_one_piece(old: str, new: str, piece: TextEdit) -> None:
    assert difference(old, new) == piece
    assert apply(old, [piece]) == new
