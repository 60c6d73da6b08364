"""Is what a telling name has as its value a secret?"""

from __future__ import annotations

from .names import YES
from .shapes import HEX, is_hash, is_plain, is_uuid, words

NOTHING = frozenset(
    words(
        """
    true false null none nil undefined yes no on off empty default optional required *** … ...
    string str int bool bytes any
    """
    )
)


def is_value(value: str, sure: int) -> bool:
    """Could this be a secret? Not a switch, a variable's name or a placeholder."""
    bare = value.strip("\"'` \t\r\n\\").rstrip(",;")
    if not bare or bare.lower() in NOTHING or bare.strip("*•.x") == "" or _is_reference(bare):
        return False
    return sure == YES or looks_odd(bare)


def _is_reference(value: str) -> bool:
    """`$TOKEN`, `Bearer ${TOKEN}`, `$(pass show x)`, `{{ token }}`, `<token>`: no secret."""
    scheme, _, last = value.rpartition(" ")
    value = last if scheme.isalpha() else value
    if value.startswith("$("):
        return not value.startswith(("$(echo", "$(printf"))
    if value.startswith("${") and value.endswith("}"):
        name = value[2:-1]
        return ":-" not in name and "-" not in name and "=" not in name
    if value[:1] == "$":
        name = value[1:]
        return name.isidentifier() and name == name.upper()
    if value.startswith("{{") and value.endswith("}}"):
        return True
    inside = value[1:-1].replace("-", "").replace("_", "")
    return value[:1] + value[-1:] == "<>" and inside.isalpha()


def looks_odd(value: str) -> bool:
    """Letters and digits mixed, and no path, sum, UUID or version."""
    if (
        value[:1] in "/.~-"
        or is_uuid(value)
        or is_hash(value)
        or ("/" in value[:-1] and "." in value)
    ):
        return False
    mixed = any(c.isdigit() for c in value) and any(c.isalpha() for c in value)
    if not mixed:
        return value.isdigit() and len(value) >= 6
    if len(value) <= 12 and HEX.issuperset(value) and value == value.lower():
        return False
    return len(value) >= 16 or not all(
        is_plain(part) for part in value.replace("_", "-").split("-")
    )
