"""Files as people write them, with what we say of them; the real Droid was asked the same."""

from __future__ import annotations

import json
from typing import Any

HOOK = {"type": "command", "command": "x"}


def stop(*groups: Any, **hooks: Any) -> str:
    return json.dumps({"hooks": {"Stop": list(groups or [{"hooks": [HOOK]}]), **hooks}})


def hook(**changes: Any) -> str:
    return stop({"hooks": [{**HOOK, **changes}]})


LOADED = {
    "plain": stop(),
    "a comment": "// mine\n" + stop(),
    "unknown keys": hook(other=1),
    "an unknown event": stop(onStop="x"),
    "half a second": hook(timeout=1.5),
    "matchers": stop({"matcher": "*", "commandRegex": "x", "hooks": [HOOK]}),
    "switches": stop(hooksDisabled=False, showHookOutput=True),
    "other settings": '{"enableDroidShield": "yes", "zzz": 1}',
}
FIRST = "hooks.Stop[0]"
DROPPED = {  # name -> (text, the place we tell)
    "hooks null": ('{"hooks": null}', "hooks"),
    "a switch in text": (stop(hooksDisabled="true"), "hooks.hooksDisabled"),
    "an event that is an object": ('{"hooks": {"Stop": {}}}', "hooks.Stop"),
    "a group that is a text": (stop("x"), FIRST),
    "a group without hooks": (stop({}), FIRST),
    "a hook in the list of the event": (stop(HOOK), FIRST),
    "a matcher null": (stop({"matcher": None, "hooks": [HOOK]}), f"{FIRST}.matcher"),
    "another type": (hook(type="http"), f"{FIRST}.hooks[0]"),
    "no type": (stop({"hooks": [{"command": "x"}]}), f"{FIRST}.hooks[0]"),
    "no command": (stop({"hooks": [{"type": "command"}]}), f"{FIRST}.hooks[0]"),
    "a timeout in text": (hook(timeout="1"), f"{FIRST}.hooks[0].timeout"),
    "a list": ("[]", "the top level"),
}
REFUSED = {  # name -> (text, code); already by the rules of reading
    "a byte order mark": ("\ufeff" + stop(), "json-bom"),
    "a trailing comma": (stop()[:-1] + ",}", "json-trailing-comma"),
    "half a file": (stop()[:-1], "json-syntax"),
}
