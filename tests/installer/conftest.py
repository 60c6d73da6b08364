from __future__ import annotations

import shutil
from pathlib import Path
from typing import NamedTuple

import pytest

from runaway.installer import deploy
from runaway.installer.interpreter import choose
from runaway.installer.machine import Machine
from tests.installer.support import bare_machine, wire


class Compiled(NamedTuple):
    """The guard's code as compiled for one home (its path is baked in), kept beside it."""

    home: Path
    code: Path


@pytest.fixture(scope="session")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Compiled:
    folder = tmp_path_factory.mktemp("machine")
    machine = bare_machine(folder / "home")
    deploy.deploy(machine, choose(machine))
    return Compiled(machine.home, (machine.data / "guard").rename(folder / "code"))


@pytest.fixture
def machine(compiled: Compiled) -> Machine:
    """A machine with nothing but a home and the compiled guard: compiling is what takes time."""
    shutil.rmtree(compiled.home)
    machine = bare_machine(compiled.home)
    machine.data.mkdir(mode=0o700, parents=True)
    shutil.copytree(compiled.code, machine.data / "guard")
    return machine


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
    """A home with nothing but the compiled guard."""
    return machine.home


@pytest.fixture
def empty(bare: Machine) -> Path:
    return bare.home
