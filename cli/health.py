"""The checks of `doctor`.

Checks are independent: a failed check is reported, and the others continue.
"""

from __future__ import annotations

import asyncio
import os
import platform
import re
import shutil
import stat
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

from ..engines.models.config import Config, load_config
from ..sessions.crash import last_crash
from ..sessions.errors import BadInput, machine_fault
from ..sessions.paths import paths
from ..texts import t
from .supply_chain import MALICIOUS, compromised, folders, startup_files

if TYPE_CHECKING:
    from ..engines.figures.certificates import Certificate, JudgeFacts

LEAST_FREE = 10_000_000
"""Bytes on the disk under which a session may not be kept to its end."""

_REQUIREMENT = re.compile(r"[A-Za-z0-9._-]+")


class Health:
    """One look at this machine; `broken` is filled by `facts`."""

    def __init__(self, env: Mapping[str, str]) -> None:
        self.env = env
        self.places = paths(env)
        self.broken: list[str] = []
        """What does not work, a sentence each."""

    def facts(self) -> dict[str, dict[str, Any]]:
        """Section -> what -> found (text, number, yes or no, list of texts).

        Names are English, findings in the user's language.
        """
        config = self._config()
        return {
            "verifytui": self._look(self._program),
            "packages": self._look(self._packages),
            "startup files": self._look(self._startup),
            "plugins": self._look(self._plugins),
            "terminal": self._look(self._terminal),
            "paths": self._look(self._paths),
            "keys": self._look(lambda: self._keys(config)),
            "servers": self._look(lambda: self._servers(config)),
            "limits": self._look(lambda: self._limits(config)),
            "panels": self._look(lambda: self._panels(config)),
            "certificates": self._look(lambda: self._certificates(config)),
            "corpora": self._look(self._corpora),
            "chinese words": self._look(self._chinese),
            "sessions": self._look(self._sessions),
            "last crash": self._look(self._crash),
        }

    def _look(self, look: Callable[[], dict[str, Any]]) -> dict[str, object]:
        try:
            return look()
        except (OSError, BadInput, MemoryError) as error:
            what = (
                machine_fault(error) or getattr(error, "strerror", None) or str(error)
            )
            self.broken.append(
                what if what.endswith((".", "。")) else what + t("wrong.command.stop")
            )
            return {"not read": what}

    def _config(self) -> Config:
        """The configuration; what is wrong in it, or with a model that it seats, is
        broken.
        """
        from .flags import wrong_in

        try:
            config = load_config(self.places.config_file, self.env)
        except BadInput as error:
            self.broken += str(error).splitlines()
            return Config()
        self.broken += wrong_in(config, self.places)
        self.broken += self._seats(config)
        return config

    def _seats(self, config: Config) -> list[str]:
        """Check the models in the configured line-up."""
        from ..engines.models.preflight import SeatModel, problems
        from ..engines.models.seating import seat

        names = {"model": config.model} if config.model is not None else {}
        for method, seats in config.lineup.items():
            names |= {f"lineup.{method}.{role}": name for role, name in seats.items()}
        asked = []
        for place, name in names.items():
            try:
                asked.append(SeatModel(place, seat(name, config)))
            except BadInput:
                continue  # `wrong_in` says so
        file = self.places.config_file
        return [f"{file}: {one}" for one in problems(asked, config, self.env)]

    def _program(self) -> dict[str, object]:
        from .. import __version__

        return {
            "version": __version__,
            "python": f"{platform.python_version()} "
            f"({platform.python_implementation()})",
            "system": platform.platform(),
        }

    def _packages(self) -> dict[str, object]:
        """Those that the installed package asks for, extras too.

        One that is missing is broken unless it is an extra.
        """
        from importlib.metadata import PackageNotFoundError, requires, version

        found: dict[str, object] = {}
        try:
            wanted = requires("verifytui") or []
        except PackageNotFoundError:
            self.broken.append(t("report.broken.no_package"))
            return found
        for line in wanted:
            name = _REQUIREMENT.match(line)
            if (
                name is None
                or re.search(r"extra *== *['\"]test['\"]", line)
                or name[0] == "verifytui"
            ):
                continue
            try:
                found[name[0]] = is_there = version(name[0])
                if compromised(name[0], is_there):
                    self.broken.append(
                        t("report.broken.compromised", name=name[0], version=is_there)
                    )
            except PackageNotFoundError:
                found[name[0]] = None
                if "extra" not in line:
                    self.broken.append(t("report.broken.package", name=name[0]))
        return found

    def _startup(self) -> dict[str, object]:
        """The files by which others run code whenever Python starts."""
        found = list(startup_files(folders()))
        self.broken += [
            t("report.broken.malicious", path=file)
            for file in found
            if file.name in MALICIOUS
        ]
        return {"run code": [file.name for file in found]}

    def _plugins(self) -> dict[str, str]:
        """KIND.NAME of each entry point with its package; one that cannot be loaded is
        broken.
        """
        from ..sessions import plugins

        for kind in get_args(plugins.Kind):
            plugins.every(kind)
        self.broken += plugins.BROKEN.values()
        return plugins.owners()

    def _terminal(self) -> dict[str, object]:
        from .terminal import ambiguous_width

        size = shutil.get_terminal_size((0, 0))
        env = self.env
        return {
            "stdout is one": sys.stdout.isatty(),
            "size": f"{size.columns}x{size.lines}" if size.columns else None,
            "TERM": env.get("TERM"),
            "COLORTERM": env.get("COLORTERM"),
            "NO_COLOR": bool(env.get("NO_COLOR")),
            "tmux": bool(env.get("TMUX")),
            "SSH": bool(env.get("SSH_CONNECTION") or env.get("SSH_TTY")),
            "ambiguous width": ambiguous_width(),
            "locale": next(
                (env[name] for name in ("LC_ALL", "LC_CTYPE", "LANG") if env.get(name)),
                None,
            ),
            "encoding": sys.stdout.encoding,
        }

    def _paths(self) -> dict[str, object]:
        """Each path with its rights; for one that is not there, whether it could be
        made.
        """
        found: dict[str, object] = {}
        for name, path in self.places.all().items():
            folder = name not in ("config_file", "log")
            if not os.path.lexists(path):
                able = os.access(_first_there(path), os.W_OK | os.X_OK)
                found[name] = f"{path} ({t('report.doctor.absent')})"
            else:
                able = (
                    os.access(path, os.W_OK | os.X_OK | os.R_OK if folder else os.R_OK)
                    and path.is_dir() == folder
                )
                mode = path.stat().st_mode & 0o1777
                others = (
                    t("report.doctor.others_write")
                    if mode & 0o002
                    else t("report.doctor.others_look")
                    if mode & 0o077
                    else ""
                )
                found[name] = f"{path} ({mode:04o}{', ' + others if others else ''})"
                if mode & 0o002 and not mode & stat.S_ISVTX:
                    self.broken.append(t("report.broken.writable", path=path))
            if not able:
                self.broken.append(
                    t(
                        "report.doctor.no_write" if folder else "report.doctor.no_read",
                        path=path,
                    )
                )
        for name, path in (
            ("free for sessions", self.places.data),
            ("free for the cache", self.places.cache),
        ):
            free = shutil.disk_usage(_first_there(path)).free
            found[name] = f"{free / 1e9:.1f} GB"
            if free < LEAST_FREE:
                self.broken.append(t("report.broken.disk", path=path))
        return found

    def _keys(self, config: Config) -> dict[str, object]:
        from ..engines.models.providers import PROVIDERS
        from ..engines.retrieval.web import ENGINES

        names = {name for each in PROVIDERS.values() for name in each.keys} | {
            name for each in ENGINES.values() for name in each.keys
        }
        own = [each.api_key_env for each in config.models.values()] + [
            each.api_key_env for each in config.retrievers.values()
        ]
        names |= {name for name in own if name}
        return {
            "set (names only)": sorted(name for name in names if self.env.get(name))
        }

    def _servers(self, config: Config) -> dict[str, object]:
        from .servers import ask_all

        with asyncio.Runner() as runner:
            found, silent = runner.run(ask_all(config, self.env))
        self.broken += silent
        return dict(found) or {"answering": []}

    def _limits(self, config: Config) -> dict[str, object]:
        """Report the rate limits of the configured models."""
        from ..engines.models.catalogue import pace_in_words

        return {
            name: words
            for name, model in config.models.items()
            if (words := pace_in_words(model.pace))
        } or {"of named models": None}

    def _panels(self, config: Config) -> dict[str, Any]:
        """Each with its rule and its members."""
        return {
            name: t(f"vote.rule_{one.rule}", members=", ".join(one.panel))
            for name, one in config.panels.items()
        } or {"of config.yaml": None}

    def _certificates(self, config: Config) -> dict[str, Any]:
        """Each with its model, role and bounds, and what has changed since; one that
        cannot be read is broken.
        """
        from ..engines.figures import certificates

        told = {}
        for path in sorted(certificates.certificate_folder().glob("*.yaml")):
            try:
                one = certificates.read_certificate(path)
            except BadInput as error:
                self.broken.append(str(error))
                continue
            words = certificates.certificate_in_words(one)
            status = certificates.status_of(self._now(one, config), [one])
            if not status.certified:
                words = f"{words} – {certificates.in_words(status)}"
            told[one.name] = words
        return told or {"of judges": None}

    def _now(self, one: Certificate, config: Config) -> JudgeFacts:
        """What identifies its judge, with the prompts and endpoint that are set now:
        that of a named model, where one has the endpoint.
        """
        from ..engines.figures.certificates import endpoints_of, identity
        from ..engines.figures.judge.measure import OUTSIDE
        from ..engines.models.seating import seat
        from ..prompts import LANGUAGES, load
        from ..sessions.session import Seat

        now = identity(one)
        with suppress(BadInput):
            named = (seat(name, config) for name in config.models)
            seats = (each for each in named if each.model == one.model)
            asked = [
                endpoints_of(each, config, self.env)
                for each in (Seat(model=one.model), *seats)
            ]
            if now.endpoint not in asked:
                now = now._replace(endpoint=asked[0])
            if not one.method:
                name = "judging" if one.role == OUTSIDE else one.role
                sets = [load(each, workspace=name) for each in LANGUAGES]
                known = {made.hash.removeprefix("sha256:")[:12] for made in sets}
                fits = {*one.prompts.split()} <= known
                return now if fits else now._replace(prompts=" ".join(sorted(known)))
            made = load(one.language, self.places.prompts, workspace=one.method)
            if one.measure != "claims":  # whose prompts are those of two files
                digest = made.hash.removeprefix("sha256:")[:12]
                now = now._replace(prompts=f"{made.name} {digest}")
        return now

    def _corpora(self) -> dict[str, object]:
        """Open each corpus, without building any."""
        from ..engines.retrieval.corpus import Corpora
        from ..engines.retrieval.port import RetrievalError

        shelf, found = Corpora(self.places), dict[str, Any]()
        for info in shelf.list(known=True):
            if info.building is not None and info.problem is not None:
                found[info.name] = info.problem
                continue
            if not info.path.exists():
                found[info.name] = t("report.doctor.not_built")
                continue
            try:
                shelf.open(info.name).close()
                found[info.name] = t(
                    "report.doctor.passages", n=info.passages, tokenizer=info.words
                )
            except RetrievalError as error:
                found[info.name] = t("report.doctor.not_opened")
                self.broken.append(str(error))
        return found

    def _chinese(self) -> dict[str, object]:
        """jieba or its faster twin, as `words` would load it."""
        from ..engines.retrieval.tokeniser import Tokeniser

        folder = self.places.cache / "jieba"
        mode = (
            f"{folder.stat().st_mode & 0o777:04o}"
            if folder.is_dir()
            else t("report.doctor.absent")
        )
        found: dict[str, object] = {"dictionary cache": f"{folder} ({mode})"}
        try:
            works = Tokeniser("jieba").cut("\u4e2d\u6587\u5206\u8bcd") == [
                "\u4e2d\u6587",
                "\u5206\u8bcd",
            ]
        except ImportError as error:
            self.broken.append(t("report.broken.no_tokeniser", error=error))
            return {**found, "cuts words": False}
        by = "rjieba" if "rjieba" in sys.modules else "jieba"
        if not works:
            self.broken.append(t("report.broken.tokeniser", tokenizer=by))
        return {**found, "cuts words": works, "by": by}

    def _sessions(self) -> dict[str, object]:
        from ..sessions.library import Library

        entries = Library(self.places).entries()
        unread = sum(1 for entry in entries if entry.broken)
        if unread:
            self.broken.append(
                t("report.broken.sessions", unread=unread, n=len(entries))
            )
        return {"in the library": len(entries), "cannot be read": unread}

    def _crash(self) -> dict[str, object]:
        report = last_crash(self.places.crash_dir)
        if report is None:
            return {"report": None}
        lines = report.read_text("utf-8", "replace").splitlines()
        return {
            "report": str(report),
            "of": lines[0] if lines else None,
            "what": lines[1].partition(" (")[0] if len(lines) > 1 else None,
        }


def _first_there(path: Path) -> Path:
    """The path, or the nearest folder above it that exists."""
    return next((each for each in (path, *path.parents) if each.exists()), Path("/"))
