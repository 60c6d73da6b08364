from __future__ import annotations

from pathlib import Path

import pytest

from runaway.installer.machine import Machine, scratch_machine
from tests.installer.support import wire


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    """A machine whose every folder lies below tmp_path, with nothing on it."""
    home = tmp_path / "home"
    home.mkdir()
    return scratch_machine(home)


@pytest.fixture
def wired(machine: Machine) -> Machine:
    assert wire(machine).exit_code == 0
    return machine


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Machine:
    """One machine for a whole table of projects, set up once: deploying is what takes time."""
    home = tmp_path_factory.mktemp("house")
    machine = scratch_machine(home)
    assert wire(machine).exit_code == 0
    return machine
