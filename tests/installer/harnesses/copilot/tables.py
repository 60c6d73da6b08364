"""Files of hooks as people write them, with what we say of them; the real Copilot was asked the same."""

from __future__ import annotations

import json
from typing import Any


def file(**fields: Any) -> str:
    return json.dumps({"hooks": {"Stop": [{"type": "command", "command": "x"}]}, **fields})


LOADED = {
    "plain": file(),
    "version 1": file(version=1),
    "version 1.0": file(version=1.0),
    "switched on": file(disableAllHooks=False),
    "unknown keys": file(description="x", other=[1]),
    "an unknown event": file(hooks={"onStop": [{"command": "x"}]}),
    "an event that is an object": file(hooks={"Stop": {}}),
    "an event that is null": file(hooks={"Stop": None}),
    "a hook of a wrong type": file(hooks={"Stop": [{"type": "http"}, "x"]}),
    "a timeout of half a second": file(hooks={"Stop": [{"command": "x", "timeout": 0.5}]}),
    "a large number": file(other=10**30),
}
IGNORED = {  # name -> (text, the place we tell)
    "version 2": (file(version=2), "version"),
    "version 0": (file(version=0), "version"),
    "version true": (file(version=True), "version"),
    "version null": (file(version=None), "version"),
    "version as text": (file(version="1"), "version"),
    "a list of hooks": (file(hooks=[]), "hooks"),
    "hooks null": (file(hooks=None), "hooks"),
    "switched off": (file(disableAllHooks=True), "disableAllHooks"),
    "switched off in text": (file(disableAllHooks="true"), "disableAllHooks"),
    "switched null": (file(disableAllHooks=None), "disableAllHooks"),
    "a list": ("[]", "the top level"),
    "null": ("null", "the top level"),
}
REFUSED = {  # name -> (text, code); already by the rules of reading
    "a byte order mark": ("\ufeff" + file(), "json-bom"),
    "a comment": ("// mine\n" + file(), "json-comment"),
    "a trailing comma": (file()[:-1] + ",}", "json-trailing-comma"),
    "half a file": (file()[:-1], "json-syntax"),
}
