"""A payload as a harness sends it, for the doctor: the same harmless call each time, unattended."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from . import session_ids

Sample = Callable[[str, int], bytes]


def of(
    fixed: Mapping[str, Any],
    *,
    session: tuple[str, ...] = ("session_id",),
    call: tuple[str, str, int] | None = None,
    time: tuple[str, str] | None = None,
) -> Sample:
    """`fixed` and what differs from call to call.

    `session`: the keys that hold the session's id. `call`: key, beginning and length of the call's own
    id. `time`: key and `strftime`-like form with `{minute:02}` and `{second:02}`.
    """

    def payload(name: str, number: int) -> bytes:
        told = {**fixed, **dict.fromkeys(session, name)}
        if call:
            key, start, length = call
            told[key] = start + session_ids.of_call(name, number, length)
        if time:
            key, form = time
            told[key] = form.format(minute=number // 60, second=number % 60)
        return json.dumps(told).encode()

    return payload
