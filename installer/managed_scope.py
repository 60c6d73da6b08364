"""The guard as the machine's owner puts it in for everybody: `--scope managed`.

    /opt/runaway         launcher, code and policy: every user may read them, only root may change them
    /etc/runaway         the owner's config.toml
    /var/lib/runaway     backups and receipts of setup, for root alone

What the guard keeps of sessions stays with the user whose sessions they are.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from ..guard.policy import Policy, load
from . import records
from .errors import Refusal
from .launch_command import ANY_HOME, is_at_home
from .machine import Machine

STEPS = 4  # of a rule: note, ask, deny, stop
OTHERS_MAY_WRITE = 0o022
RERUN = "Whoever owns this machine runs `runaway setup --scope managed`."


def of(machine: Machine) -> Machine:
    """The same machine with our folders where they serve all its users."""
    return machine._replace(
        data=machine.root / "opt/runaway",
        config=machine.root / "etc/runaway",
        state=machine.root / "var/lib/runaway",
        shared=True,
    )


def launchers(machine: Machine, scope: str) -> tuple[Path, ...]:
    """What an entry in a file of this scope may name: the organisation's files are for each person."""
    own = (machine.launcher, *((ANY_HOME,) if is_at_home(machine) else ()))
    return (*own, of(machine).launcher) if scope == "managed" else own


def guards(machine: Machine) -> tuple[Machine, ...]:
    """Those that are in place: the person's own, the organisation's; without any the person's."""
    return tuple(one for one in (machine, of(machine)) if is_in_place(one)) or (machine,)


def is_in_place(machine: Machine) -> bool:
    """After an uninstall there is still a launcher, which says nothing."""
    return any((machine.data / name).exists() for name in ("guard", "policy.json"))


def serving(machine: Machine, scopes: Sequence[str]) -> tuple[Machine, ...]:
    """Those that a harness with these scopes can call; without any the person's own."""
    found = (one for one in guards(machine) if not one.shared or "managed" in scopes)
    return tuple(found) or (machine,)


def policy(machine: Machine) -> Policy:
    """What the guard that is in place goes by; Refusal `damaged-policy`."""
    return policy_of(guards(machine)[0])


def policy_of(guard: Machine) -> Policy:
    """What this guard goes by; Refusal `damaged-policy`."""
    try:
        return _sound(load(str(guard.data)))
    except (OSError, ValueError, TypeError, AttributeError, KeyError, RecursionError):
        path = guard.tilde(guard.data / "policy.json")
        text = f"{path} is damaged, so the guard lets every call pass."
        fix = RERUN if guard.shared else "Run `runaway setup`."
        raise Refusal(text, code="damaged-policy", fix=fix) from None


def _sound(policy: Policy) -> Policy:
    """ValueError where a value that is reckoned with is no number."""
    for amount in (policy.session_cap, policy.day_cap, policy.paused_until):
        records.amount(amount)
    for steps in policy.limits.values():
        if len(steps) != STEPS:
            raise ValueError("a rule has four steps")
        for step in steps:
            records.amount(step or 0)
    records.table(policy.prices)
    Path(policy.state)
    return policy


def served(machine: Machine) -> Machine:
    """With the state of the guard that is in place: that of a managed one follows no variable."""
    if not guards(machine)[0].shared:
        return machine
    return machine._replace(state=Path(policy(machine).state))


def refuse_others(machine: Machine) -> None:
    """Refusal `not-root` for whoever does not own this machine."""
    if machine.root == Path("/") and os.geteuid() != 0:
        text = "The scope `managed` is for the owner of this machine: only root can write there."
        raise Refusal(text, code="not-root", usage=True, fix="Run it with sudo.")


def vouch(machine: Machine) -> None:
    """Refusal `unsafe-state` where somebody else could swap our code, or a folder above it."""
    above = machine.data.parents
    for folder in (machine.data, *above[: above.index(machine.root)]):
        with suppress(FileNotFoundError):
            status = folder.stat()
            if status.st_uid == os.geteuid() and not status.st_mode & OTHERS_MAY_WRITE:
                continue
            text = (
                f"{folder} can be changed by others than its owner, and so could the guard in it."
            )
            raise Refusal(text, code="unsafe-state", fix=f"Run `chmod go-w {folder}`.")
