"""How often the intervals from labels drawn by verdict hold the truth, and the bias:
`python benchmarks/strata.py [REPETITIONS]`.
"""

from __future__ import annotations

import random
import sys

from verifytui.engines.calibration.confusion import confusion
from verifytui.engines.calibration.judged_item import JudgedItem, labelled

SETTINGS = ((0.8, 0.916, 0.8), (0.6, 0.85, 0.7), (0.9, 0.95, 0.9), (0.3, 0.8, 0.9))
"""Share of right answers, sensitivity and specificity."""
SIZE, EACH = 1000, 65


def drawn(
    setting: tuple[float, float, float], chance: random.Random
) -> list[JudgedItem]:
    """A run of answers, of which `EACH` of every verdict are labelled."""
    right, sensitivity, specificity = setting
    told = []
    for _ in range(SIZE):
        truth = chance.random() < right
        held = chance.random() < (sensitivity if truth else 1 - specificity)
        told.append((truth, held))
    taken: set[int] = set()
    for word in (True, False):
        places = [place for place, (_, held) in enumerate(told) if held is word]
        taken |= set(chance.sample(places, min(EACH, len(places))))
    return [
        JudgedItem(str(place), str(place), truth if place in taken else None, held)
        for place, (truth, held) in enumerate(told)
    ]


def main(repetitions: int) -> None:
    """Prints a line for each setting and figure."""
    for setting in SETTINGS:
        chance = random.Random(7)
        truth = {"people": setting[0]} | dict(
            zip(("sensitivity", "specificity"), setting[1:], strict=True)
        )
        sums = {name: [0.0, 0.0, 0] for name in truth}
        for _ in range(repetitions):
            things = drawn(setting, chance)
            found = confusion(things, 10, by_verdict=True)
            alone = confusion(labelled(things), 10)
            for name, expected in truth.items():
                share, plain = getattr(found, name), getattr(alone, name)
                sums[name][0] += share.value
                sums[name][1] += plain.value
                sums[name][2] += share.low <= expected <= share.high
        for name, (value, plain, held) in sums.items():
            print(
                f"{name} {truth[name]:.3f}: weighted {value / repetitions:.3f}, "
                f"unweighted {plain / repetitions:.3f}, "
                f"coverage {held / repetitions:.1%}"
            )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 400)
