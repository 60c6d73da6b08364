"""The HTTP side of a model server: loopback only, one thread per connection, nothing logged."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import NamedTuple


class Response(NamedTuple):
    status: int
    content_type: str
    body: bytes


Answer = Callable[[str, Mapping[str, str], bytes], Response]  # path, headers in lower case, body


class Loopback(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128  # with the default of 5 a burst of subagents waits a second


def handler_of(answer: Answer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        wbufsize = -1  # headers and body leave together: apart they wait for each other 40 ms

        def do_GET(self) -> None:
            self._send(Response(200, "application/json", b"{}"))

        do_HEAD = do_GET

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("content-length") or 0))
            headers = {name.lower(): value for name, value in self.headers.items()}
            self._send(answer(self.path.partition("?")[0], headers, body))

        def _send(self, response: Response) -> None:
            self.send_response(response.status)
            self.send_header("content-type", response.content_type)
            self.send_header("content-length", str(len(response.body)))
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(response.body)

        def log_message(self, format: str, *args: object) -> None:
            """Says nothing: the requests are kept instead."""

    return Handler
