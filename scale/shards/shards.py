"""One of several runs that share the lines of a batch, each with its own folder and
budget: `--shard i/n`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

from ...engines.batches.part import MOST, PartNumber
from ...engines.batches.state import Limits
from ...sessions.errors import BadInput, bad_input
from ...texts import t

SLURM = ("SLURM_ARRAY_TASK_ID", "SLURM_ARRAY_TASK_MIN", "SLURM_ARRAY_TASK_COUNT")
SLURM_MORE = ("SLURM_ARRAY_TASK_MAX", "SLURM_ARRAY_TASK_STEP")
KUBERNETES = "JOB_COMPLETION_INDEX"


@dataclass(frozen=True)
class Shard(PartNumber):
    """Every `of`-th line, starting at line `index`."""

    def has(self, place: int) -> bool:
        """Whether a line belongs to this shard. `place`: index of the line, from 0."""
        return place % self.of == self.index - 1

    def share(self, limits: Limits) -> Limits:
        """The limits with this shard's part of the budgets, so that all shards together
        stay within the total.

        Raises: BadInput.
        """
        tokens = None if limits.tokens is None else limits.tokens // self.of
        if tokens == 0:
            raise bad_input("wrong.shard.budget", tokens=limits.tokens, total=self.of)
        return replace(
            limits,
            tokens=tokens,
            usd=None if limits.usd is None else limits.usd / self.of,
        )


def read_shard(text: str) -> Shard:
    """Parses a shard such as `2/8`. Raises: BadInput."""
    match = re.fullmatch(r"([0-9]{1,6})/([0-9]{1,6})", text, re.ASCII)
    shard = Shard(int(match[1]), int(match[2])) if match else Shard(0, 0)
    if not 1 <= shard.index <= shard.of <= MOST:
        raise bad_input("wrong.shard.form", text=text, most=MOST)
    return shard


def shard_of_task(environment: Mapping[str, str], of: int | None) -> Shard:
    """The shard of this Slurm array task or indexed Kubernetes job. `of`: number of
    shards; Slurm provides it itself.

    Raises: BadInput if the variables are missing, not numbers, or contradictory.
    """
    slurm = any(environment.get(name) for name in SLURM)
    kubernetes = bool(environment.get(KUBERNETES))
    if slurm and kubernetes:
        raise bad_input("wrong.shard.both", slurm=SLURM[0], kubernetes=KUBERNETES)
    if slurm:
        return _of_slurm(environment, of)
    if not kubernetes:
        raise bad_input("wrong.shard.no_task", slurm=SLURM[0], kubernetes=KUBERNETES)
    if of is None:
        raise bad_input("wrong.shard.how_many", kubernetes=KUBERNETES)
    index = _number(environment, KUBERNETES)
    if index >= of:
        raise bad_input(
            "wrong.shard.beyond",
            kubernetes=KUBERNETES,
            index=index,
            last=of - 1,
            total=of,
        )
    return Shard(index + 1, of)


def _of_slurm(environment: Mapping[str, str], of: int | None) -> Shard:
    """The tasks may start at any number with any step, but all steps must be equal."""
    task, first, count = (_number(environment, name) for name in SLURM)
    last, step = (
        _number(environment, name) if environment.get(name) else None
        for name in SLURM_MORE
    )
    if of is not None and of != count:
        raise bad_input(
            "wrong.shard.other_count",
            variable=SLURM[2],
            count=count,
            total=of,
            task=task,
        )
    if step is None:
        step = 1 if last is None or count < 2 else (last - first) // (count - 1)
    index, rest = divmod(task - first, max(step, 1))
    if (
        rest
        or not 0 <= index < count
        or (last is not None and first + (count - 1) * step != last)
    ):
        told = ", ".join(
            f"{name}={environment[name]}"
            for name in (*SLURM, *SLURM_MORE)
            if environment.get(name)
        )
        raise bad_input("wrong.shard.uneven", variables=told)
    if not 1 <= count <= MOST:
        raise bad_input("wrong.shard.form", text=f"{index + 1}/{count}", most=MOST)
    return Shard(index + 1, count)


def _number(environment: Mapping[str, str], name: str) -> int:
    text = environment.get(name, "")
    if not re.fullmatch(r"[0-9]{1,9}", text, re.ASCII):
        raise BadInput(
            t("wrong.shard.no_number", name=name, text=text)
            if text
            else t("wrong.shard.unset", name=name)
        )
    return int(text)
