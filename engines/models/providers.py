"""Facts about providers that need no LiteLLM: keys, hosts, environment variables."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Collection
from urllib.parse import urlsplit

import msgspec

from ...texts import t
from .environment import Environment


class Provider(msgspec.Struct, frozen=True):
    """One provider, by LiteLLM's prefix."""

    keys: tuple[str, ...] = ()
    """Environment variables; one of them must hold the key. Empty: no key is needed."""
    host: str = ""
    bases: tuple[str, ...] = ()
    """Environment variables that name another endpoint; the first that is set counts.
    """


LOCAL = "localhost"

PROVIDERS: dict[str, Provider] = {
    "openai": Provider(
        ("OPENAI_API_KEY",), "api.openai.com", ("OPENAI_BASE_URL", "OPENAI_API_BASE")
    ),
    "anthropic": Provider(
        ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"),
        "api.anthropic.com",
        ("ANTHROPIC_API_BASE", "ANTHROPIC_BASE_URL"),
    ),
    "gemini": Provider(
        ("GEMINI_API_KEY", "GOOGLE_API_KEY"),
        "generativelanguage.googleapis.com",
        ("GEMINI_API_BASE",),
    ),
    "deepseek": Provider(
        ("DEEPSEEK_API_KEY",), "api.deepseek.com", ("DEEPSEEK_API_BASE",)
    ),
    "dashscope": Provider(
        ("DASHSCOPE_API_KEY",), "dashscope.aliyuncs.com", ("DASHSCOPE_API_BASE",)
    ),
    "openrouter": Provider(
        ("OPENROUTER_API_KEY", "OR_API_KEY"), "openrouter.ai", ("OPENROUTER_API_BASE",)
    ),
    "mistral": Provider(("MISTRAL_API_KEY",), "api.mistral.ai", ("MISTRAL_API_BASE",)),
    "groq": Provider(("GROQ_API_KEY",), "api.groq.com", ("GROQ_API_BASE",)),
    "xai": Provider(("XAI_API_KEY",), "api.x.ai", ("XAI_API_BASE",)),
    "moonshot": Provider(
        ("MOONSHOT_API_KEY",), "api.moonshot.ai", ("MOONSHOT_API_BASE",)
    ),
    "ollama": Provider((), LOCAL, ("OLLAMA_API_BASE",)),
    "ollama_chat": Provider((), LOCAL, ("OLLAMA_API_BASE",)),
    "lm_studio": Provider((), LOCAL, ("LM_STUDIO_API_BASE",)),
    "hosted_vllm": Provider((), LOCAL, ("HOSTED_VLLM_API_BASE",)),
    "llamafile": Provider((), LOCAL, ("LLAMAFILE_API_BASE",)),
}

WELL_KNOWN: dict[str, tuple[str, ...]] = {
    "openai": (
        "gpt-5",
        "gpt-5-mini",
        "gpt-4.1",
        "gpt-4o",
        "gpt-4o-mini",
        "gpt-4",
        "gpt-3.5-turbo",
    ),
    "anthropic": (
        "anthropic/claude-opus-4-8",
        "anthropic/claude-sonnet-4-5",
        "anthropic/claude-haiku-4-5",
    ),
    "gemini": ("gemini/gemini-2.5-pro", "gemini/gemini-2.5-flash"),
    "deepseek": ("deepseek/deepseek-chat", "deepseek/deepseek-reasoner"),
    "dashscope": ("dashscope/qwen-max", "dashscope/qwen-plus", "dashscope/qwen-turbo"),
    "openrouter": (
        "openrouter/deepseek/deepseek-chat",
        "openrouter/qwen/qwen3-235b-a22b",
    ),
    "mistral": ("mistral/mistral-large-latest", "mistral/mistral-small-latest"),
    "groq": ("groq/llama-3.3-70b-versatile",),
    "xai": ("xai/grok-4",),
    "moonshot": ("moonshot/kimi-k2-0711-preview",),
}
"""Provider -> ids to offer. A user may type any other id that LiteLLM takes."""

OLLAMA = "http://127.0.0.1:11434"
KNOWN_COMMANDS = {"claude": ["claude", "-p"], "gemini": ["gemini"]}
"""Programs with a login of their own that answer what comes on stdin."""

FREE = frozenset({"ollama", "ollama_chat"})
"""Providers that run on the user's own machine and cost no money."""


def base_of(provider: str, env: Environment) -> str | None:
    """The endpoint that the environment names for a provider; None if it names none."""
    known = PROVIDERS.get(provider, Provider())
    named = next((env[name] for name in known.bases if env.get(name)), None)
    host = env.get("OLLAMA_HOST", "").replace("0.0.0.0", "127.0.0.1")  # noqa: S104
    if named or provider not in FREE or not host:
        return named
    address = host if "://" in host else f"http://{host}"
    return address if ":" in address[6:] else f"{address}:11434"


def key_of(provider: str, env: Environment) -> str | None:
    """Read the provider's key from the environment; None if it is not set."""
    known = PROVIDERS.get(provider, Provider())
    return next((env[name] for name in known.keys if env.get(name)), None)


def variable_of(provider: str, env: Environment) -> str | None:
    """The name of the variable that `base_of` takes the endpoint from."""
    return next(
        (name for name in PROVIDERS.get(provider, Provider()).bases if env.get(name)),
        None,
    )


def no_address(name: str, problem: str) -> str:
    """The sentence for an address that is not valid.

    It does not repeat the address, which may hold a password.
    """
    return t("wrong.address.none", name=name, problem=problem)


def address_problem(address: str) -> str | None:
    """Why a text is not the address of a server, in a few words that do not repeat it;
    None if it is one.
    """
    if re.search(r"[\s\x00-\x1f\x7f]", address):
        return t("wrong.address.blank")
    try:
        parts = urlsplit(address)
        port = parts.port
    except ValueError:
        return t("wrong.address.unread")
    if parts.scheme not in ("http", "https"):
        return t("wrong.address.scheme")
    if not parts.hostname:
        return t("wrong.address.host")
    if port == 0:
        return t("wrong.address.port")
    return None


def host_of(provider: str, base: str | None) -> str:
    """The host that a call goes to; for providers not listed here, the provider's name
    in words.
    """
    if base:
        try:
            return urlsplit(base if "//" in base else f"//{base}").hostname or base
        except ValueError:
            return base
    known = PROVIDERS.get(provider)
    if known is not None:
        return known.host
    return f"the provider {provider}"


def endpoint_of(provider: str, base: str | None) -> str:
    """The host of a call, with the port where the address has one.

    For a provider without a known host: the provider's name.
    """
    if not base:
        known = PROVIDERS.get(provider)
        if known is not None:
            return known.host
        return provider
    try:
        address = urlsplit(base if "//" in base else f"//{base}")
        port = f":{address.port}" if address.port else ""
        return f"{address.hostname or ''}{port}"
    except ValueError:
        return ""


def on_this_machine(host: str, private: Collection[str] = ()) -> bool:
    """True for the loopback and for hosts the user called private."""
    if host == LOCAL or host.endswith(".localhost") or host in private:
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
