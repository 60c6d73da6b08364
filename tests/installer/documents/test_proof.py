from __future__ import annotations

import pytest

from runaway.installer.documents.proof import apply, difference, revert, spliced
from runaway.installer.documents.text import decode
from runaway.installer.documents.values import Piece, ProofFailed, Splice

PIECES = [Piece(0, 1, "XY"), Piece(2, 2, "-"), Piece(4, 6)]


def test_pieces_are_applied_and_reverted() -> None:
    assert apply("abcdef", PIECES) == "XYb-cd"
    assert revert("XYb-cd", PIECES, "abcdef") == "abcdef"


def test_pieces_that_stand_elsewhere_are_noticed() -> None:
    with pytest.raises(ProofFailed):
        revert("XYb+cd", PIECES, "abcdef")


def test_the_splice_counts_bytes_and_spans_all_pieces() -> None:
    source = decode("\ufeffäb€d".encode(), "f")
    data, splice = spliced(source, [Piece(1, 2, "ß"), Piece(3, 4)])
    assert data.decode() == "\ufeffäß€"
    assert splice == Splice(5, 10, "ß€".encode())


@pytest.mark.parametrize(
    "pieces", [[Piece(2, 3, "x"), Piece(0, 1, "y")], [Piece(0, 3), Piece(1, 2)]]
)
def test_pieces_out_of_order_fail_their_proof(pieces: list[Piece]) -> None:
    with pytest.raises(ProofFailed):
        spliced(decode(b"abcdef", "f"), pieces)


@pytest.mark.parametrize(
    ("old", "new", "piece"),
    [
        ("abc", "abXc", Piece(2, 2, "X")),
        ("abc", "ac", Piece(1, 2, "")),
        ("aaa", "aa", Piece(2, 3, "")),
        ("", "a", Piece(0, 0, "a")),
        ("a", "a", Piece(1, 1, "")),
    ],
)
def test_the_difference_of_two_texts_is_one_piece(old: str, new: str, piece: Piece) -> None:
    assert difference(old, new) == piece
    assert apply(old, [piece]) == new
