"""Pi's settings and our extension, and what keeps Pi from loading it; docs/harnesses/pi.md."""

from __future__ import annotations

from ...machine import Machine
from ..plugin_file import FILE
from ..tamper_facts import TamperFacts
from . import paths
from .checks import OPTION


def tamper_facts(machine: Machine) -> TamperFacts:
    return TamperFacts(
        folder=paths.folder(machine),
        default=paths.default_folder(machine),
        files=(paths.EXTENSION, "settings.json"),
        whole=(FILE,),
        listed=(("extensions",),),
        words=(f"-{paths.EXTENSION}", f"!{paths.EXTENSION}"),
        programs=(paths.NAME,),
        flags=(OPTION, "-ne"),
    )
