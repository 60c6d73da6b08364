"""Factory Droid: hooks in settings.json of the user; facts in docs/harnesses/droid.md."""

from __future__ import annotations

from pathlib import Path

from ...errors import Refusal
from .. import answers, hook_target, session_ids
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
from ..hook_target import Place, Validation, of_bytes
from . import paths
from .checks import checks as checks
from .checks import is_outranked
from .tamper import tamper_facts as tamper_facts
from .validation import problems

NAME = LAUNCHER_ARGUMENT = paths.NAME
DISPLAY = "Droid"
SCOPES = paths.SCOPES
OLDEST: tuple[int, ...] = (0, 99, 0)
MOVED_BY = "FACTORY_HOME_OVERRIDE"
NEXT_STEPS: tuple[str, ...] = ("Start `droid` sessions that are running anew.",)
NO_DRILL: tuple[str, ...] = ()
CONSENT = NO_CONSENT


def _refuse_outranked(place: Place) -> None:
    """Refusal where the file beside it has the event, which Droid then takes from there."""
    other = place.path.with_name(Path(paths.HOOKS).name)
    if is_outranked(other):
        event = paths.EVENTS[0]
        raise Refusal(
            f"Droid takes {event} from {other.name} beside {place.name}, and not from the latter.",
            code="droid-other-file",
            fix=f"Move {event} of {other.name} into `hooks` of settings.json.",
        )


VALIDATION = Validation(
    of_bytes(problems), "Droid runs no hook of", "droid-drops-hooks", _refuse_outranked
)

detect = detector(paths.folder, NAME)
clients = clients_of.finder(NAME)
path = paths.settings_file
legacy_paths = paths.legacy_paths
further_paths = no_further_paths
edit_target = hook_target.of(NAME, paths.shape, VALIDATION)
consent_targets = needs_no_consent
record_consent = records_no_consent
hook_environment = no_environment
session_id = session_ids.uuid4
sample_payload = samples.of(
    {
        "transcript_path": "",
        "cwd": "/",
        "permission_mode": "auto-low",
        "hook_event_name": "PreToolUse",
        "tool_name": "Execute",
        "tool_input": {"command": "true"},
    }
)
is_denial = answers.by_hook_output
