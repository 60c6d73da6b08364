"""The pinned CLIs, a throw-away home for each, and a recording hook."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.live.antigravity_home import AntigravityHome
from tests.support.live.claude_home import ClaudeHome
from tests.support.live.codex_home import CodexHome
from tests.support.live.copilot_home import CopilotHome
from tests.support.live.droid_home import DroidHome
from tests.support.live.gemini_home import GeminiHome
from tests.support.live.grok_home import GrokHome
from tests.support.live.opencode_home import OpenCodeHome
from tests.support.live.pi_home import PiHome
from tests.support.live.qwen_home import QwenHome
from tests.support.live.recorder import Recorder
from tools import antigravity_core
from tools.live_harnesses import (
    CLAUDE_CODE,
    CODEX,
    CODEX_BEFORE,
    COPILOT,
    DROID,
    GEMINI,
    GROK,
    NODE_22,
    OPENCODE,
    PI,
    QWEN,
    Harness,
    binary,
    missing,
)


@pytest.fixture(scope="session")
def claude() -> Path:
    return installed(CLAUDE_CODE)


def installed(harness: Harness) -> Path:
    program = binary(harness)
    if program is None:
        pytest.skip(missing(harness))
    return program


@pytest.fixture
def home(claude: Path, tmp_path: Path) -> ClaudeHome:
    """A fresh home; the name of its folder is as awkward as a real one may be."""
    home = ClaudeHome(claude, tmp_path / "a user's $HOME é")
    home.project.mkdir(parents=True)
    return home


@pytest.fixture
def codex_home(tmp_path: Path) -> CodexHome:
    return codex_home_of(CODEX, tmp_path)


@pytest.fixture(params=[CODEX, CODEX_BEFORE], ids=lambda harness: harness.version)
def any_codex_home(request: pytest.FixtureRequest, tmp_path: Path) -> CodexHome:
    """The newest release and an older one."""
    return codex_home_of(request.param, tmp_path)


def codex_home_of(harness: Harness, folder: Path) -> CodexHome:
    home = CodexHome(installed(harness), folder / "a user's $HOME é")
    home.project.mkdir(parents=True)
    return home


@pytest.fixture(scope="session")
def copilot_cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Shared, because the program unpacks 200 MB at its first start."""
    return tmp_path_factory.mktemp("copilot-cache")


@pytest.fixture
def copilot_home(tmp_path: Path, copilot_cache: Path) -> CopilotHome:
    home = CopilotHome(installed(COPILOT), tmp_path / "a user's $HOME é", copilot_cache)
    home.project.mkdir(parents=True)
    return home


@pytest.fixture
def gemini_home(tmp_path: Path) -> GeminiHome:
    node = binary(NODE_22) or installed(GEMINI)
    home = GeminiHome(installed(GEMINI), node, tmp_path / "a user's $HOME é")
    home.project.mkdir(parents=True)
    home.write({})
    return home


@pytest.fixture
def droid_home(tmp_path: Path) -> DroidHome:
    home = DroidHome(installed(DROID), tmp_path / "a user's $HOME é")
    home.project.mkdir(parents=True)
    return home


@pytest.fixture
def qwen_home(tmp_path: Path) -> QwenHome:
    root = tmp_path / "a user's $HOME é"
    home = QwenHome(installed(QWEN), installed(NODE_22), root)
    home.project.mkdir(parents=True)
    return home


@pytest.fixture
def grok_home(tmp_path: Path) -> GrokHome:
    home = GrokHome(installed(GROK), tmp_path / "a user's $HOME é")
    home.project.mkdir(parents=True)
    return home


@pytest.fixture
def opencode_home(tmp_path: Path) -> OpenCodeHome:
    home = OpenCodeHome(installed(OPENCODE), tmp_path / "a user's $HOME é")
    home.project.mkdir(parents=True)
    home.settle()
    return home


@pytest.fixture(scope="session")
def antigravity(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The copy of its core that looks for hooks."""
    if not antigravity_core.installed():
        pytest.skip(antigravity_core.missing())
    return antigravity_core.copy(tmp_path_factory.mktemp("antigravity"))


@pytest.fixture
def antigravity_home(antigravity: Path, tmp_path: Path) -> AntigravityHome:
    home = AntigravityHome(antigravity, tmp_path / "a user's $HOME é")
    home.project.mkdir(parents=True)
    return home


@pytest.fixture
def pi_home(tmp_path: Path) -> PiHome:
    home = PiHome(installed(PI), installed(NODE_22), tmp_path / "a user's $HOME é")
    home.project.mkdir(parents=True)
    return home


@pytest.fixture
def recorder(tmp_path: Path) -> Recorder:
    return Recorder(tmp_path / "recorded")
