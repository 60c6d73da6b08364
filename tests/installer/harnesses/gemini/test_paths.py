from __future__ import annotations

from runaway.installer.harnesses import gemini
from runaway.installer.machine import Machine


def test_antigravitys_files_in_its_folder_are_no_gemini_cli(machine: Machine) -> None:
    folder = machine.home / ".gemini"
    (folder / "antigravity").mkdir(parents=True)
    (folder / "config").mkdir()
    assert gemini.detect(machine) is None
    (folder / "settings.json").write_text("{}")
    assert gemini.detect(machine) is not None
