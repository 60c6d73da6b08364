from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import cache

import pytest

from tests.corpus.case import Case, Harness
from tests.corpus.walk import House, Walk, house

Walker = Callable[[Harness, Case], Walk]


@pytest.fixture(scope="session")
def walked() -> Iterator[Walker]:
    """Each case is lived through once, however many tests look at it."""
    with ExitStack() as stack:

        @cache
        def house_of(name: str) -> House:
            return stack.enter_context(house(harnesses[name]))

        harnesses: dict[str, Harness] = {}
        walks: dict[tuple[str, str], Walk] = {}

        def walk(harness: Harness, case: Case) -> Walk:
            harnesses[harness.name] = harness
            key = harness.name, case.name
            if key not in walks:
                walks[key] = house_of(harness.name).walk(case)
            return walks[key]

        yield walk
