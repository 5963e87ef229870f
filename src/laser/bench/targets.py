"""The targets of a run, as ratios within it, and whether they are met."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TypeAlias

from laser.bench.growth import exponent
from laser.bench.record import Record

__all__ = ["TARGETS", "Outcome", "Target", "outcomes"]

Records: TypeAlias = list[Record]


@dataclass(frozen=True)
class Target:
    """A target. ``find`` returns its figure in a run; None if it was not measured."""

    text: str
    limit: float
    find: Callable[[Records], float | None]
    at_least: bool = False


@dataclass(frozen=True)
class Outcome:
    """A target with its figure in a run."""

    target: Target
    value: float | None

    @property
    def verdict(self) -> str:
        if self.value is None:
            return "not measured"
        return (
            "met"
            if (self.value >= self.target.limit) == self.target.at_least or self.value == self.target.limit
            else "NOT MET"
        )


def outcomes(records: Iterable[Record]) -> list[Outcome]:
    """Every target with its figure."""
    run = [record for record in records if record.value is not None]
    return [Outcome(target, target.find(run)) for target in TARGETS]


# -- how figures are looked up


def _line(run: Records, experiment: str, output: str = "changes", unit: str = "µs/fact") -> Records:
    return [
        r for r in run if (r.experiment, r.output, r.unit, r.system) == (experiment, output, unit, "laser") and r.ratio
    ]


def _worst(experiment: str, rates: range, windows: range) -> Callable[[Records], float | None]:
    """The highest ratio to the floor."""

    def find(run: Records) -> float | None:
        chosen = [r.ratio or 0 for r in _line(run, experiment) if r.n in rates and r.w in windows]
        return max(chosen, default=None)

    return find


def _against(
    axis: str, experiment: str, low: int, high: int, unit: str = "µs/fact", rates: range = range(1, 10**6)
) -> Callable[[Records], float | None]:
    """The cost at one end of an axis divided by the cost at the other, the worst of all such pairs."""

    def find(run: Records) -> float | None:
        line = [r for r in _line(run, experiment, unit=unit) if r.n in rates]
        ends = {at: {_without(r, axis): r.ratio or 0 for r in line if getattr(r, axis) == at} for at in (low, high)}
        pairs = [(ends[high][key], ends[low][key]) for key in ends[high].keys() & ends[low].keys()]
        return max((top / bottom for top, bottom in pairs), default=None)

    return find


def _without(record: Record, axis: str) -> tuple[int, ...]:
    return tuple(getattr(record, name) for name in ("n", "w", "r", "live") if name != axis)


def _multi(experiment: str, unit: str) -> Callable[[Records], float | None]:
    """The cost of r rules divided by that of one rule, for the worst r above one."""

    def find(run: Records) -> float | None:
        values = [_against("r", experiment, 1, r, unit)(run) for r in (10, 20, 50, 100)]
        return max((value for value in values if value is not None), default=None)

    return find


def _ends(axis: str, experiment: str, unit: str) -> Callable[[Records], float | None]:
    """The cost at the far end of an axis divided by the cost at its near end."""

    def find(run: Records) -> float | None:
        points = sorted({getattr(r, axis) for r in _line(run, experiment, unit=unit)})
        return _against(axis, experiment, points[0], points[-1], unit)(run) if len(points) > 1 else None

    return find


def _repeats(experiment: str) -> Callable[[Records], float | None]:
    """The cost of a stream that repeats itself divided by that of one that does not."""

    def find(run: Records) -> float | None:
        unique = {r.case: r.ratio or 0 for r in _line(run, experiment)}
        again = [(r.ratio or 0) / unique[r.case] for r in _line(run, f"{experiment}-repeat") if unique.get(r.case)]
        return max(again, default=None)

    return find


def _snapshots(output: str) -> Callable[[Records], float | None]:
    """The worst of the paper's experiments; with a few dozen atoms, the call would dominate, so small sets are ignored."""

    def find(run: Records) -> float | None:
        names = ("diamond", "box", "join", "cooling")
        chosen = [r.ratio or 0 for name in names for r in _line(run, name, output, "µs/atom")]
        return max(chosen, default=None)

    return find


def _peer(name: str) -> Callable[[Records], float | None]:
    """A peer's time as a multiple of Laser's in the peer's best case, with the same kind of output."""

    def find(run: Records) -> float | None:
        kind = "changes" if name == "pathway" else "snapshot"
        ours = {(r.experiment, r.case): r.value for r in run if r.output == f"{kind} beside peers"}
        theirs = [r for r in run if r.system == name and r.value and ours.get((r.experiment, r.case))]
        return min(((r.value or 0) / (ours[r.experiment, r.case] or 1) for r in theirs), default=None)

    return find


def _files(kind: str) -> Callable[[Records], float | None]:
    """The time from a file to changes, as a multiple of its floor."""

    def measured(run: Records) -> float | None:
        return next((r.ratio for r in run if r.experiment == f"files-{kind}"), None)

    return measured


def _history(system: str, worst: Callable[[Iterable[float]], float]) -> Callable[[Records], float | None]:
    """The time for a history of a million rows, as a multiple of SQL by hand."""

    def find(run: Records) -> float | None:
        ratios = [r.ratio for r in run if r.experiment.startswith("history-") and r.system == system and r.ratio]
        return worst(ratios) if ratios else None

    return find


def _startup(output: str, unit: str) -> Callable[[Records], float | None]:
    """The exponent of growth with the number of rules, for the worse kind of program."""

    def find(run: Records) -> float | None:
        found = []
        for kind in ("startup", "startup-sensors"):
            points = [(r.r, r.value or 0) for r in _line(run, kind, output, unit) if r.r >= 100]
            if len(points) > 1:
                found.append(exponent(points))
        return max(found, default=None)

    return find


def _thousand(outputs: tuple[str, ...]) -> Callable[[Records], float | None]:
    """Seconds for a thousand rules, for the worse kind of program."""

    def find(run: Records) -> float | None:
        kinds: dict[str, float] = {}
        for record in run:
            if record.experiment.startswith("startup") and record.r == 1_000 and record.output in outputs:
                kinds[record.experiment] = kinds.get(record.experiment, 0) + (record.value or 0) / 1e3
        return max(kinds.values(), default=None)

    return find


_UP_TO_80 = range(1, 81)
_AT_800 = range(800, 801)

TARGETS = (
    Target("diamond, n = 800, w ≤ 80: × floor", 8, _worst("diamond", _AT_800, _UP_TO_80)),
    Target("box, n = 800, w ≤ 80: × floor", 5, _worst("box", _AT_800, _UP_TO_80)),
    Target("join, n = 800, w ≤ 80: × floor", 80, _worst("join", _AT_800, _UP_TO_80)),
    Target("cooling, n = 800, w ≤ 80: × floor", 40, _worst("cooling", _AT_800, _UP_TO_80)),
    Target("diamond, w = 3,600 (2.9 million live): × floor", 12, _worst("diamond", _AT_800, range(3600, 3601))),
    Target("multi, r rules with one head: × one rule", 1.5, _multi("multi", "µs/fact")),
    Target("multi, r heads: a derived change, × one rule", 0.5, _multi("multi-heads", "µs/change")),
    Target("a full snapshot: × making its atoms and their set", 2, _snapshots("snapshot alone")),
    Target("a full snapshot: × a set of atoms that are there", 2, _snapshots("snapshot, atoms at hand")),
    Target("box, w = 80: × w = 1 (flat)", 1.25, _against("w", "box", 1, 80)),
    Target("diamond, w = 3,600: × w = 20", 2, _against("w", "diamond", 20, 3600)),
    Target("diamond, a repeating stream: × the unique one", 1, _repeats("diamond")),
    Target("join, a repeating stream: × the unique one", 1, _repeats("join")),
    Target("count, n = 800, w ≤ 80: × floor", 15, _worst("count", _AT_800, _UP_TO_80)),
    Target("average, n = 800, w ≤ 80: × floor", 25, _worst("average", _AT_800, _UP_TO_80)),
    Target("extremes, n = 800, w ≤ 80: × floor", 25, _worst("extremes", _AT_800, _UP_TO_80)),
    Target("quantile, n = 800, w ≤ 80: × floor", 60, _worst("quantile", _AT_800, _UP_TO_80)),
    Target("tumbling, n = 800, w ≤ 80: × floor", 12, _worst("tumbling", _AT_800, _UP_TO_80)),
    *(
        Target(f"{name}, n = 80, w = 3,600: × w = 20", 1.5, _against("w", name, 20, 3600, rates=range(80, 81)))
        for name in ("count", "average", "extremes", "quantile")
    ),
    Target("recursion, widest window: × narrowest, by change", 1.5, _ends("w", "recursion", "µs/change")),
    Target("hysteresis, 100,000 recorded: × 100, by change", 1.2, _against("live", "hysteresis", 100, 100_000, "µs/change")),
    Target("negation, 100,000 live: × 100, by change", 1.5, _against("live", "negation", 100, 100_000, "µs/change")),
    *(
        Target(f"{name}: its time × ours, where it does best", 1, _peer(name), at_least=True)
        for name in ("clingo", "clingo multi-shot", "pathway", "duckdb", "spark sql", "reference")
    ),
    Target("CSV to changes, 100 a tick: × csv.reader", 5, _files("csv")),
    Target("JSON Lines to changes, 100 a tick: × json.loads", 5, _files("jsonl")),
    Target("Parquet to changes, 100 a tick: × the engine alone", 2, _files("parquet")),
    Target("histories as SQL: × SQL by hand, where worst", 1.3, _history("sql", max)),
    Target("histories by the reasoner: × SQL by hand, where best", 10, _history("reasoner", min), at_least=True),
    Target("generated code: exponent of growth with rules", 1.1, _startup("source", "characters")),
    Target("compile time: exponent of growth with rules", 1.2, _startup("compile", "ms")),
    Target("1,000 rules compile: seconds", 2, _thousand(("compile",))),
    Target("1,000 rules parse and compile: seconds", 2, _thousand(("parse", "compile"))),
    Target("diamond, 200 to 10,000 a tick: × floor", 10, _worst("diamond", range(200, 10_001), _UP_TO_80)),
    Target("box, 200 to 10,000 a tick: × floor", 10, _worst("box", range(200, 10_001), _UP_TO_80)),
    Target("join, up to 800 a tick: × floor", 100, _worst("join", range(1, 801), _UP_TO_80)),
    Target("join, 10,000 a tick: × floor", 200, _worst("join", range(10_000, 10_001), _UP_TO_80)),
    Target("diamond, w = 80: × w = 1", 1.5, _against("w", "diamond", 1, 80)),
    Target("negation, 100,000 live: × 1,000, by change", 1.5, _against("live", "negation", 1_000, 100_000, "µs/change")),
    Target("latest, n = 800, up to 100,000 keys: × floor", 15, _worst("latest", range(800, 801), range(1))),
    Target("latest, 100,000 keys: × 1,000", 1.5, _against("live", "latest", 1_000, 100_000)),
)  # fmt: skip
