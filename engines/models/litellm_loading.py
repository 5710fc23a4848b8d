"""Loads LiteLLM, which takes seconds.

It is loaded in a thread, when the first model is asked or by `warm()`, so that start-up
does not wait for it. What it does unasked is turned off: fetching its price map,
reading .env files, printing, logging to the terminal, retrying.
"""

from __future__ import annotations

import asyncio
import contextlib
import gc
import importlib
import logging
import os
import threading
import warnings
from typing import Any

from .port import ModelError

_SETTINGS = {
    "LITELLM_LOCAL_MODEL_COST_MAP": "True",
    "LITELLM_LOCAL_ANTHROPIC_BETA_HEADERS": "True",
    "LITELLM_LOCAL_BLOG_POSTS": "True",
    "LITELLM_MODE": "PRODUCTION",
}

_lock = threading.Lock()
_thread: threading.Thread | None = None
_litellm: object = None
_failed: BaseException | None = None
_waiting: list[tuple[asyncio.AbstractEventLoop, asyncio.Future[None]]] = []


def warm() -> None:
    """Begins to load LiteLLM in the background, once. Returns at once.

    The thread is no daemon: Python waits for it before it takes itself apart, which it
    cannot do safely beside a thread that imports. The command does not wait; it ends
    the process instead (cli/console.py).
    """
    global _thread
    with _lock:
        if _thread is None:
            _thread = threading.Thread(target=_load, name="load-litellm")
            _thread.start()


def loading() -> bool:
    """Whether LiteLLM is being loaded. False as soon as a waiting call can continue."""
    return _thread is not None and _litellm is None and _failed is None


def loaded() -> bool:
    return _litellm is not None


def now() -> Any:
    """LiteLLM itself, which must be loaded; None if it is not."""
    return _litellm


async def module() -> Any:
    """LiteLLM itself, loaded and quiet.

    Raises: ModelError `internal` if it cannot be loaded.
    """
    await ready()
    return _litellm


async def ready() -> None:
    """Waits until LiteLLM is loaded. The event loop goes on meanwhile.

    Raises: ModelError `internal` if it cannot be loaded.
    """
    if _litellm is None:
        warm()
        loop = asyncio.get_running_loop()
        future: asyncio.Future[None] = loop.create_future()
        with _lock:
            if _litellm is None and _failed is None:
                _waiting.append((loop, future))
            else:
                future.set_result(None)
        await future
    _raise_failed()


def wait() -> None:
    """Block the current thread until LiteLLM is loaded.

    Raises: ModelError `internal` if it cannot be loaded.
    """
    if _litellm is None:
        warm()
        assert _thread is not None
        _thread.join()
    _raise_failed()


def _raise_failed() -> None:
    if _failed is not None:
        raise ModelError(
            "internal",
            f"LiteLLM cannot be loaded ({type(_failed).__name__}: {_failed}): "
            f"reinstall VerifyTUI.",
        )


def _load() -> None:
    global _litellm, _failed
    module: object = None
    problem: BaseException | None = None
    try:
        for name, value in _SETTINGS.items():
            os.environ.setdefault(name, value)
        module = importlib.import_module("litellm")
        _quiet(module)
        _bound()
        # before the first call: two threads that import the same modules at once get a
        # deadlock error
        _prime(module)
        # a million objects that stay: a full collection need not visit them
        gc.freeze()
    except BaseException as error:
        problem = error
    with _lock:
        _litellm, _failed = (None, problem) if problem is not None else (module, None)
        waiting = list(_waiting)
        _waiting.clear()
    for loop, future in waiting:
        try:
            loop.call_soon_threadsafe(_wake, future)
        except RuntimeError:
            continue  # the loop is closed: nobody waits


def _bound() -> None:
    """Bounds the two transports through which LiteLLM reads everything."""
    import httpx
    from litellm.llms.custom_httpx.aiohttp_transport import LiteLLMAiohttpTransport

    from .bodies import bound

    bound(LiteLLMAiohttpTransport)
    bound(httpx.AsyncHTTPTransport)


def _prime(litellm: Any) -> None:
    """Imports what LiteLLM would import in the first call, on the event loop, where it
    would freeze the screen for half a second.
    """
    with contextlib.suppress(Exception, SystemExit):  # the call itself reports it
        litellm.utils.get_optional_params(model="gpt-4", custom_llm_provider="openai")
        for name in (
            "openai.resources.chat.completions",
            "litellm._service_logger",
            "anyio._backends._asyncio",
        ):
            importlib.import_module(name)


def _wake(future: asyncio.Future[None]) -> None:
    if not future.done():
        future.set_result(None)


def _quiet(litellm: Any) -> None:
    """Silences LiteLLM and its libraries: the terminal belongs to the screen."""
    litellm.suppress_debug_info = True
    litellm.set_verbose = False
    litellm.disable_hf_tokenizer_download = (
        True  # for models called llama-3, to count tokens that nobody needs
    )
    litellm.DEFAULT_MAX_RETRIES = (
        0  # for embeddings, which ignore their own parameter if it is 0
    )
    for name in (
        "LiteLLM",
        "LiteLLM Router",
        "LiteLLM Proxy",
        "openai",
        "httpx",
        "httpcore",
        "aiohttp.client",
    ):
        logger = logging.getLogger(name)
        logger.handlers = [logging.NullHandler()]
        logger.propagate = False
    for library in ("pydantic", "litellm", "aiohttp", "openai"):
        warnings.filterwarnings("ignore", module=rf"{library}(\..*)?")
    warnings.filterwarnings("ignore", message="Pydantic serializer warnings")
    # A call that is cancelled before it begins leaves LiteLLM's own coroutine behind,
    # unawaited.
    warnings.filterwarnings(
        "ignore",
        message=r"coroutine '.*(completion|streaming|embedding|rerank|search).*' was "
        r"never awaited",
    )
