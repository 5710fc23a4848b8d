"""Pages of the web, fetched as by a stranger: no cookies, no keys, no addresses but public ones, and not for long."""

from __future__ import annotations

import asyncio
import contextlib
import ipaddress
import logging
import re
import socket
import ssl
from collections.abc import Callable
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import httpx

LARGEST = 2 << 20
"""Bytes of a page that are read; what follows is left."""
SECONDS = 15.0
"""For a page, with all its redirects."""
REDIRECTS = 5
KINDS = ("text/html", "application/xhtml+xml", "text/plain")

Address = ipaddress.IPv4Address | ipaddress.IPv6Address

_HEADERS = {"accept": ", ".join(KINDS), "user-agent": "Mozilla/5.0 (compatible; verifytui)"}
_NAT64 = ipaddress.ip_network("64:ff9b::/96")
_CHARSET = re.compile(r"charset=[\"']?([\w.:-]+)", re.IGNORECASE)


class PageError(Exception):
    """A page that could not be had; `str()` says why in a few words."""


def public(address: Address) -> bool:
    """Whether an address is one of the internet's: not of this machine, its networks, the provider's, and not a group of machines'. What an
    IPv6 address wraps (mapped, 6to4, Teredo, NAT64) must be public too.
    """
    if isinstance(address, ipaddress.IPv6Address):
        inner = [address.ipv4_mapped, address.sixtofour, *(address.teredo or ())]
        if address in _NAT64:
            inner.append(ipaddress.IPv4Address(int(address) & 0xFFFFFFFF))
        wrapped = [one for one in inner if one is not None]
        if address.ipv4_mapped is not None or address in _NAT64:
            return all(map(public, wrapped))
        if not all(map(public, wrapped)):
            return False
    return address.is_global and not address.is_multicast and not address.is_reserved and not address.is_unspecified


async def fetch(url: str, *, allowed: Callable[[Address], bool] = public, seconds: float = SECONDS, largest: int = LARGEST) -> str:
    """The text of a page, of its first `largest` bytes. PageError.

    `allowed` says whether an address may be connected to. Each hop's name is looked up once, and the connection goes to the address that
    was checked, so a name that changes its meaning in between gains nothing.
    """
    import httpx

    try:
        async with asyncio.timeout(seconds):
            here = httpx.URL(url)
            for _ in range(REDIRECTS + 1):
                answer = await _hop(here, allowed, largest)
                if isinstance(answer, httpx.URL):
                    here = answer
                    continue
                return await asyncio.to_thread(_text, *answer)
    except TimeoutError:
        raise PageError(f"it took longer than {seconds:g} seconds") from None
    except (httpx.InvalidURL, UnicodeError, ValueError):
        raise PageError("its address cannot be read") from None
    raise PageError(f"it redirects more than {REDIRECTS} times")


async def _hop(url: httpx.URL, allowed: Callable[[Address], bool], largest: int) -> httpx.URL | tuple[bytes, str]:
    """One request: where it redirects to, or the body and its content type."""
    import httpx

    if url.scheme not in ("http", "https") or not url.host:
        raise PageError("it is no address of the web")
    addresses = await _look_up(url.host, url.port or (443 if url.scheme == "https" else 80))
    if not all(map(allowed, addresses)):
        raise PageError("it lies in a private network")
    for at, address in enumerate(addresses):
        pinned = url.copy_with(host=str(address), username="", password="", fragment=None)
        headers = {**_HEADERS, "host": url.netloc.decode("ascii").rpartition("@")[2]}
        try:
            async with (
                httpx.AsyncClient(trust_env=False, timeout=SECONDS, verify=_certificates()) as client,
                client.stream("GET", pinned, headers=headers, extensions={"sni_hostname": url.raw_host.decode("ascii")}) as response,
            ):
                return await _read(url, response, largest)
        except httpx.ConnectError:
            if at + 1 == len(addresses):
                raise PageError("it cannot be reached") from None
        except (httpx.HTTPError, OSError) as error:
            raise PageError(f"its server breaks off ({type(error).__name__})") from None
    raise PageError("its name has no address")


async def _read(url: httpx.URL, response: httpx.Response, largest: int) -> httpx.URL | tuple[bytes, str]:
    if response.has_redirect_location:
        return url.join(response.headers["location"])
    if response.status_code != 200:
        raise PageError(f"its server answers with status {response.status_code}")
    kind = response.headers.get("content-type", "text/html")
    if kind.partition(";")[0].strip().lower() not in KINDS:
        raise PageError("it is no text")
    body = bytearray()
    async for piece in response.aiter_bytes():
        body += piece
        if len(body) >= largest:
            break
    if b"\0" in body[:4096] and not body.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise PageError("it is no text")
    return bytes(body[:largest]), kind


@lru_cache(maxsize=1)
def _certificates() -> ssl.SSLContext:
    """Loaded once: it takes longer than a page of a near server."""
    import httpx

    return httpx.create_ssl_context(trust_env=False)


async def _look_up(host: str, port: int) -> list[Address]:
    """The addresses of a name, each once, in the system's order."""
    with contextlib.suppress(ValueError):
        return [ipaddress.ip_address(host)]
    try:
        found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        raise PageError("its name is not known") from None
    return list(dict.fromkeys(ipaddress.ip_address(str(place[0]).partition("%")[0]) for *_, place in found))


def _text(body: bytes, kind: str) -> str:
    """What is to be read on a page: without menus, advertisements and marks, by trafilatura."""
    named = _CHARSET.search(kind)
    if kind.partition(";")[0].strip().lower() == "text/plain":
        return _decoded(body, named)
    import trafilatura

    for name in ("trafilatura", "htmldate", "courlan", "justext", "charset_normalizer"):
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)
    content = _decoded(body, named) if named else body
    with contextlib.suppress(Exception):  # whatever a broken page does to the parser, it is a page without text
        return trafilatura.extract(content, include_comments=False, include_tables=True) or ""
    return ""


def _decoded(body: bytes, named: re.Match[str] | None) -> str:
    for encoding in (*([named[1]] if named else []), "utf-8-sig", "gb18030"):
        with contextlib.suppress(LookupError, UnicodeDecodeError):
            return body.decode(encoding)
    return body.decode("utf-8", "replace")
