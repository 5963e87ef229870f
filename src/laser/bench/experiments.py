"""The experiments, in the order of the report: the five of the paper, then others."""

from __future__ import annotations

from laser.bench import programs, streams
from laser.bench.case import Case, Experiment

__all__ = ["EXPERIMENTS", "experiment"]


def grid(rates: tuple[int, ...], windows: tuple[int, ...]) -> tuple[Case, ...]:
    return tuple(Case(n, w) for n in rates for w in windows)


PAPER = grid((200, 400, 800), (1, 20, 40, 80))
WIDE = (*PAPER, *grid((10_000,), (1, 20, 80)))
QUICK = (Case(200, 1), Case(200, 80), Case(800, 1), Case(800, 20), Case(800, 80))

DIAMOND = Experiment(
    "diamond",
    "◇: a fact somewhere in the window",
    programs.diamond,
    streams.unique_pairs,
    (*WIDE, Case(800, 3600)),
    (*QUICK, Case(10_000, 20), Case(800, 3600)),
)
BOX = Experiment(
    "box",
    "□: throughout the window",
    programs.box,
    streams.box,
    (*WIDE, Case(800, 3600)),
    (*QUICK, Case(10_000, 20)),
)
JOIN = Experiment(
    "join",
    "a join of two windows",
    programs.join,
    streams.chain,
    (*WIDE, Case(200, 3600)),
    (*QUICK, Case(10_000, 20)),
)
MULTI = Experiment(
    "multi",
    "the same join in r rules with one head",
    programs.multi,
    streams.chain,
    tuple(Case(200, w, r) for w in (1, 20, 80) for r in (1, 10, 20, 50, 100)),
    (Case(200, 20, 1), Case(200, 20, 100)),
    axis="r",
    snapshots=False,
)
MULTI_HEADS = Experiment(
    "multi-heads",
    "the same join in r rules with r heads",
    programs.multi_heads,
    streams.chain,
    tuple(Case(200, w, r) for w in (1, 20, 80) for r in (1, 10, 20, 50, 100)),
    (Case(200, 20, 1), Case(200, 20, 10), Case(200, 20, 100)),
    axis="r",
    unit="change",
    snapshots=False,
)
COOLING = Experiment(
    "cooling",
    "the cooling system, nine rules",
    programs.cooling,
    streams.cooling,
    (*PAPER, *grid((10_000,), (20,)), Case(200, 3600)),
    (Case(200, 20), Case(800, 1), Case(800, 20), Case(800, 80)),
)
RECURSION = Experiment(
    "recursion",
    "reachability over a sliding window of edges",
    programs.reach,
    streams.growing_paths,
    grid((80, 400), (10, 20, 40, 80, 320)),
    grid((80,), (10, 80)),
    unit="change",
    warm=lambda case: case.w + streams.PATH + 2,
    snapshots=False,
)
NEGATION = Experiment(
    "negation",
    "machines without a job, ten changes a tick each way",
    programs.negation,
    streams.jobs,
    tuple(Case(10, 5, 1, live) for live in (100, 1_000, 10_000, 100_000)),
    tuple(Case(10, 5, 1, live) for live in (100, 1_000, 100_000)),
    axis="live",
    unit="change",
    first=streams.machines,
    snapshots=False,
)
TUPLES = Experiment(
    "tuples",
    "a join of two tuple windows",
    programs.tuples,
    streams.churn,
    tuple(Case(200, 0, 1, live) for live in (100, 1_000, 10_000, 100_000)),
    tuple(Case(200, 0, 1, live) for live in (1_000, 100_000)),
    axis="live",
    warm=lambda case: case.live // case.n + 3,
    snapshots=False,
)
LATEST = Experiment(
    "latest",
    "the latest reading of each machine",
    programs.latest,
    streams.readings,
    tuple(Case(800, 0, 1, live) for live in (1_000, 10_000, 100_000)),
    tuple(Case(800, 0, 1, live) for live in (1_000, 100_000)),
    axis="live",
    warm=lambda case: case.live // case.n + 3,
    snapshots=False,
)
REPEAT_DIAMOND = Experiment(
    "diamond-repeat",
    "◇ over a stream in which nine facts of ten repeat",
    programs.diamond,
    streams.repeating_pairs,
    grid((800,), (1, 20, 80)),
    grid((800,), (20,)),
    snapshots=False,
)
REPEAT_JOIN = Experiment(
    "join-repeat",
    "the join over a stream in which nine facts of ten repeat",
    programs.join,
    streams.repeating_chain,
    grid((800,), (1, 20, 80)),
    grid((800,), (20,)),
    snapshots=False,
)
RULES = Experiment(
    "rules",
    "r rules, one for each sensor, over one stream",
    programs.rules,
    streams.sensors,
    tuple(Case(1_000, 20, r) for r in (1, 10, 100, 1_000)),
    tuple(Case(1_000, 20, r) for r in (1, 100, 1_000)),
    axis="r",
    snapshots=False,
)

COUNT = Experiment(
    "count",
    "cars on a thousand roads, counted against a threshold",
    programs.count,
    streams.cars,
    (*grid((80,), (20, 3600)), *grid((800,), (1, 20, 40, 80))),
    (*grid((80,), (20, 3600)), *grid((800,), (20, 80))),
    snapshots=False,
)
AVERAGE = Experiment(
    "average",
    "the mean of decimals for each of a hundred machines",
    programs.average,
    streams.decimals,
    (*grid((80,), (20, 3600)), *grid((800,), (1, 20, 40, 80))),
    (*grid((80,), (20, 3600)), *grid((800,), (20, 80))),
    snapshots=False,
)
EXTREMES = Experiment(
    "extremes",
    "the largest of values that rise, and of values that fall",
    programs.extremes,
    streams.tides,
    (*grid((80,), (20, 3600)), *grid((800,), (1, 20, 40, 80))),
    (*grid((80,), (20, 3600)), *grid((800,), (20, 80))),
    snapshots=False,
)
QUANTILE = Experiment(
    "quantile",
    "the 0.9 quantile of decimals, for each of a hundred machines",
    programs.quantile,
    streams.decimals,
    (*grid((80,), (20, 3600)), *grid((800,), (1, 20, 40, 80))),
    (*grid((80,), (20, 3600)), *grid((800,), (20, 80))),
    snapshots=False,
)
TUMBLING = Experiment(
    "tumbling",
    "sightings on a thousand roads, by blocks of time",
    programs.tumbling,
    streams.cars,
    (*grid((80,), (20, 3600)), *grid((800,), (5, 20, 40, 80))),
    (*grid((80,), (20,)), *grid((800,), (20, 80))),
    warm=lambda case: 2 * case.w + 2,
    reach=lambda case: 2 * case.w - 1,
    snapshots=False,
)

HYSTERESIS = Experiment(
    "hysteresis",
    "machines that stay on until they are cool, ten changes a tick",
    programs.hysteresis,
    streams.switches,
    tuple(Case(10, 0, 1, live) for live in (100, 1_000, 10_000, 100_000)),
    tuple(Case(10, 0, 1, live) for live in (100, 100_000)),
    axis="live",
    unit="change",
    first=streams.hot_machines,
    reach=lambda case: 0,
    snapshots=False,
)

EXPERIMENTS = (
    DIAMOND, BOX, JOIN, MULTI, MULTI_HEADS, COOLING, RECURSION, NEGATION, TUPLES, LATEST, REPEAT_DIAMOND, REPEAT_JOIN, RULES,
    COUNT, AVERAGE, EXTREMES, QUANTILE, TUMBLING, HYSTERESIS,
)  # fmt: skip


def experiment(name: str) -> Experiment:
    """The experiment with a name."""
    return next(one for one in EXPERIMENTS if one.name == name)
