from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from runaway.installer.files.writer import Commit


@pytest.fixture
def state(tmp_path: Path) -> Path:
    return tmp_path / "state"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    folder = tmp_path / "home"
    folder.mkdir()
    return folder


@pytest.fixture
def writer(state: Path) -> Commit:
    return Commit(state)


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Path]:
    """A folder where syncing costs nothing, for tests with hundreds of changes."""
    if not os.access("/dev/shm", os.W_OK):
        yield tmp_path
        return
    with tempfile.TemporaryDirectory(dir="/dev/shm") as name:
        yield Path(name)
