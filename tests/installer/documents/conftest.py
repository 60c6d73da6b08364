"""With HYPOTHESIS_PROFILE=nightly the property tests of this folder count as long ones."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

HERE = Path(__file__).parent


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    if os.environ.get("HYPOTHESIS_PROFILE") != "nightly":
        return
    for item in items:
        is_property = getattr(getattr(item, "function", None), "is_hypothesis_test", False)
        if is_property and HERE in item.path.parents:
            item.add_marker(pytest.mark.long)
