"""Every setting of the policy by its name: what it does, its default, and where its value comes from."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..guard.policy import DEFAULTS, UNATTENDED_CAP
from . import policy_file
from .errors import Refusal

ABOUT = {
    "mode": "`enforce` stops what trips a wire; `observe` only logs what would have been stopped.",
    "spend.session_cap": "The most dollars one session may cost, its subagents included (0 = no cap; "
    f"an unattended run then stops at ${UNATTENDED_CAP:g}). Also `runaway setup --spend-cap`.",
    "spend.day_cap": "The most dollars all your agents together may cost in one day (0 = no cap). "
    "Also `runaway setup --day-cap`.",
    "limits.loop.same_failure": "How often the same call may fail in the same way.",
    "limits.loop.same_result": "How often the same call may bring the same result.",
    "limits.loop.same_call": "How often the same call may be made in a row, whatever its result.",
    "limits.loop.calls_per_prompt": "Calls of one agent since your last prompt.",
    "limits.loop.response": "How often one response may repeat the same passage (Pi only).",
    "limits.failure.rounds": "Failing responses in a row, whatever was tried.",
    "limits.continuation.laps": "Turns that nobody asked for since your last prompt: hooks, goals, "
    "wake-ups.",
    "limits.spend.prompt": "Dollars since your last prompt.",
    "limits.spend.velocity": "Dollars within five minutes.",
    "limits.spend.day": "Dollars in one project today.",
    "limits.storm.subagents_per_prompt": "Subagents started since your last prompt.",
    "limits.storm.subagents_per_minute": "Subagents started within one minute.",
    "limits.storm.nested_subagents": "Subagents started by subagents since your last prompt.",
    "limits.storm.web_calls_per_prompt": "Web searches and fetches since your last prompt.",
}
STEPS = "Four numbers: note, ask, deny, stop (0 = never)."


def known(key: str) -> str:
    """The key itself; Refusal `unknown-key` lists those that there are."""
    if key not in ABOUT:
        text = f"There is no setting {key!r}; there are: {', '.join(ABOUT)}."
        raise Refusal(text, code="unknown-key", usage=True)
    return key


def path(key: str) -> tuple[str, ...]:
    """The tables and the name of it in `config.toml`."""
    table, _, name = key.partition(".")
    return (table, name) if name else (key,)


def default(key: str) -> Any:
    table, *name = path(key)
    if table == "limits":
        return [limit or 0 for limit in DEFAULTS[name[0]]]
    return 0 if name else policy_file.MODES[0]


def is_set(values: Mapping[str, Any], key: str) -> bool:
    """Does the file have it?"""
    table, *name = path(key)
    return name[0] in values.get(table, {}) if name else table in values


def value(values: Mapping[str, Any], key: str) -> Any:
    """As the file has it, or the default."""
    table, *name = path(key)
    if not is_set(values, key):
        return default(key)
    return values[table][name[0]] if name else values[table]


def shown(value: Any) -> str:
    return ", ".join(f"{one:g}" for one in value) if isinstance(value, list) else str(value)
