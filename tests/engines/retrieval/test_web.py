"""The web through LiteLLM's search and pages that are fetched, over the loopback."""

from __future__ import annotations

import asyncio
import gzip
import importlib.util
import ipaddress
import resource
import shutil
import socket
import ssl
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.robotparser import RobotFileParser

import pytest
from verifytui.engines.models import litellm_loading
from verifytui.engines.models.config import Config
from verifytui.engines.retrieval import page_fetching
from verifytui.engines.retrieval.page_fetching import Address, PageError, fetch, public
from verifytui.engines.retrieval.port import RetrievalError
from verifytui.engines.retrieval.web import ENGINES, Web, plain
from verifytui.tests.support.made_pdf import made
from verifytui.tests.support.serving import Asked, Says, Server


def loopback(address: Address) -> bool:
    return address.is_loopback


@pytest.fixture
def server(home: object) -> Iterator[Server]:
    with Server() as running:
        yield running


Make = Callable[..., Web]


@pytest.fixture
def make(server: Server) -> Make:
    def made(provider: str = "searxng", whole: bool = False, **more: Any) -> Web:
        env = {
            f"{provider.upper()}_API_BASE": server.url,
            f"{provider.upper()}_API_KEY": "hush-hush-hush",
        }
        return Web(provider, Config(), env, whole, allowed=loopback, **more)

    return made


def results(*found: dict[str, Any]) -> Says:
    return Says({"results": list(found)})


async def test_excerpts_are_cleaned_numbered_and_flagged(
    server: Server, make: Make
) -> None:
    server.says = results(
        {
            "title": "The <b>sea</b> &amp; salt",
            "url": "https://a.example/sea",
            "content": "It is <em>salty</em>&nbsp;&#8212; &lt;b&gt;very&lt;/b&gt;.\n",
        },
        {"title": "Nothing to read", "url": "https://a.example/none", "content": " "},
        {
            "title": "Odd",
            "url": "javascript:alert(1)",
            "content": "2 &lt; 3 <script>steal()</script>and <!-- no --> 5 > 4",
        },
        {"title": "Third", "url": "https://a.example/3", "content": "Third."},
    )
    web = make()
    found = await web.retrieve("Why is the sea salty?", 2)
    assert web.name == "web:searxng"
    assert web.lexicon() is None
    assert server.asked[0].method == "GET"
    assert "q=Why+is+the+sea+salty%3F" in server.asked[0].path
    first, second = found.references[0], (await web.retrieve("q", 4)).references[1]
    assert (first.n, first.title, first.text, first.file) == (
        1,
        "The sea & salt",
        "It is salty \u2014 very.",
        "https://a.example/sea",
    )
    assert (first.flags, first.score, first.start) == (["snippet"], None, None)
    assert (second.n, second.text, second.file) == (2, "2 < 3 and 5 > 4", None)
    assert len({one.id for one in found.references}) == len(found.references)


async def test_the_key_goes_to_the_engine(server: Server, make: Make) -> None:
    server.says = results({"title": "T", "url": "https://a.example/", "content": "x"})
    await make("tavily").retrieve("q", 3)
    assert server.asked[0].headers["authorization"] == "Bearer hush-hush-hush"
    assert server.asked[0].json == {"query": "q", "max_results": 3}


async def test_no_results(server: Server, make: Make) -> None:
    server.says = results()
    for whole in (False, True):
        found = await make(whole=whole).retrieve("q", 3)
        assert (found.references, found.message) == (
            [],
            "searxng found nothing on the web for this query.",
        )


@pytest.mark.parametrize(
    ("says", "kind", "words"),
    [
        (Says({"message": "no"}, status=401), "auth", "does not accept the key"),
        (Says({"message": "no"}, status=403), "auth", "does not accept the key"),
        (
            Says({"message": "slow down"}, status=429),
            "rate-limit",
            "accepts no more searches",
        ),
        (Says({"message": "oops"}, status=500), "server", "failed while searching"),
        (Says("<html>busy</html>"), "server", "cannot be read"),
        (Says({"results": None}), "server", "cannot be read"),
        (Says({"results": [{"title": 3, "url": None}]}), "server", "cannot be read"),
        (Says(hang=True), "connection", "cannot be reached|ended before"),
    ],
    ids=lambda value: str(getattr(value, "status", value))[:20],
)
async def test_faults_are_one_sentence_and_one_call(
    server: Server, make: Make, says: Says, kind: str, words: str
) -> None:
    server.says = says
    with pytest.raises(RetrievalError, match=words) as caught:
        await make("tavily").retrieve("q", 3)
    assert caught.value.kind == kind
    assert "\n" not in str(caught.value)
    assert "hush" not in str(caught.value)
    assert len(server.asked) == 1


async def test_a_variable_that_only_litellm_misses(
    home: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("DATAFORSEO_LOGIN", raising=False)
    web = Web(
        "dataforseo",
        Config(),
        {"DATAFORSEO_LOGIN": "me", "DATAFORSEO_PASSWORD": "hush-hush-hush"},
    )
    with pytest.raises(RetrievalError, match="DATAFORSEO_LOGIN is not set") as caught:
        await web.retrieve("q", 3)
    assert caught.value.kind == "missing-key"


async def test_the_engine_is_down(home: object) -> None:
    with Server() as gone:
        url = gone.url
    with pytest.raises(RetrievalError, match="searxng cannot be reached") as caught:
        await Web("searxng", Config(), {"SEARXNG_API_BASE": url}).retrieve("q", 3)
    assert caught.value.kind == "connection"


async def test_the_engine_is_slow(server: Server, make: Make) -> None:
    await litellm_loading.ready()
    server.says = Says(silent=True)
    with pytest.raises(RetrievalError, match="within 1 seconds") as caught:
        await make(seconds=1).retrieve("q", 3)
    assert caught.value.kind == "timeout"


@pytest.mark.parametrize(
    ("provider", "env", "kind", "words"),
    [
        (
            "altavista",
            {},
            "bad-request",
            "no search engine 'altavista'; choose one of agentcore, apiserpent,.*tavily",
        ),
        ("", {}, "bad-request", "choose one of agentcore"),
        ("tavily", {}, "missing-key", "needs TAVILY_API_KEY in the"),
        (
            "parallel_ai",
            {},
            "missing-key",
            "needs PARALLEL_AI_API_KEY or PARALLEL_API_KEY in the",
        ),
        (
            "google_pse",
            {"GOOGLE_PSE_API_KEY": "x"},
            "missing-key",
            "needs GOOGLE_PSE_ENGINE_ID in the",
        ),
        ("searxng", {}, "missing-key", "needs SEARXNG_API_BASE in the"),
    ],
)
def test_what_cannot_be_searched_with(
    provider: str, env: dict[str, str], kind: str, words: str
) -> None:
    with pytest.raises(RetrievalError, match=words) as caught:
        Web(provider, Config(), env)
    assert caught.value.kind == kind


def test_local_only_and_pages_without_their_library(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with pytest.raises(RetrievalError, match="local_only") as caught:
        Web("duckduckgo", Config(local_only=True), {})
    assert caught.value.kind == "not-local"
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    Web("duckduckgo", Config(), {})
    with pytest.raises(RetrievalError, match=r"pip install .*\[documents\]"):
        Web("duckduckgo", Config(), {}, True)


async def test_the_engines_are_litellms() -> None:
    litellm = await litellm_loading.module()
    assert {one.value for one in litellm.types.utils.SearchProviders} >= ENGINES.keys()
    for name, engine in ENGINES.items():
        config = litellm.utils.ProviderConfigManager.get_provider_search_config(
            litellm.types.utils.SearchProviders(name)
        )
        assert config is not None
        assert engine.free or engine.keys


SEA = (
    "<html><head><title>x</title></head><body><nav>Menu Home</nav><article>%s</"
    "article></body></html>"
)
SALT = (
    "<p>The water of the sea is salty because rivers wash salt out of rocks and carry "
    "it down to the sea over millions of years.</p>"
)
FISH = (
    "<p>Many fishes live in lakes, where the water is fresh, and some of them never "
    "see an ocean in their whole lives at all.</p>"
)


def web_of(server: Server, **sites: Says) -> Callable[[Asked], Says]:
    """A search engine that finds the sites, and the sites themselves."""

    def says(asked: Asked) -> Says:
        if asked.path.startswith("/search"):
            found = [
                {
                    "title": f"About {name}",
                    "url": f"{server.url}/{name}",
                    "content": f"Excerpt of {name}.",
                }
                for name in sites
            ]
            return Says({"results": found})
        return sites[asked.path[1:]]

    return says


def page(body: str, **more: Any) -> Says:
    return Says(SEA % body, kind="text/html; charset=utf-8", **more)


async def test_pages_are_read_cut_and_ranked(server: Server, make: Make) -> None:
    server.says = web_of(
        server,
        lakes=page(FISH),
        sea=page(SALT),
        notes=Says("Salt in rivers.", kind="text/plain"),
    )
    found = await make(whole=True).retrieve("Why is the sea salty?", 5)
    first = found.references[0]
    assert (first.n, first.title, first.file, first.flags) == (
        1,
        "About sea",
        f"{server.url}/sea",
        [],
    )
    assert "rivers wash salt" in first.text
    assert "Menu" not in first.text
    assert first.score is not None
    assert first.score > 0
    assert (first.start, first.end) == (0, len(first.text))
    scores = [one.score for one in found.references]
    assert scores == sorted(scores, reverse=True)
    assert (
        len((await make(whole=True).retrieve("Why is the sea salty?", 1)).references)
        == 1
    )
    for asked in server.asked:
        if not asked.path.startswith("/search"):
            assert not {"cookie", "authorization", "referer"} & asked.headers.keys()
            assert asked.headers["host"] == f"127.0.0.1:{server.port}"


async def test_pages_that_cannot_be_read_leave_their_excerpts(
    server: Server, make: Make
) -> None:
    server.says = web_of(
        server,
        sea=page(SALT),
        gone=Says("", status=404),
        image=Says(b"\x89PNG\0\0", kind="image/png"),
    )
    found = await make(whole=True).retrieve("excerpt sea", 9)
    assert {(one.title, tuple(one.flags)) for one in found.references} == {
        ("About sea", ()), ("About gone", ("snippet",)), ("About image", ("snippet",)),
    }  # fmt: skip
    assert [one.n for one in found.references] == [1, 2, 3]


async def test_no_word_of_the_query_on_any_page_leaves_the_excerpts(
    server: Server, make: Make
) -> None:
    server.says = web_of(server, sea=page(SALT), lakes=page(FISH))
    found = await make(whole=True).retrieve("zzyzx", 1)
    assert [(one.text, one.flags) for one in found.references] == [
        ("Excerpt of sea.", ["snippet"])
    ]


async def test_private_pages_are_not_fetched(server: Server) -> None:
    server.says = web_of(server, sea=page(SALT))
    web = Web("searxng", Config(), {"SEARXNG_API_BASE": server.url}, True)
    found = await web.retrieve("sea", 3)
    assert [one.flags for one in found.references] == [["snippet"]]
    assert [asked.path.partition("?")[0] for asked in server.asked] == ["/search"]


async def test_a_redirect_is_followed_without_its_cookies(server: Server) -> None:
    moved = Says(
        status=302,
        headers={"location": "/there?a=1#part", "set-cookie": "me=you; Path=/"},
    )
    server.says = lambda asked: (
        moved if asked.path == "/here" else Says("Arrived.", kind="text/plain")
    )
    assert (
        await fetch(f"http://me:secret@127.0.0.1:{server.port}/here", allowed=loopback)
        == "Arrived."
    )
    assert [asked.path for asked in server.asked] == [
        *("/robots.txt", "/here", "/there?a=1")
    ]
    assert not any(
        {"cookie", "authorization"} & asked.headers.keys() for asked in server.asked
    )
    assert {asked.headers["host"] for asked in server.asked} == {
        f"127.0.0.1:{server.port}"
    }


@pytest.mark.parametrize(
    "target",
    ["http://169.254.169.254/latest/meta-data/", "http://10.0.0.1/", "http://[::1]/", "http://[::ffff:192.168.0.1]/", "http://0x7f.1/",
     "http://2130706433/", "http://localhost/", "//192.168.1.1/admin"],
)  # fmt: skip
async def test_a_redirect_to_a_private_address_is_refused(
    server: Server, target: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.says = Says(status=301, headers={"location": target})
    first = ipaddress.ip_address("127.0.0.1")
    hops: list[Address] = []

    def only_the_first_hop_may_be_local(address: Address) -> bool:
        hops.append(address)
        return public(address) or (len(hops) == 1 and address == first)

    with pytest.raises(PageError, match="private network"):
        await fetch(server.url, allowed=only_the_first_hop_may_be_local, seconds=5)
    assert len(server.asked) == 1


async def test_a_name_is_looked_up_once_and_the_checked_address_is_connected_to(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A name that means a public address when it is checked and a private one when it
    is used.
    """
    loop = asyncio.get_running_loop()
    asked: list[str] = []

    async def look_up(host: Any, port: Any, **_: Any) -> list[Any]:
        asked.append(host)
        return [
            (
                socket.AF_INET,
                socket.SOCK_STREAM,
                6,
                "",
                ("127.0.0.1" if len(asked) == 1 else "10.0.0.1", port),
            )
        ]

    monkeypatch.setattr(loop, "getaddrinfo", look_up)
    server.says = Says("Read.", kind="text/plain")
    site, rules = f"http://rebind.example:{server.port}", RobotFileParser()
    rules.parse([])
    robots = {site: rules}
    assert await fetch(f"{site}/x", allowed=loopback, robots=robots) == "Read."
    assert asked == ["rebind.example"]
    assert server.asked[0].headers["host"] == f"rebind.example:{server.port}"


async def test_the_certificate_must_be_the_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The connection goes to an address, and yet it is the page's name that the
    certificate must hold.
    """
    if shutil.which("openssl") is None:
        pytest.skip("there is no openssl to make a certificate with")
    key, certificate, both = (
        tmp_path / name for name in ("key.pem", "certificate.pem", "both.pem")
    )
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
         "-subj", "/CN=right.example", "-addext", "subjectAltName=DNS:right.example", "-keyout", str(key), "-out", str(certificate)],
        check=True, capture_output=True,
    )  # fmt: skip
    both.write_bytes(key.read_bytes() + certificate.read_bytes())
    monkeypatch.setattr(
        page_fetching,
        "_certificates",
        lambda: ssl.create_default_context(cafile=str(certificate)),
    )

    async def look_up(host: Any, port: Any, **_: Any) -> list[Any]:
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("127.0.0.1", port))]

    monkeypatch.setattr(asyncio.get_running_loop(), "getaddrinfo", look_up)
    with Server(both) as server:
        server.says = Says("Read.", kind="text/plain")
        assert (
            await fetch(f"https://right.example:{server.port}/", allowed=loopback)
            == "Read."
        )
        with pytest.raises(PageError, match="cannot be reached"):
            await fetch(f"https://wrong.example:{server.port}/", allowed=loopback)
        assert [one.path for one in server.asked] == ["/robots.txt", "/"]


async def test_one_private_address_among_several_refuses_the_page(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def look_up(host: Any, port: Any, **_: Any) -> list[Any]:
        return [
            (socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, port))
            for address in ("93.184.216.34", "10.0.0.1")
        ]

    monkeypatch.setattr(asyncio.get_running_loop(), "getaddrinfo", look_up)
    with pytest.raises(PageError, match="private network"):
        await fetch("http://both.example/")


@pytest.mark.parametrize(
    "address",
    ["127.0.0.1", "10.1.2.3", "172.16.0.1", "192.168.0.1", "169.254.169.254", "100.64.0.1", "0.0.0.0", "224.0.0.1", "255.255.255.255",
     "192.0.2.1", "198.18.0.1", "::1", "::", "fe80::1", "fc00::1", "ff02::1", "::ffff:127.0.0.1", "::ffff:10.0.0.1", "64:ff9b::7f00:1",
     "2002:7f00:1::", "2001:db8::1", "fec0::1", "3fff::1", "168.63.129.16", "::ffff:168.63.129.16", "64:ff9b::a83f:8110", "192.0.0.192",
     "192.0.0.9", "192.88.99.1", "100.100.100.200", "2606:4700::5efe:a00:1", "2606:4700::200:5efe:7f00:1", "4000::1", "5f00::1",
     "64:ff9b:1::1", "fd00:ec2::254", "::10.0.0.1", "2001:0:a00:1::"],
)  # fmt: skip
def test_addresses_that_are_not_public(address: str) -> None:
    assert not public(ipaddress.ip_address(address))


@pytest.mark.parametrize(
    "address",
    [
        "93.184.216.34",
        "8.8.8.8",
        "2606:4700:4700::1111",
        "::ffff:8.8.8.8",
        "64:ff9b::808:808",
    ],
)
def test_addresses_that_are(address: str) -> None:
    assert public(ipaddress.ip_address(address))


async def test_a_huge_page_is_cut(server: Server) -> None:
    server.says = Says("word " * 50_000, kind="text/plain", endless=True)
    text = await fetch(server.url, allowed=loopback)
    assert len(text) == page_fetching.LARGEST
    assert await asyncio.to_thread(server.left.wait, 10)


@pytest.mark.parametrize(
    ("says", "words"),
    [
        (Says(b"\x7fELF\0\0\0", kind="text/html"), "no text"),
        (Says(b"%PDF", kind="application/pdf"), "not a readable PDF"),
        (Says("", status=500), "status 500"),
        (Says("", status=302), "status 302"),
        (
            Says(status=302, headers={"location": "/again"}),
            "redirects more than 5 times",
        ),
        (
            Says(status=302, headers={"location": "file:///etc/passwd"}),
            "no address of the web",
        ),
        (Says(status=302, headers={"location": "http://[bad"}), "name is not known"),
        (Says(status=302, headers={"location": "http://a:port/"}), "breaks off"),
        (Says(hang=True), "breaks off"),
    ],
)
async def test_pages_that_are_none(server: Server, says: Says, words: str) -> None:
    server.says = says
    with pytest.raises(PageError, match=words):
        await fetch(server.url, allowed=loopback)


@pytest.mark.parametrize(
    "address",
    [
        "http://a:port/",
        "http://",
        "",
        "ftp://a.example/",
        "http://\ud800/",
        "http://a.example:99999/",
        "http://127.0.0.1:99999/",
        "http://a:0/",
    ],
)
async def test_what_is_no_address(address: str) -> None:
    with pytest.raises(PageError):
        await fetch(address, allowed=lambda _: True, seconds=5)


async def test_a_slow_page_is_left(server: Server) -> None:
    server.says = Says(silent=True)
    with pytest.raises(PageError, match="longer than 1 seconds"):
        await fetch(server.url, allowed=loopback, seconds=1)
    assert await asyncio.to_thread(server.left.wait, 10)


@pytest.mark.slow
async def test_a_page_that_unpacks_to_gigabytes_takes_neither_memory_nor_time(
    server: Server,
) -> None:
    bomb = gzip.compress(gzip.compress(bytes(200 << 20), 9), 9)
    assert len(bomb) < 2000
    server.says = Says(
        bomb, kind="text/html", headers={"content-encoding": "gzip, gzip"}
    )
    began, before = (
        time.process_time(),
        resource.getrusage(resource.RUSAGE_SELF).ru_maxrss,
    )
    with pytest.raises(PageError, match="no text"):
        await fetch(server.url, allowed=loopback)
    server.says = Says(
        gzip.compress(b"word " * 10_000_000, 1),
        kind="text/plain",
        headers={"content-encoding": "gzip"},
    )
    assert len(await fetch(server.url, allowed=loopback)) == page_fetching.LARGEST
    assert time.process_time() - began < 10
    assert (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024 < 200, (
        "megabytes"
    )
    server.says = Says(
        gzip.compress(b"Packed once more."),
        kind="text/plain",
        headers={"content-encoding": "gzip, gzip, gzip"},
    )
    with pytest.raises(PageError, match="packed 3 times"):
        await fetch(server.url, allowed=loopback)


async def test_the_event_loop_turns_while_a_page_is_unpacked(server: Server) -> None:
    server.says = Says(
        gzip.compress(gzip.compress(bytes(60 << 20), 9), 9),
        kind="text/plain",
        headers={"content-encoding": "gzip, gzip"},
    )
    fetching = asyncio.ensure_future(
        fetch(server.url, allowed=loopback, largest=32 << 20)
    )
    turns = 0
    while not fetching.done():
        await asyncio.sleep(0)
        turns += 1
    assert isinstance(fetching.exception(), PageError)
    assert turns >= 64, "at least once for each half megabyte"


@pytest.mark.parametrize(
    "charset",
    [
        "punycode",
        "idna",
        "unicode_escape",
        "raw_unicode_escape",
        "utf-7",
        "rot13",
        "zlib",
        "base64",
        "undefined",
        "mbcs",
    ],
)
async def test_what_is_no_character_set_of_pages_is_not_used(
    server: Server, charset: str
) -> None:
    """`punycode` took 16 seconds for a page, and leaving waited for it."""
    for kind in (
        f"text/plain; charset={charset}",
        f"text/html; charset={charset}",
        "text/html",
    ):
        server.says = Says(
            f"<html><head><meta charset='{charset}'></head><body><p>"
            + "Salt-é water. " * 20_000,
            kind=kind,
        )
        began = time.process_time()
        text = await fetch(server.url, allowed=loopback)
        assert "Salt-é water." in text
        assert time.process_time() - began < 8


@pytest.mark.parametrize(
    "charset",
    [
        "utf-8",
        "gb18030",
        "gbk",
        "gb2312",
        "big5",
        "utf-16",
        "shift_jis",
        "euc-jp",
        "euc-kr",
    ],
)
@pytest.mark.parametrize("said", ["server", "page"])
async def test_character_sets_of_pages(server: Server, charset: str, said: str) -> None:
    if charset == "utf-16" and said == "page":
        pytest.skip("a page in UTF-16 says so by its first two bytes")
    sea = "海水" if charset != "euc-kr" else "바다"
    meta = f"<meta charset={charset}>" if said == "page" else ""
    body = f"<html><head>{meta}</head><body><p>{(sea + '. ') * 40}</p></body></html>".encode(
        charset
    )
    server.says = Says(
        body, kind=f"text/html; charset={charset}" if said == "server" else "text/html"
    )
    assert sea in await fetch(server.url, allowed=loopback)


@pytest.mark.parametrize("charset", ["latin-1", "iso-8859-1", "windows-1252", "ascii"])
async def test_western_pages(server: Server, charset: str) -> None:
    server.says = Says(
        "Schrödinger’s cat – café".encode("cp1252"),
        kind=f"text/plain; charset={charset}",
    )
    assert await fetch(server.url, allowed=loopback) == "Schrödinger’s cat – café"


async def test_of_a_page_of_too_many_marks_the_first_are_read(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    """400,000 took a minute and a half, for which leaving waited."""
    monkeypatch.setattr(page_fetching, "MOST_TAGS", 500)
    server.says = Says(
        "<html><body>" + "".join(f"<p>Salt water number {n}." for n in range(2000)),
        kind="text/html",
    )
    text = await fetch(server.url, allowed=loopback, seconds=60)
    assert "number 400." in text
    assert "number 600." not in text


def test_leaving_does_not_wait_for_a_page(home: object) -> None:
    script = """
import asyncio, time
from verifytui.engines.retrieval import page_fetching as pages
async def main():
    try:
        await asyncio.wait_for(pages.in_thread(lambda: time.sleep(60)), 0.2)
    except TimeoutError:
        print("left", flush=True)
asyncio.run(main())
"""
    done = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        text=True,
        timeout=40,
        check=True,
    )
    assert done.stdout == "left\n"


async def test_one_bad_hit_is_one_bad_hit(server: Server, make: Make) -> None:
    """A port that is none ended the session."""

    def says(asked: Asked) -> Says:
        if asked.path.startswith("/page"):
            return Says("Salt comes from the sea.", kind="text/plain")
        if asked.path.startswith("/bomb"):
            return Says(
                gzip.compress(gzip.compress(bytes(100 << 20), 9), 9),
                kind="text/html",
                headers={"content-encoding": "gzip, gzip, gzip"},
            )
        addresses = [
            f"{server.url}/page",
            "http://127.0.0.1:99999/",
            "http://a.example:70000/",
            f"{server.url}/bomb",
            "http://[::1",
        ]
        return results(
            *(
                {"title": "Salt", "url": url, "content": "An excerpt about salt."}
                for url in addresses
            )
        )

    server.says = says
    found = await make(whole=True).retrieve("Where does salt come from?", 5)
    assert "Salt comes from the sea." in [one.text for one in found.references]
    assert found.message is not None
    assert found.message.startswith(
        "4 of 5 pages could not be read: http://127.0.0.1:99999/ (there is no "
        "port 99999); "
    )
    assert not found.altered


async def test_a_key_in_what_the_web_says_is_hidden(server: Server, make: Make) -> None:
    def says(asked: Asked) -> Says:
        if asked.path.startswith("/page"):
            return Says(
                "Salt, says hush-hush-hush, comes from the sea.", kind="text/plain"
            )
        hit = {
            "title": "Salt of hush-hush-hush",
            "url": f"{server.url}/page?hush-hush-hush",
            "content": "h u s h - h u s h - h u s h",
        }
        return results(hit)

    server.says = says
    for whole in (False, True):
        found = await make(whole=whole).retrieve("Where does salt come from?", 5)
        assert found.altered
        said = repr(found)
        assert "[key hidden]" in said
        assert "hush-hush" not in said
        assert "h u s h" not in said


async def test_other_encodings_and_broken_pages(server: Server) -> None:
    server.says = Says(
        "海水是咸的。".encode("gb18030"), kind="text/plain; charset=gb2312"
    )
    assert await fetch(server.url, allowed=loopback) == "海水是咸的。"
    server.says = Says(
        "海水是咸的。".encode("gb18030"), kind="text/plain; charset=nonsense"
    )
    assert await fetch(server.url, allowed=loopback) == "海水是咸的。"
    server.says = Says("<div>" * 20_000, kind="text/html")
    assert await fetch(server.url, allowed=loopback) == ""


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("a <b>b</b> &amp; c", "a b & c"),
        ("&lt;strong&gt;x&lt;/strong&gt; y", "x y"),
        ("1 < 2 and 3 > 2", "1 < 2 and 3 > 2"),
        ("<style>p{}</style>text<script>alert(1)", "text"),
        ("a\ud800b", "a\ufffdb"),
        ("line<br/>s\n\n more", "lines more"),
    ],
)
def test_plain(text: str, read: str) -> None:
    assert plain(text) == read


RULES = """User-agent: *
Disallow: /private/

User-agent: VerifyTUI
Disallow: /no
"""


@pytest.mark.parametrize(
    ("robots", "path", "why"),
    [
        (Says(RULES, kind="text/plain"), "/yes", ""),
        (Says(RULES, kind="text/plain"), "/private/x", ""),
        (Says(RULES, kind="text/plain"), "/no?x=1", "robots.txt of its site excludes"),
        (Says(RULES, kind="text/plain"), "/moved", "robots.txt of its site excludes"),
        (Says(RULES, status=404), "/no", ""),
        (Says(status=503), "/yes", "status 503"),
        (Says(status=302, headers={"location": "/robots.txt"}), "/no", ""),
    ],
)
async def test_robots_are_respected(
    server: Server, robots: Says, path: str, why: str
) -> None:
    def says(asked: Asked) -> Says:
        if asked.path == "/robots.txt":
            return robots
        moved = Says(status=302, headers={"location": "/no"})
        return moved if asked.path == "/moved" else Says("Read.", kind="text/plain")

    server.says = says
    if why:
        with pytest.raises(PageError, match=why):
            await fetch(f"{server.url}{path}", allowed=loopback)
        assert not any(asked.path.startswith(("/no", "/yes")) for asked in server.asked)
    else:
        assert await fetch(f"{server.url}{path}", allowed=loopback) == "Read."


async def test_robots_are_asked_once(server: Server) -> None:
    robots: dict[str, RobotFileParser] = {}
    server.says = Says("Read.", kind="text/plain")
    for path in ("a", "b"):
        await fetch(f"{server.url}/{path}", allowed=loopback, robots=robots)
    assert [one.path for one in server.asked] == ["/robots.txt", "/a", "/b"]


async def test_pages_that_are_pdf_are_read(server: Server) -> None:
    pytest.importorskip("pypdf")
    kind = "application/pdf; charset=binary"
    server.says = Says(made(["The otter be-", "fore noon."], ["Page two."]), kind=kind)
    text = await fetch(server.url, allowed=loopback)
    assert text.split() == ["The", "otter", "before", "noon.", "Page", "two."]
    with pytest.raises(PageError, match="a PDF of more than 0 MB"):
        await fetch(server.url, allowed=loopback, largest=50)
