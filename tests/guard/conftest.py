from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.processes import Guard, deployed


@pytest.fixture(scope="session")
def deployment(tmp_path_factory: pytest.TempPathFactory) -> Guard:
    """Deployed once, because compiling takes time."""
    return deployed(tmp_path_factory.mktemp("guard") / "a user's $HOME é")


@pytest.fixture
def guard(deployment: Guard) -> Iterator[Guard]:
    """The deployment with the default policy and nothing remembered."""
    yield deployment
    shutil.rmtree(deployment.state, ignore_errors=True)
    (deployment.machine.data / "health.log").unlink(missing_ok=True)
    (deployment.machine.data / "policy.json").unlink()
    deployment.policy()


@pytest.fixture
def state(tmp_path: Path) -> str:
    return str(tmp_path / "state")
