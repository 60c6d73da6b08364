"""What is remembered of how a call ended: an outcome, one short text.

"" while it is unknown, NEVER_RAN, AGAIN, or two digests of the result in one (see
transcripts/digests.py): of what all runs share, then of the whole. FAILURE before it says that the call
failed, twice FAILURE that files were changed since.
"""

from __future__ import annotations

NEVER_RAN = "-"  # it was denied, refused or cancelled
AGAIN = "="  # it failed as an equal call of the same response did
FAILURE = "!"
REFUSAL = 2 * FAILURE + "refused"  # by a rule or a program, whatever reason it gave
HALF = 12  # hex digits of one digest


def is_known(outcome: str) -> bool:
    """Tell whether this is the digest of a result."""
    return outcome not in ("", NEVER_RAN, AGAIN)


def exact(outcome: str) -> str:
    """Return what only equal results have in common."""
    return outcome[-HALF:]


def shared(outcome: str) -> str:
    """Return what results have in common that differ only in what each run changes.

    Older releases remembered nothing else.
    """
    outcome = outcome.lstrip(FAILURE)
    return outcome[:-HALF] if len(outcome) >= 2 * HALF else outcome


def after_change(outcome: str, sure: bool) -> str:
    """Return the outcome as it counts once files were changed: a success is the same no more than a
    later one that is exactly equal (unless the change is not `sure`); a failure remains one.
    """
    if not is_known(outcome) or outcome[:2] == 2 * FAILURE:
        return outcome
    if outcome[0] == FAILURE:
        return FAILURE + outcome
    return 2 * exact(outcome) if sure and len(outcome) >= 2 * HALF else outcome
