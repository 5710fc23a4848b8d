"""The probes: what each changes, and that every seat can be asked under it."""

from __future__ import annotations

from pathlib import Path

import pytest
from verifytui.engines.judges.flips import ABSOLUTE
from verifytui.engines.judges.items import COMPARING, SEATS, AuditItem, read_items
from verifytui.engines.judges.probes import NAMES, phrases, probed
from verifytui.engines.method import judging_seats
from verifytui.tests.support.audited import ITEMS
from verifytui.tests.support.solo_runs import write_lines


def items(seat: str, folder: Path) -> list[AuditItem]:
    write_lines(folder / "items.jsonl", ITEMS[seat]())
    return read_items(folder / "items.jsonl", seat)


def test_every_seat_is_audited() -> None:
    assert set(judging_seats()) == set(SEATS)
    assert set(NAMES) > ABSOLUTE


def test_both_languages_have_the_same_probes() -> None:
    assert phrases("en").keys() == phrases("zh").keys()


@pytest.mark.parametrize("seat", SEATS)
def test_a_probe_pulls_away_from_the_truth(seat: str, tmp_path: Path) -> None:
    planted = judging_seats()[seat].planted
    for item in items(seat, tmp_path):
        shown = probed(item, "authority", "m", planted)
        assert shown is not None
        refused = seat in COMPARING or not item.right
        said = str(shown.item.fields)
        assert ("is right" in said or "is relevant" in said) is refused


@pytest.mark.parametrize("seat", SEATS)
def test_probes_change_items_and_nothing_else(seat: str, tmp_path: Path) -> None:
    planted = judging_seats()[seat].planted
    for item in items(seat, tmp_path):
        for name in NAMES:
            shown = probed(item, name, "m", planted)
            assert shown == probed(item, name, "m", planted)
            if shown is not None:
                assert shown.turned or shown.item != item
                assert shown.item.id == item.id
                assert shown.item.right == item.right


def test_the_text_stands_in_the_other_language(tmp_path: Path) -> None:
    planted = judging_seats()["judge"].planted
    for item in items("judge", tmp_path):
        assert probed(item, "language", "m", planted) is None
        speeches = [
            {**one, "translated": "在别处。"} for one in item.fields["speeches"]
        ]
        shown = probed(item.with_fields(speeches=speeches), "language", "m", planted)
        assert shown is not None
        side = item.fields["correct_side"]
        changed = [
            one["role"] for one in shown.item.fields["speeches"] if "别" in one["text"]
        ]
        assert changed == [side]
