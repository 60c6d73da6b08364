"""Codex runs a hook only when `config.toml` holds its hash under its place: both computed here.

    [hooks.state."/home/u/.codex/hooks.json:pre_tool_use:0:0"]
    trusted_hash = "sha256:..."

Compared with Codex's own `hooks/list` in tests/live/test_codex_trust.py.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from ...documents import toml_document
from ...documents.values import Created, KeyPath
from ...plan import Rewrite
from ..hook_file import Shape
from .validation import EVENTS, is_count

STATE: KeyPath = ("hooks", "state")
WITHOUT_MATCHER = ("UserPromptSubmit", "Stop", "Interrupt", "PreModelRequest", "PostModelRequest")
# Elsewhere Codex drops the limit, with a warning.
WITH_CONTEXT = ("PreToolUse", "PostToolUse", "SessionStart", "UserPromptSubmit", "SubagentStart")
SECONDS = 600
SECONDS_OF = {"SessionEnd": 1, "Interrupt": 1}
MAX_SECONDS = {"SessionEnd": 3, "Interrupt": 3}


class Hook(NamedTuple):
    """One hook of a file as Codex knows it; `hash` is None for a kind of which it is not known."""

    key: str
    event: str
    command: str
    hash: str | None


def hooks_in(settings: Any, source: Path) -> Iterator[Hook]:
    """All hooks that Codex would list of this file, each known by its place in it."""
    hooks = settings.get("hooks") if isinstance(settings, dict) else None
    for event in EVENTS:
        groups = hooks.get(event) if isinstance(hooks, dict) else None
        for index, group in enumerate(groups if isinstance(groups, list) else ()):
            handlers = group.get("hooks") if isinstance(group, dict) else None
            for place, handler in enumerate(handlers if isinstance(handlers, list) else ()):
                if isinstance(handler, dict) and _is_run(handler):
                    key = f"{source}:{snake(event)}:{index}:{place}"
                    command = str(handler.get("command", ""))
                    yield Hook(key, event, command, hash_of(event, group.get("matcher"), handler))


def _is_run(handler: Mapping[str, Any]) -> bool:
    kind = handler.get("type")
    return kind == "mcp_tool" or (kind == "command" and bool(handler.get("command")))


def snake(event: str) -> str:
    """`PreToolUse` -> `pre_tool_use`."""
    return re.sub(r"(?<!^)(?=[A-Z])", "_", event).lower()


def hash_of(event: str, matcher: str | None, handler: Mapping[str, Any]) -> str | None:
    """What Codex compares: a digest of all that decides when and what is run."""
    if handler.get("type") != "command":
        return None
    identity: dict[str, Any] = {"event_name": snake(event), "hooks": [_normal(event, handler)]}
    if matcher is not None and event not in WITHOUT_MATCHER:
        identity["matcher"] = matcher
    text = json.dumps(identity, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return "sha256:" + hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()


def _normal(event: str, handler: Mapping[str, Any]) -> dict[str, Any]:
    names = ("statusMessage", *(("additionalContextLimit",) if event in WITH_CONTEXT else ()))
    kept = {name: handler[name] for name in names if handler.get(name) is not None}
    return kept | {
        "async": handler.get("async", False),
        "command": handler.get("command"),
        "timeout": _timeout(event, handler.get("timeout")),
        "type": "command",
    }


def _timeout(event: str, given: Any) -> int:
    seconds = given if is_count(given) else SECONDS_OF.get(event, SECONDS)
    return max(1, min(seconds, MAX_SECONDS.get(event, seconds)))


def status(hook: Hook, config: Mapping[str, Any]) -> str:
    """`trusted`, `untrusted`, `modified`, `disabled` (by the person), `unknown`."""
    hooks = config.get("hooks")
    states = hooks.get("state") if isinstance(hooks, dict) else None
    state = states.get(hook.key) if isinstance(states, dict) else None
    if not isinstance(state, dict):
        return "untrusted"
    if state.get("enabled") is False:
        return "disabled"
    if "trusted_hash" not in state:
        return "untrusted"
    if hook.hash is None:
        return "unknown"
    return "trusted" if state["trusted_hash"] == hook.hash else "modified"


def record(data: bytes | None, shape: Shape, hooks: tuple[Hook, ...]) -> Rewrite:
    """`config.toml` with the hashes of these hooks in it; whether they are enabled is left alone."""
    created: list[Created] = []
    data = data or b""
    for hook in hooks:
        document = shape.parse(data)
        path = (*STATE, hook.key)
        if document.has(path):
            edited = toml_document.set_value(document, (*path, "trusted_hash"), hook.hash)
        else:
            edited = toml_document.set_value(document, path, {"trusted_hash": hook.hash})
        data, created = edited.data, [*created, *edited.created]
    return Rewrite(data, tuple(created))


def forget(
    data: bytes | None, created: tuple[Created, ...], shape: Shape, hashes: frozenset[str]
) -> Rewrite:
    """`config.toml` without the trust in hooks of these hashes, wherever they stood."""
    if data is None:
        return Rewrite(None)
    states = shape.parse(data).get(STATE)
    for key, state in states.items() if isinstance(states, dict) else ():
        if isinstance(state, dict) and state.get("trusted_hash") in hashes:
            data = toml_document.remove(shape.parse(data), (*STATE, key), created).data
    return Rewrite(data)
