from __future__ import annotations

from pathlib import Path

import pytest

from runaway.installer import deploy
from runaway.installer.interpreter import choose
from runaway.installer.machine import Machine
from tests.support.installer import bare_machine, wire


@pytest.fixture
def machine(tmp_path_factory: pytest.TempPathFactory) -> Machine:
    """A machine with nothing but a home. The guard's code is compiled once per process."""
    return bare_machine(tmp_path_factory.mktemp("machine") / "home")


@pytest.fixture
def deployed(machine: Machine) -> Machine:
    deploy.deploy(machine, choose(machine))
    assert deploy.is_current(machine, choose(machine))
    return machine


@pytest.fixture
def wired(machine: Machine) -> Machine:
    assert wire(machine).exit_code == 0
    return machine


@pytest.fixture
def bare(tmp_path: Path) -> Machine:
    """A machine with nothing but an empty home."""
    return bare_machine(tmp_path / "home")


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Machine:
    """One machine for a whole table of projects, set up once."""
    machine = bare_machine(tmp_path_factory.mktemp("house") / "home")
    assert wire(machine).exit_code == 0
    return machine


@pytest.fixture
def home(machine: Machine) -> Path:
    """An empty home."""
    return machine.home


@pytest.fixture
def empty(bare: Machine) -> Path:
    return bare.home
