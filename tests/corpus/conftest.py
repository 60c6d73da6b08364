from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from tests.corpus.case import Case, Harness
from tests.corpus.walk import Walk, houses
from tests.installer.conftest import machine

__all__ = ["machine", "walked"]
Walked = Callable[[Harness, Case], Walk]


@pytest.fixture(scope="session")
def walked() -> Iterator[Walked]:
    """Each case is lived through once, however many tests look at it."""
    walks: dict[tuple[Harness | str, str], Walk] = {}
    with houses() as walk:

        def once(harness: Harness, case: Case) -> Walk:
            key = harness.file, case.name
            if key not in walks:
                walks[key] = walk(harness, case)
            return walks[key]

        yield once
