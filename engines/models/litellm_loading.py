"""Loads LiteLLM, which takes seconds.

It is loaded when the first model is asked or by `warm()`, in a daemon thread, so neither start-up nor leaving waits for it.
What it would do unasked is turned off: fetching its price map, reading .env files, printing, logging to the terminal, retrying.
"""

from __future__ import annotations

import asyncio
import atexit
import builtins
import contextlib
import gc
import importlib
import logging
import os
import sys
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
_litellm: Any = None
_failed: BaseException | None = None
_waiting: list[tuple[asyncio.AbstractEventLoop, asyncio.Future[None]]] = []


def warm() -> None:
    """Begins loading LiteLLM in the background, once. Returns at once."""
    global _thread
    with _lock:
        if _thread is None:
            _thread = threading.Thread(target=_load, daemon=True, name="load-litellm")
            _thread.start()
            atexit.register(_leave)


def _leave() -> None:
    """Ends a loading that is under way, and leaves LiteLLM's million objects to the operating system (collecting them takes a second).

    A daemon thread that Python stops in the middle of an import keeps the import's lock, and the end of the process may wait for it
    for ever: so it is made to raise SystemExit, which unwinds the import. Where it is in the middle of something that does not notice,
    nobody may import any more: LiteLLM's HTTP handlers do so when they are deleted.
    """
    import ctypes

    if _thread is not None and _thread.is_alive():
        sys.unraisablehook = lambda _: None  # what the SystemExit does to what it meets is nobody's concern
        threading.excepthook = lambda _: None
        builtins.__import__ = _no_import
    for _ in range(20):
        if _thread is None or not _thread.is_alive() or _thread.ident is None:
            break
        ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(_thread.ident), ctypes.py_object(SystemExit))
        _thread.join(0.02)
    gc.disable()
    gc.freeze()


def _no_import(name: str, *_: object, **__: object) -> Any:
    raise ImportError(f"{name} is not loaded while the process ends")


def loaded() -> bool:
    return _litellm is not None


def now() -> Any:
    """LiteLLM itself, which must be loaded; None if it is not."""
    return _litellm


async def module() -> Any:
    """LiteLLM itself, loaded and quiet. ModelError as for `ready`."""
    await ready()
    return _litellm


async def ready() -> None:
    """Waits until LiteLLM is loaded, without holding up the event loop. ModelError `internal` if it cannot be."""
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
    if _failed is not None:
        raise ModelError("internal", f"LiteLLM cannot be loaded ({type(_failed).__name__}: {_failed}): install verifytui again.")


def _load() -> None:
    global _litellm, _failed
    module: Any = None
    problem: BaseException | None = None
    try:
        for name, value in _SETTINGS.items():
            os.environ.setdefault(name, value)
        module = importlib.import_module("litellm")
        _quiet(module)
        _prime(module)  # before anybody calls: two threads importing the same modules at once end in a deadlock error
        gc.freeze()  # a million objects that stay for good: Python's collector need not walk through them at every full round
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
            continue  # that loop is closed: nobody waits any more


def _prime(litellm: Any) -> None:
    """Loads here what LiteLLM else loads during the first call, on the event loop: half a second in which the screen would stand still."""
    with contextlib.suppress(Exception, SystemExit):  # the call itself will say what is wrong
        litellm.utils.get_optional_params(model="gpt-4", custom_llm_provider="openai")
        for name in ("tenacity", "openai.resources.chat.completions", "litellm._service_logger", "anyio._backends._asyncio"):
            importlib.import_module(name)


def _wake(future: asyncio.Future[None]) -> None:
    if not future.done():
        future.set_result(None)


def _quiet(litellm: Any) -> None:
    """Nothing of LiteLLM's or its libraries' may reach the terminal, which belongs to the screen."""
    litellm.suppress_debug_info = True
    litellm.set_verbose = False
    litellm.DEFAULT_MAX_RETRIES = 0  # of embeddings: their own parameter is not heeded when it is 0
    for name in ("LiteLLM", "LiteLLM Router", "LiteLLM Proxy", "openai", "httpx", "httpcore", "aiohttp.client"):
        logger = logging.getLogger(name)
        logger.handlers = [logging.NullHandler()]
        logger.propagate = False
    for library in ("pydantic", "litellm", "aiohttp", "openai"):
        warnings.filterwarnings("ignore", module=rf"{library}(\..*)?")
    warnings.filterwarnings("ignore", message="Pydantic serializer warnings")
    # A call that is cancelled before it begins leaves LiteLLM's own coroutine behind, unawaited.
    warnings.filterwarnings("ignore", message=r"coroutine '.*(completion|streaming|embedding|rerank|search).*' was never awaited")
