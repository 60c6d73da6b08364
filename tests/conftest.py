"""What all tests share: the folder tests/live is the marker `live`, and how hard hypothesis tries.

RUNAWAY_REQUIRE_LIVE=1 (set by .ci/run) turns a skipped live test into a failure, so that a machine
without the real CLIs cannot pass for one where they were tried. Only what needs a mount namespace, the
marker `namespace`, is skipped where the system gives none.
"""

from __future__ import annotations

import os
from collections.abc import Generator
from pathlib import Path

import pytest
from hypothesis import settings

from tests.support import clock

LIVE = Path(__file__).parent / "live"
LIVE_VSCODE = Path(__file__).parent / "live_vscode"

# The same examples in every CI run, new ones in others. A test leaves max_examples to the profile.
settings.register_profile(
    "default", deadline=None, max_examples=100, print_blob=True, derandomize="CI" in os.environ
)
settings.register_profile("thorough", parent=settings.get_profile("default"), max_examples=300)
settings.register_profile("nightly", parent=settings.get_profile("default"), max_examples=10_000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))

clock.share()


@pytest.fixture
def one_day() -> None:
    clock.stay_in_one_day()


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if LIVE in item.path.parents:
            item.add_marker(pytest.mark.live)
        if LIVE_VSCODE in item.path.parents:
            item.add_marker(pytest.mark.live_vscode)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item,
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    if report.skipped and not hasattr(report, "wasxfail") and _must_run(item):
        report.outcome = "failed"
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else report.longrepr
        report.longrepr = f"RUNAWAY_REQUIRE_LIVE=1 allows no skip: {reason}"
    return report


def _must_run(item: pytest.Item) -> bool:
    required = os.environ.get("RUNAWAY_REQUIRE_LIVE") == "1"
    return required and "live" in item.keywords and "namespace" not in item.keywords
