"""A small HTTP server on the loopback that answers as a test says and remembers what it
was asked.
"""

from __future__ import annotations

import json
import ssl
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any


@dataclass
class Asked:
    method: str
    path: str
    headers: dict[str, str]
    """Names in lower case."""
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


@dataclass
class Says:
    body: bytes | str | dict[str, Any] | list[Any] = b""
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    kind: str = "application/json"
    silent: bool = False
    """Takes the request and never answers."""
    hang: bool = False
    """Closes the connection without an answer."""
    endless: bool = False
    """Sends the body again and again until the other side leaves."""


class _Http(ThreadingHTTPServer):
    daemon_threads = True
    # Python's 5 are too few for eight that come at once on a busy machine: one is
    # refused
    request_queue_size = 128


class Server:
    """`with Server() as server:` then set `server.says`, a `Says` or a function of what
    was asked.
    """

    def __init__(self, certificate: Path | None = None) -> None:
        """With a `certificate` (a PEM file that holds its key too) it speaks HTTPS."""
        self.says: Says | Callable[[Asked], Says] = Says({})
        self.asked: list[Asked] = []
        self.came = threading.Event()
        """Set when a request has come."""
        self.left = threading.Event()
        """Set when a client of a silent or endless answer has gone."""
        self._over = threading.Event()
        self._http = _Http(
            ("127.0.0.1", 0), type("Handler", (_Handler,), {"owner": self})
        )
        self.port = self._http.server_address[1]
        if certificate is not None:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(certificate)
            self._http.socket = context.wrap_socket(self._http.socket, server_side=True)
        self.url = f"http://127.0.0.1:{self.port}"
        self._thread = threading.Thread(
            target=self._http.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True
        )

    def __enter__(self) -> Server:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._http.shutdown()
        self._http.server_close()


class _Handler(BaseHTTPRequestHandler):
    owner: Server
    protocol_version = "HTTP/1.1"

    def _answer(self) -> None:
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        asked = Asked(
            self.command,
            self.path,
            {name.lower(): value for name, value in self.headers.items()},
            body,
        )
        self.owner.asked.append(asked)
        self.owner.came.set()
        says = (
            self.owner.says
            if isinstance(self.owner.says, Says)
            else self.owner.says(asked)
        )
        self.close_connection = True
        if says.hang:
            return
        if says.silent:
            self.connection.settimeout(20)
            if self.connection.recv(1) == b"":
                self.owner.left.set()
            return
        raw = (
            says.body
            if isinstance(says.body, bytes)
            else says.body.encode()
            if isinstance(says.body, str)
            else json.dumps(says.body).encode()
        )
        self.send_response(says.status)
        self.send_header("content-type", says.kind)
        if not says.endless:
            self.send_header("content-length", str(len(raw)))
        self.send_header(
            "connection", "close"
        )  # said, or a client may ask again on a connection that is just being closed
        for name, value in says.headers.items():
            self.send_header(name, value)
        self.end_headers()
        try:
            self.wfile.write(raw)
            while says.endless and not self.owner._over.is_set():
                self.wfile.write(raw)
        except OSError:
            self.owner.left.set()

    do_GET = do_POST = _answer

    def log_message(self, *_: object) -> None:
        pass
