"""A settings file before and after a change: is our entry still run, and is no new switch on?"""

from __future__ import annotations

from ..fastjson import dumps, loads
from .places import MAX_SETTINGS_BYTES
from .registered import BY_CODE, EARLIER, LAUNCHER, PORTABLE, PORTABLE_BY_CODE, TODAY

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from .facts import Facts

STARTS = (
    *(f"{start} '" for start in (TODAY, BY_CODE, *EARLIER)),
    *(f"{start} " for start in (PORTABLE, PORTABLE_BY_CODE)),
)
KEPT = ("runaway", "trusted_hash")  # what must not become less in a text that cannot be parsed
ON, FALSE = (None, False, "", 0), (False, 0, "", "false")  # no switch, though it is there
EXTRA = "PostToolBatch"  # Claude Code's: not all releases have it, and nothing is denied there
EVERY_TOOL = (None, "", "*")
PLAIN = (
    "type",
    "command",
    "timeout",
    "name",
    "statusMessage",
)  # keys of an entry that setup writes
SHORTEST = 5.0  # seconds that an entry needs at least, unless it had less
CODEX = " codex"  # how its entry ends; it knows a trusted hook by its place


def disarms(facts: Facts, path: str, before: str | None, after: str | None, *, wired: bool) -> bool:
    """None: there is no file. `wired`: setup has put our entry into it, whether we can read it or not."""
    if path.endswith(facts.whole):
        return before != after
    if after is None:
        return before is not None or wired
    if before is None and wired:
        return LAUNCHER not in after or _silences(facts, path, "", after)
    return _silences(facts, path, before or "", after)


def _silences(facts: Facts, path: str, before: str, after: str) -> bool:
    if path.endswith(".toml"):
        return _toml_silences(facts, before, after)
    old, new = _parsed(before), _parsed(after)
    if new is None:
        commented = "//" in after or "/*" in after
        return (LAUNCHER in before and not commented) or loses(facts, before, after)
    if old is None and LAUNCHER in before:
        return loses(facts, before, after)
    return bool(switches(facts, new) - switches(facts, old)) or _lost(old, new)


def loses(facts: Facts, removed: str, added: str) -> bool:
    """By words alone, where nothing can be parsed: less of what is kept, or a switch more."""
    removed, added = removed.replace("\\/", "/"), added.replace("\\/", "/")
    fewer = any(removed.count(word) > added.count(word) for word in KEPT)
    return fewer or any(added.count(word) > removed.count(word) for word in facts.words)


def _parsed(text: str) -> Any:
    """None for what is no JSON."""
    try:
        return loads(text) if text.strip() else {}
    except (ValueError, RecursionError):
        return None


def switches(facts: Facts, values: Any) -> set[str]:
    """The switches that are on, by name and value."""
    if not isinstance(values, dict):
        return set()
    found = {dumps([keys, at(values, keys)]) for keys in facts.on if at(values, keys) not in ON}
    off = [keys for keys in facts.off if at(values, keys) is not None]
    found.update(dumps(keys) for keys in off if at(values, keys) in FALSE)
    for keys in facts.listed:
        listed = at(values, keys)
        names = listed if isinstance(listed, list) else [listed]
        found.update(name for name in names if isinstance(name, str) and "runaway" in name)
    found.update(key for key, value in values.items() if value in facts.values)
    return found


def at(values: Any, keys: list[str]) -> Any:
    for name in keys:
        values = values.get(name) if isinstance(values, dict) else None
    return values


def _lost(old: Any, new: Any) -> bool:
    """One of our entries is gone or changed, or the harness would not take the file any more."""
    was = list(_ours(old))
    if not was:
        return False
    now = list(_ours(new))
    kept = all(any(_is_same(one, other) for other in now) for one in was)
    unversioned = "version" in old and old["version"] != new.get("version")
    strange = _is_codex(was[0]) and not set(new) <= {"hooks", "description", *old}
    return not kept or unversioned or strange or (_is_sound(old) and not _is_sound(new))


def _ours(values: Any) -> Iterator[tuple[Any, ...]]:
    """(event, place where it counts, matcher, handler) of each entry that starts the guard."""
    for event, place, group, handler in _handlers(values):
        command = handler.get("command")
        if event != EXTRA and isinstance(command, str) and LAUNCHER in command:
            counts = place if command.endswith(CODEX) else ()
            yield event, counts, group.get("matcher"), handler


def _is_codex(entry: tuple[Any, ...]) -> bool:
    return bool(entry[3]["command"].endswith(CODEX))


def _handlers(values: Any) -> Iterator[tuple[str, tuple[int, ...], dict[str, Any], dict[str, Any]]]:
    hooks = values.get("hooks") if isinstance(values, dict) else None
    if isinstance(hooks, list):
        yield from _listed(hooks)
    for event, groups in hooks.items() if isinstance(hooks, dict) else ():
        for index, group in enumerate(groups if isinstance(groups, list) else ()):
            if isinstance(group, dict):
                inner = group.get("hooks")
                for number, handler in enumerate(inner if isinstance(inner, list) else [group]):
                    if isinstance(handler, dict):
                        yield event, (index, number), group, handler


def _listed(
    hooks: list[Any],
) -> Iterator[tuple[str, tuple[int, ...], dict[str, Any], dict[str, Any]]]:
    """Kiro's: each hook names its event and can be switched off."""
    for index, hook in enumerate(hooks):
        action = hook.get("action") if isinstance(hook, dict) else None
        if isinstance(action, dict):
            handler = {"enabled": True, "timeout": 60, **hook, **action}
            yield str(hook.get("trigger")), (index, 0), hook, handler


def _is_same(was: tuple[Any, ...], now: tuple[Any, ...]) -> bool:
    """The same entry, or one that starts the guard as well, for every tool."""
    if was[:3] != now[:3] and (was[:2] != now[:2] or now[2] not in EVERY_TOOL):
        return False
    old, new = was[3], now[3]
    if old == new:
        return True
    extra = [key for key in new if key not in PLAIN and new[key] != old.get(key)]
    return not extra and old.get("type") == new.get("type") and _starts(old, new)


def _starts(old: dict[str, Any], new: dict[str, Any]) -> bool:
    limit, was = new.get("timeout", 60), old.get("timeout", 60)
    good = isinstance(limit, (int, float)) and not isinstance(limit, bool)
    enough = good and isinstance(was, (int, float)) and limit >= min(was, SHORTEST)
    same = new["command"] == old["command"] or new["command"].startswith(STARTS)
    return bool(enough and same)


def _is_sound(values: Any) -> bool:
    """Of the shape that harnesses ask for; one bad entry makes some of them drop the file."""
    hooks = values.get("hooks") if isinstance(values, dict) else None
    if not isinstance(hooks, dict) or not all(isinstance(one, list) for one in hooks.values()):
        return False
    groups = [group for event in hooks.values() for group in event]
    return all(map(_is_sound_group, groups)) and all(
        _is_sound_handler(handler) for _, _, _, handler in _handlers(values)
    )


def _is_sound_group(group: Any) -> bool:
    if not isinstance(group, dict) or not isinstance(group.get("matcher", ""), str):
        return False
    inner = group.get("hooks", [] if "command" in group else None)
    return isinstance(inner, list) and all(isinstance(one, dict) for one in inner)


def _is_sound_handler(handler: dict[str, Any]) -> bool:
    limit = handler.get("timeout", 1)
    good = isinstance(limit, (int, float)) and not isinstance(limit, bool) and limit > 0
    command = handler.get("command")
    return good and (isinstance(command, str) or handler.get("type", "command") != "command")


def _toml_silences(facts: Facts, before: str, after: str) -> bool:
    """Hooks and the record of trust must stay as they are; what is new must be no switch."""
    old, new = set(_toml(before)), set(_toml(after))
    if any(heading.lstrip("[ ")[:5] == "hooks" for heading, _ in old - new):
        return True
    switches = [(keys, "true") for keys in facts.on] + [(keys, "false") for keys in facts.off]
    return any(
        pair.endswith(f"{keys[-1]}={value}") and all(key in heading + pair for key in keys[:-1])
        for heading, pair in new - old
        for keys, value in switches
    )


def _toml(text: str) -> Iterator[tuple[str, str]]:
    """(heading, `key=value` without blanks) of each line."""
    heading = ""
    for line in text[:MAX_SETTINGS_BYTES].splitlines():
        pair = "".join(line.split())
        if pair[:1] == "[" and "=" not in pair:
            heading = pair
        elif "=" in pair and pair[:1] != "#":
            yield heading, pair if '"' in pair else pair.partition("#")[0].rstrip("}")
