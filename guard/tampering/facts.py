"""What is guarded, and what silences a harness: as setup compiled it from its harness modules."""

from __future__ import annotations

from ..fastjson import loads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..policy import Policy

SHARED = "/opt/runaway"  # code and policy of a guard that serves all users of the machine
STARTUP = (  # files that every new shell reads
    *(".bashrc", ".bash_profile", ".profile", ".zshrc", ".zshenv", ".zprofile", "config.fish"),
    "/etc/environment",
)
PROGRAMS = (".js", ".mjs", ".cjs", ".ts")
PLUGINS = ("/skills/", "/plugins/")


class Facts:
    """The text `tamper.facts` of policy.json (installer/harnesses/tamper_facts.py says what is what).

    `ends` are settings files as they stand below a home or a project, `files` those anywhere else;
    `programs` tells of each harness its `flags`, and the variable by which its settings are `moved`.
    """

    def __init__(self, policy: Policy) -> None:
        told: dict[str, Any] = loads(policy.tamper.get("facts") or "{}")
        self.ends: list[str] = told.get("ends") or []
        self.files: list[str] = told.get("files") or []
        self.whole: tuple[str, ...] = tuple(f"/{name}" for name in told.get("whole") or ())
        self.on: list[list[str]] = told.get("on") or []
        self.off: list[list[str]] = told.get("off") or []
        self.listed: list[list[str]] = told.get("listed") or []
        self.values: list[str] = told.get("values") or []
        self.words: list[str] = told.get("words") or []
        self.code: list[str] = told.get("code") or []
        self.variables: list[str] = told.get("variables") or []
        self.programs: dict[str, dict[str, Any]] = told.get("programs") or {}

    def names_settings(self, path: str) -> bool:
        return any(path.endswith(f"/{end}") for end in self.ends)

    def sets(self, path: str, text: str) -> bool:
        """Is a variable that silences written where every new shell reads it, or a plugin that does?"""
        if path.endswith(PROGRAMS) and any(folder in path for folder in PLUGINS):
            return any(event in text for event in self.code)
        return path.endswith(STARTUP) and any(name in text for name in self.variables)
