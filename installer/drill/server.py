"""A loopback model server: a script answers instead of a model, so that a real harness CLI can run.

What every vendor shares lives here; the wire format is a subclass (messages_server.py).
"""

from __future__ import annotations

import json
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from types import TracebackType
from typing import Any, NamedTuple, Self

from .loopback import Loopback, Response, handler_of


class Text(NamedTuple):
    text: str


class ToolUse(NamedTuple):
    name: str
    input: Mapping[str, Any]


class Usage(NamedTuple):
    """What one answer is billed for: tokens of each kind, and what changes their price."""

    input: int = 100
    output: int = 20
    cache_read: int = 0
    cache_write_5m: int = 0
    cache_write_1h: int = 0
    web_searches: int = 0
    speed: str = "standard"
    service_tier: str = "standard"
    inference_geo: str = "not_available"


class Reply(NamedTuple):
    """One answer of the model; an empty `model` echoes the one that was asked for."""

    blocks: tuple[Text | ToolUse, ...]
    usage: Usage = Usage()
    model: str = ""


class ApiError(NamedTuple):
    """An HTTP error instead of an answer; `kind` is the vendor's word: `overloaded_error`, say."""

    status: int
    kind: str
    message: str = "scripted error"


class Request(NamedTuple):
    """One call of the model. `number` counts all of them from 1, `round` those of the same agent.

    `agent` is empty for the main agent; header names are lower case.
    """

    number: int
    round: int
    agent: str
    headers: Mapping[str, str]
    body: Mapping[str, Any]


Script = Callable[[Request], Reply | ApiError]

THE_END = Reply((Text("The script is over."),), Usage(0, 0))


class ModelServer(ABC):
    """Serves `script` on 127.0.0.1 while the `with` block runs; `requests` keeps what it was asked.

    A harness that never stops asking is stopped here: after `max_requests` answers or `max_seconds`
    every further answer ends the turn, and `exhausted` is true. An exception of the script ends the
    turn too and is raised again where the `with` block ends.
    """

    def __init__(
        self, script: Script, *, max_requests: int = 200, max_seconds: float = 120
    ) -> None:
        self._script = script
        self._max_requests = max_requests
        self._deadline = time.monotonic() + max_seconds
        self._lock = threading.Lock()
        self._requests: list[Request] = []
        self._failure: Exception | None = None
        self.exhausted = False
        self._http = Loopback(("127.0.0.1", 0), handler_of(self.answer))
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.05,), daemon=True)

    @abstractmethod
    def is_model_call(self, path: str) -> bool:
        """Whether a POST to `path` (without its query) asks the model."""

    @abstractmethod
    def agent(self, headers: Mapping[str, str]) -> str:
        """Which subagent asks; empty for the main agent."""

    @abstractmethod
    def encode(self, request: Request, reply: Reply | ApiError) -> Response:
        """`reply` in the vendor's wire format."""

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._http.server_port}"

    @property
    def requests(self) -> tuple[Request, ...]:
        with self._lock:
            return tuple(self._requests)

    def answer(self, path: str, headers: Mapping[str, str], body: bytes) -> Response:
        """The response to one POST."""
        if not self.is_model_call(path):
            return Response(404, "application/json", b"{}")
        request = self._record(headers, json.loads(body))
        return self.encode(request, self._reply(request))

    def _record(self, headers: Mapping[str, str], body: Mapping[str, Any]) -> Request:
        agent = self.agent(headers)
        with self._lock:
            earlier = sum(request.agent == agent for request in self._requests)
            request = Request(len(self._requests) + 1, earlier + 1, agent, headers, body)
            self._requests.append(request)
        return request

    def _reply(self, request: Request) -> Reply | ApiError:
        if request.number > self._max_requests or time.monotonic() > self._deadline:
            self.exhausted = True
            return THE_END
        try:
            return self._script(request)
        except Exception as error:  # noqa: BLE001 - raised again by __exit__
            self._failure = error
            return THE_END

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()
        if self._failure and error is None:
            raise self._failure
