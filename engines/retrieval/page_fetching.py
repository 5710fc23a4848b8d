"""Fetches web pages: without cookies and keys, from public addresses only, within a
time limit.
"""

from __future__ import annotations

import asyncio
import codecs
import contextlib
import ipaddress
import logging
import re
import socket
import ssl
from collections.abc import Callable
from functools import lru_cache, partial
from typing import TYPE_CHECKING

from ..threads import in_thread
from .charsets import encodings

if TYPE_CHECKING:
    from urllib.robotparser import RobotFileParser

    import httpx

LARGEST = 2 << 20
"""Most bytes of a page that are read."""
MOST_TAGS = 50_000
"""Most tags of a page that are read. Finding the text between them takes the longest.
"""
SECONDS = 15.0
"""Seconds for a page, with all its redirects."""
REDIRECTS = 5
PDF = "application/pdf"
KINDS = ("text/html", "application/xhtml+xml", "text/plain", PDF)
AGENT = "verifytui"
ROBOTS_LARGEST = 500 * 1024
"""Bytes of a robots.txt that are read (RFC 9309)."""

Address = ipaddress.IPv4Address | ipaddress.IPv6Address

_HEADERS = {
    "accept": ", ".join(KINDS),
    "user-agent": f"Mozilla/5.0 (compatible; {AGENT})",
}
_NAT64 = ipaddress.ip_network("64:ff9b::/96")
_GLOBAL_V6 = ipaddress.ip_network("2000::/3")
_NOT_PUBLIC = tuple(
    map(
        ipaddress.ip_network,
        (
            "168.63.129.16/32",  # Azure's own services, seen from its machines
            "192.0.0.0/24",  # protocol assignments, a cloud's metadata among them
            "192.88.99.0/24",  # relays of 6to4
            "3fff::/20",  # documentation
        ),
    )
)
_ISATAP = frozenset({0x00005EFE, 0x02005EFE})
_CHARSET = re.compile(r"charset=[\"']?([\w.:-]+)", re.IGNORECASE)


class PageError(Exception):
    """A page cannot be fetched. `str()` gives a short reason."""


class StatusError(PageError):
    """A server returned a status without a page."""

    def __init__(self, status: int) -> None:
        super().__init__(f"its server answers with status {status}")
        self.status = status


def public(address: Address) -> bool:
    """Whether an address is one of the internet's: not of this machine, its networks,
    the provider's, and not a group of machines'. What an IPv6 address wraps (mapped,
    6to4, Teredo, NAT64, ISATAP) must be public too.
    """
    if any(
        address in network
        for network in _NOT_PUBLIC
        if network.version == address.version
    ):
        return False
    if isinstance(address, ipaddress.IPv6Address):
        inner = [address.ipv4_mapped, address.sixtofour, *(address.teredo or ())]
        if int(address) >> 32 & 0xFFFFFFFF in _ISATAP:
            inner.append(ipaddress.IPv4Address(int(address) & 0xFFFFFFFF))
        if address in _NAT64:
            inner.append(ipaddress.IPv4Address(int(address) & 0xFFFFFFFF))
        wrapped = [one for one in inner if one is not None]
        if address.ipv4_mapped is not None or address in _NAT64:
            return all(map(public, wrapped))
        if not all(map(public, wrapped)) or address not in _GLOBAL_V6:
            return False
    return (
        address.is_global
        and not address.is_multicast
        and not address.is_reserved
        and not address.is_unspecified
    )


async def fetch(
    url: str,
    *,
    allowed: Callable[[Address], bool] = public,
    seconds: float = SECONDS,
    largest: int = LARGEST,
    robots: dict[str, RobotFileParser] | None = None,
) -> str:
    """The text of a page, from its first `largest` bytes; a PDF may have four times as
    many. Raises: PageError.

    Pages that the robots.txt of their site excludes are not fetched; `robots` keeps
    what these files say, by site. `allowed` says whether an
    address may be connected to. Each hop's name is looked up
    once, and the connection goes to the address that was checked, so a name that
    changes its meaning in between gains nothing.
    """
    import httpx

    from ..models.bodies import BodyError

    robots = {} if robots is None else robots
    try:
        async with asyncio.timeout(seconds):
            here = httpx.URL(url)
            for _ in range(REDIRECTS + 1):
                site = f"{here.scheme}://{here.netloc.decode('ascii')}"
                if site not in robots:
                    robots[site] = await _rules(here, allowed)
                if not robots[site].can_fetch(AGENT, here.raw_path.decode("ascii")):
                    raise PageError("the robots.txt of its site excludes it")
                answer = await _hop(here, allowed, largest)
                if isinstance(answer, httpx.URL):
                    here = answer
                    continue
                return await in_thread(partial(_text, *answer))
    except BodyError as error:
        raise PageError(str(error)) from None
    except TimeoutError:
        raise PageError(f"it took longer than {seconds:g} seconds") from None
    except (httpx.InvalidURL, UnicodeError, ValueError, OverflowError):
        raise PageError("its address cannot be read") from None
    raise PageError(f"it redirects more than {REDIRECTS} times")


async def _rules(url: httpx.URL, allowed: Callable[[Address], bool]) -> RobotFileParser:
    """Return the rules in the robots.txt of a page's site; none if there is no such
    file.

    Raises: StatusError if its server fails: whether the page may be fetched is unknown.
    """
    from urllib.robotparser import RobotFileParser

    import httpx

    rules = RobotFileParser()
    rules.parse([])
    here = httpx.URL(scheme=url.scheme, netloc=url.netloc, path="/robots.txt")
    for _ in range(REDIRECTS + 1):
        try:
            answer = await _hop(here, allowed, ROBOTS_LARGEST)
        except PageError as error:
            if isinstance(error, StatusError) and error.status >= 500:
                raise
            break  # what else is wrong with the site is said of the page itself
        if isinstance(answer, tuple):
            rules.parse(_decoded(answer[0], "text/plain").splitlines())
            break
        here = answer
    return rules


async def _hop(
    url: httpx.URL, allowed: Callable[[Address], bool], largest: int
) -> httpx.URL | tuple[bytes, str]:
    """One request: where it redirects to, or the body and its content type."""
    import httpx

    from ..models.bodies import Transport

    if url.scheme not in ("http", "https") or not url.host:
        raise PageError("it is no address of the web")
    if url.port is not None and not 0 < url.port < 1 << 16:
        raise PageError(f"there is no port {url.port}")
    addresses = await _look_up(
        url.host, url.port or (443 if url.scheme == "https" else 80)
    )
    if not all(map(allowed, addresses)):
        raise PageError("it lies in a private network")
    for at, address in enumerate(addresses):
        pinned = url.copy_with(
            host=str(address), username="", password="", fragment=None
        )
        headers = {**_HEADERS, "host": url.netloc.decode("ascii").rpartition("@")[2]}
        try:
            async with (
                httpx.AsyncClient(
                    transport=Transport(
                        httpx.AsyncHTTPTransport(
                            verify=_certificates(), trust_env=False
                        )
                    ),
                    timeout=SECONDS,
                ) as client,
                client.stream(
                    "GET",
                    pinned,
                    headers=headers,
                    extensions={"sni_hostname": url.raw_host.decode("ascii")},
                ) as response,
            ):
                return await _read(url, response, largest)
        except httpx.ConnectError:
            if at + 1 == len(addresses):
                raise PageError("it cannot be reached") from None
        except (httpx.HTTPError, OSError) as error:
            raise PageError(f"its server breaks off ({type(error).__name__})") from None
    raise PageError("its name has no address")


async def _read(
    url: httpx.URL, response: httpx.Response, largest: int
) -> httpx.URL | tuple[bytes, str]:
    if response.has_redirect_location:
        return url.join(response.headers["location"])
    if response.status_code != 200:
        raise StatusError(response.status_code)
    kind = response.headers.get("content-type", "text/html")
    if kind.partition(";")[0].strip().lower() not in KINDS:
        raise PageError("it is no text")
    largest *= 4 if _is_pdf(kind) else 1
    body = bytearray()
    async for piece in response.aiter_bytes():
        body += piece
        if len(body) >= largest:
            break
    if len(body) >= largest and _is_pdf(kind):  # cut off, it cannot be read
        raise PageError(f"it is a PDF of more than {largest >> 20} MB")
    if (
        not _is_pdf(kind)
        and b"\0" in body[:4096]
        and not body.startswith((b"\xff\xfe", b"\xfe\xff"))
    ):
        raise PageError("it is no text")
    return bytes(body[:largest]), kind


def _is_pdf(kind: str) -> bool:
    return kind.partition(";")[0].strip().lower() == PDF


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
        found = await asyncio.get_running_loop().getaddrinfo(
            host, port, type=socket.SOCK_STREAM
        )
    except (OSError, UnicodeError, OverflowError):
        raise PageError("its name is not known") from None
    return list(
        dict.fromkeys(
            ipaddress.ip_address(str(place[0]).partition("%")[0]) for *_, place in found
        )
    )


def _text(body: bytes, kind: str) -> str:
    """The main text of a page, without menus, advertisements and tags, by
    trafilatura.
    """
    if kind.partition(";")[0].strip().lower() == "text/plain":
        return _decoded(body, kind)
    if _is_pdf(kind):
        from .documents import Unreadable, parse

        try:
            (found,) = parse(".pdf", body, "page.pdf")
        except Unreadable as error:
            raise PageError(str(error)) from None
        return found.text.replace("\f", " ")
    import trafilatura

    for name in ("trafilatura", "htmldate", "courlan", "justext", "charset_normalizer"):
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)
    parts = _decoded(body, kind, marked=True).split("<", MOST_TAGS)
    content = "<".join(parts[:MOST_TAGS])
    # whatever a broken page does to the parser, it is a page without text
    with contextlib.suppress(Exception):
        return (
            trafilatura.extract(content, include_comments=False, include_tables=True)
            or ""
        )
    return ""


def _decoded(body: bytes, kind: str, *, marked: bool = False) -> str:
    """The text in the character set that its bytes, its server or (`marked`) the page
    itself names; else in the likeliest one.
    """
    if body.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return body.decode("utf-16", "replace")
    named = _CHARSET.search(kind) or (
        _CHARSET.search(body[:4096].decode("latin-1")) if marked else None
    )
    for encoding in (*encodings(named[1] if named else ""), "utf-8-sig"):
        with contextlib.suppress(UnicodeDecodeError):
            return body.decode(encoding)
    for encoding in (*(_likeliest(body) if marked and not named else ()), "gb18030"):
        with contextlib.suppress(UnicodeDecodeError):
            return body.decode(encoding)
    return body.decode("utf-8", "replace")


def _likeliest(body: bytes) -> list[str]:
    """What a page's bytes look like, by their beginning and end."""
    from charset_normalizer import from_bytes

    guessed = from_bytes(body if len(body) < 10_000 else body[:5000] + body[-5000:])
    return [one for each in guessed for one in encodings(each.encoding)]
