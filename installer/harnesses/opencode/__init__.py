"""OpenCode: a plugin of our own instead of a hook; facts in docs/harnesses/opencode.md."""

from __future__ import annotations

from .. import answers, session_ids
from .. import clients as clients_of
from .. import sample_payload as samples
from ..base import (
    NO_CONSENT,
    detector,
    needs_no_consent,
    no_environment,
    no_further_paths,
    records_no_consent,
)
from . import paths, plugin
from .checks import checks as checks
from .tamper import tamper_facts as tamper_facts

NAME = LAUNCHER_ARGUMENT = paths.NAME
DISPLAY = "OpenCode"
SCOPES = paths.SCOPES
OLDEST: tuple[int, ...] = (1, 0, 152)
MOVED_BY = "XDG_CONFIG_HOME"
NPM = (
    f"Its first start with a plugin waits until npm has put {paths.LIBRARY} beside its settings; "
    "without network it goes on after more than a minute."
)
NEXT_STEPS: tuple[str, ...] = (
    "Start running OpenCode sessions anew: they read plugins only at their start.",
    NPM,
)
CONSENT = NO_CONSENT
NO_DRILL: tuple[str, ...] = ()

session_id = session_ids.opencode


detect = detector(paths.config_folder, NAME)
clients = clients_of.finder(NAME)
path = paths.plugin_file
legacy_paths = paths.legacy_paths
further_paths = no_further_paths
edit_target = plugin.edit_target
consent_targets = needs_no_consent
record_consent = records_no_consent
hook_environment = no_environment
sample_payload = samples.of(
    {
        "event": "tool.execute.before",
        "agent": "",
        "directory": "/",
        "attended": False,
        "tool": "bash",
        "args": {"command": "true"},
        "told": [],
    },
    session=("session",),
    call=("call", "call_", 24),
)
is_denial = answers.by_key("deny")
