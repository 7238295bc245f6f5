"""Taking times: contenders take turns within one run, so that what else the machine does meets all alike."""

import random
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from itertools import cycle
from statistics import median
from time import process_time
from typing import Any

ROUND_SECONDS = 0.02
"""How long the calls of one contender in one round take together, about."""

RESAMPLED = 2_000
SEED = 20_240_601


@dataclass(frozen=True)
class Effort:
    """How thoroughly to measure. A quick run does everything once: it shows that all of it works, and little more."""

    quick: bool = False

    def of(self, thorough: int, quick: int = 1) -> int:
        """A number of rounds, turns or parts."""
        return quick if self.quick else thorough


def cpu_seconds(contenders: Mapping[str, Callable[[], Any]], effort: Effort) -> dict[str, float]:
    """The median CPU time of one call of each, over interleaved rounds."""
    number = {name: 1 if effort.quick else _calls_a_round(call) for name, call in contenders.items()}
    seen: dict[str, list[float]] = {name: [] for name in contenders}
    for _ in range(effort.of(15)):
        for name, call in contenders.items():
            seen[name].append(_cpu(call, number[name]) / number[name])
    return {name: median(times) for name, times in seen.items()}


def _calls_a_round(call: Callable[[], Any]) -> int:
    number = 1
    while (taken := _cpu(call, number)) < ROUND_SECONDS / 4:
        number *= 2
    return max(1, round(number * ROUND_SECONDS / taken))


def _cpu(call: Callable[[], Any], number: int) -> float:
    started = process_time()
    for _ in range(number):
        call()
    return process_time() - started


def in_turn(values: Sequence[Any]) -> Callable[[], Any]:
    """Gives the values one after the other, for ever: a contender asked about one only would learn it by heart."""
    return cycle(values).__next__


def installed(rivals: Mapping[str, tuple[str, Callable[[Any], Any]]]) -> Iterator[tuple[str, Any]]:
    """Each rival whose module can be imported, built from it; says which are left out."""
    for name, (module, build) in rivals.items():
        try:
            imported = import_module(module)
        except ImportError:
            print(f"{name} is not installed and is left out", file=sys.stderr)
        else:
            yield name, build(imported)


def ratio_with_bound(ours: Sequence[float], theirs: Sequence[float]) -> tuple[float, float]:
    """The ratio of the medians of interleaved pairs, and its upper bound (97.5 %) over resampled pairs."""
    drawn = random.Random(SEED)
    pairs = list(zip(ours, theirs, strict=True))
    ratios = sorted(_ratio(drawn.choices(pairs, k=len(pairs))) for _ in range(RESAMPLED))
    return _ratio(pairs), ratios[int(RESAMPLED * 0.975)]


def _ratio(pairs: Sequence[tuple[float, float]]) -> float:
    return median(ours for ours, _ in pairs) / median(theirs for _, theirs in pairs)
