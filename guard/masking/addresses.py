"""Passwords in addresses."""

from __future__ import annotations

from .shapes import words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    Span = tuple[int, int]

USERS = frozenset(
    words(
        """
    git hg svn root user admin me oauth2 anonymous x-access-token
    """
    )
)
ADDRESS = 400  # characters of an address in which a password can stand


def addresses(text: str) -> Iterator[Span]:
    """Who logs in before the host of an address: the password, or all of it."""
    at = text.find("://")
    while at >= 0:
        start = at + 3
        part = text[start : start + ADDRESS]
        word = "" if part[:1] <= " " else part.split(None, 1)[0]
        for quote in "\"'`<>":
            word = word.partition(quote)[0]
        end = start + len(word)
        yield from _login(text, start, end)
        at = text.find("://", start)


def _login(text: str, start: int, end: int) -> Iterator[Span]:
    host = min([at for at in (text.find(c, start, end) for c in "/?#") if at >= 0], default=end)
    at = text.rfind("@", start, host)
    colon = text.find(":", start, at if at >= 0 else host)
    if at < 0 and colon >= 0 and not text[colon + 1 : host].rstrip("\\,;)]").isdigit():
        at = text.rfind("@", start, end)  # a slash in the password
    if at < 0 and colon >= 0 and host == end == len(text):
        at = end  # cut off
    if at < 0:
        return
    user = text[start : colon if 0 <= colon < at else at]
    if 0 <= colon < at and (user in USERS or (user.isalpha() and len(user) <= 12)):
        yield colon + 1, at
        if text[colon + 1 : at] == "x-oauth-basic":
            yield start, at
    elif user not in USERS:
        yield start, at
