"""The pinned Claude Code, a throw-away home for it, and a recording hook."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.live.claude_home import ClaudeHome
from tests.live.recorder import Recorder
from tools.live_harnesses import CLAUDE_CODE, binary, missing


@pytest.fixture(scope="session")
def claude() -> Path:
    program = binary(CLAUDE_CODE)
    if program is None:
        pytest.skip(missing(CLAUDE_CODE))
    return program


@pytest.fixture
def home(claude: Path, tmp_path: Path) -> ClaudeHome:
    """A fresh home; the name of its folder is as awkward as a real one may be."""
    home = ClaudeHome(claude, tmp_path / "a user's $HOME é")
    home.project.mkdir(parents=True)
    return home


@pytest.fixture
def recorder(tmp_path: Path) -> Recorder:
    return Recorder(tmp_path / "recorded")
