"""Pi: an extension of our own instead of a hook; facts in docs/harnesses/pi.md."""

from __future__ import annotations

from functools import partial

from .. import answers, plugin_file, session_ids
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
from . import paths
from .checks import checks as checks
from .tamper import tamper_facts as tamper_facts

NAME = LAUNCHER_ARGUMENT = paths.NAME
DISPLAY = "Pi"
SCOPES = paths.SCOPES
OLDEST: tuple[int, ...] = (0, 74, 2)
MOVED_BY = paths.MOVED_BY
NEXT_STEPS: tuple[str, ...] = (
    "Restart any running Pi sessions, or type /reload in them; extensions are read only at startup.",
)
CONSENT = NO_CONSENT
NO_DRILL: tuple[str, ...] = ()

session_id = session_ids.uuid7
detect = detector(paths.folder, NAME)
clients = clients_of.finder(NAME)
path = paths.extension
legacy_paths = paths.legacy_paths
further_paths = no_further_paths
edit_target = partial(plugin_file.target, NAME)
consent_targets = needs_no_consent
record_consent = records_no_consent
hook_environment = no_environment
sample_payload = samples.of(
    {
        "event": "tool_call",
        "directory": "/",
        "attended": False,
        "tool": "bash",
        "args": {"command": "true"},
        "told": [],
    },
    session=("session",),
    call=("call", "toolu_", 24),
)
is_denial = answers.by_key("deny")
