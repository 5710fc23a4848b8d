"""Chosen bounds as a section of config.yaml."""

from __future__ import annotations

import yaml

from ...sessions.clean import clean
from ...texts import t
from .calibrated import Calibrated


def section(one: Calibrated) -> str | None:
    """The section, with a remark that says what it rests on; None where no bounds were chosen."""
    found, chosen = one.answers, one.chosen
    if found is None or chosen is None:
        return None
    verdicts = found.verdicts
    value = {
        "settings": {
            found.method: {
                verdicts.rule_setting: chosen.rule,
                verdicts.bounds_setting: chosen.rules[chosen.rule].bounds,
            }
        }
    }
    index = chosen.reached.youden
    within = "" if index.low is None else f" [{index.low:.3f}, {index.high:.3f}]"
    told = t(
        "report.calibrate.section",
        name=clean(one.name, newlines=False)[:80],
        labels=chosen.labels,
        goal=t(f"report.calibrate.goal_{chosen.goal}"),
        youden=t("report.calibrate.not_known")
        if index.value is None
        else f"{index.value:.3f}{within}",
    )
    return "".join(f"# {line}\n" for line in told.splitlines()) + yaml.safe_dump(
        value, sort_keys=False, allow_unicode=True
    )
