"""The experiments as SQL over the facts of the window, which DuckDB and Spark SQL run again at each time point.

There is a table for each predicate, with its arguments as c0, c1, the time t, and the number of the fact in the stream.
"""

from __future__ import annotations

from laser.bench.case import Case, Experiment
from laser.bench.programs import usual

__all__ = ["STEPS", "TABLES", "Query", "queries"]

Query = tuple[str, int, str]
"""The head, its arity (a head without arguments holds if there is a row), and the text."""

TABLES: dict[str, dict[str, tuple[type, ...]]] = {
    "diamond": {"p": (str, str)},
    "box": {"p": (int,)},
    "join": {"p": (str, str)},
    "multi-heads": {"p": (str, str)},
    "cooling": {"temp": (int,)},
    "recursion": {"edge": (str, str)},
    "negation": {"machine": (int,), "job": (int, int)},
    "tuples": {"p": (int, int), "s": (int, int)},
    "latest": {"temp": (int, int)},
    "rules": {"temp": (str, int)},
    "count": {"car": (int, int)},
    "average": {"temp": (int, float)},
    "extremes": {"temp": (int, int)},
    "quantile": {"temp": (int, float)},
    "tumbling": {"car": (int, int)},
    "hysteresis": {"hot": (int,), "cool": (int,)},
}
"""The predicates of the streams, with the types of their arguments."""

STEPS = {
    "hysteresis": (
        "CREATE TABLE IF NOT EXISTS held (c0 BIGINT)",
        "DELETE FROM held WHERE c0 IN (SELECT c0 FROM cool)",
        "INSERT INTO held SELECT c0 FROM hot WHERE c0 NOT IN (SELECT c0 FROM held)",
    ),
}
"""The statements with which a database remembers its earlier answers, at each time point."""

_JOIN = "SELECT DISTINCT x.c0, y.c1 FROM p x JOIN p y ON x.c1 = y.c0"
_RECURSIVE = (
    "WITH RECURSIVE reach(a, b) AS (SELECT c0, c1 FROM edge {union} "
    "SELECT reach.a, edge.c1 FROM reach JOIN edge ON reach.b = edge.c0) SELECT DISTINCT a, b FROM reach"
)


def queries(experiment: Experiment, case: Case, first: int, now: int, union: str = "UNION") -> list[Query]:
    """The queries at a time; the tables contain only the window."""
    length = now - first + 1
    match experiment.name:
        case "diamond":
            return [("q", 2, "SELECT DISTINCT c0, c1 FROM p")]
        case "box":
            return [("q", 1, f"SELECT c0 FROM p GROUP BY c0 HAVING count(DISTINCT t) = {length}")]
        case "join":
            return [("q", 2, _JOIN)]
        case "multi-heads":
            return [(f"q{i}", 2, _JOIN) for i in range(1, case.r + 1)]
        case "cooling":
            return _cooling(now, length)
        case "recursion":
            return [("reach", 2, _RECURSIVE.format(union=union))]
        case "negation":
            unless = "NOT EXISTS (SELECT 1 FROM job WHERE job.c0 = machine.c0)"
            return [("idle", 1, f"SELECT DISTINCT c0 FROM machine WHERE {unless}")]
        case "tuples":
            return [("q", 2, "SELECT DISTINCT p.c0, s.c1 FROM p JOIN s ON p.c1 = s.c0")]
        case "latest":
            return [("q", 2, "SELECT c0, c1 FROM temp")]
        case "rules":
            ask = "SELECT DISTINCT c1 FROM temp WHERE c0 = 's{i}' AND c1 >= 90"
            return [(f"alert{i}", 1, ask.format(i=i)) for i in range(case.r)]
        case _:
            return _remembered(experiment, case, now)


def _remembered(experiment: Experiment, case: Case, now: int) -> list[Query]:
    """Queries with aggregates or memory, which the paper's experiments do not need."""
    match experiment.name:
        case "count":
            return [("busy", 1, f"SELECT c1 FROM car GROUP BY c1 HAVING count(DISTINCT c0) > {usual(case)}")]
        case "average":
            return [("mean", 2, "SELECT c0, avg(c1) FROM temp GROUP BY c0")]
        case "extremes":
            return [("highest", 2, "SELECT c0, max(c1) FROM temp GROUP BY c0")]
        case "quantile":
            return [("slow", 2, "SELECT c0, percentile_cont(0.9) WITHIN GROUP (ORDER BY c1) FROM temp GROUP BY c0")]
        case "tumbling":
            block = now // case.w * case.w
            within = f"t >= {block - case.w} AND t < {block}"
            return [("report", 2, f"SELECT c1, count(*) FROM car WHERE {within} GROUP BY c1")]
        case "hysteresis":
            return [("on", 1, "SELECT c0 FROM held")]
        case _:
            raise NotImplementedError(experiment.name)


def _cooling(now: int, length: int) -> list[Query]:
    steam, liquid = "c0 >= 100", "c0 >= 1 AND c0 < 100"
    points = "(SELECT count(DISTINCT t) FROM temp WHERE {})"
    alarm, normal = points.format(steam), points.format(liquid)
    return [
        ("steam", 1, f"SELECT DISTINCT c0 FROM temp WHERE t = {now} AND {steam}"),
        ("liquid", 1, f"SELECT DISTINCT c0 FROM temp WHERE t = {now} AND {liquid}"),
        ("isSteam", 0, f"SELECT 1 FROM temp WHERE t = {now} AND {steam} LIMIT 1"),
        ("isLiquid", 0, f"SELECT 1 FROM temp WHERE t = {now} AND {liquid} LIMIT 1"),
        ("alarm", 0, f"SELECT 1 WHERE {alarm} = {length}"),
        ("normal", 0, f"SELECT 1 WHERE {normal} = {length}"),
        ("freeze", 0, f"SELECT 1 WHERE {alarm} < {length} AND {normal} < {length}"),
        ("veryHot", 1, "SELECT DISTINCT t FROM temp WHERE c0 >= 150"),
        ("veryCold", 1, "SELECT DISTINCT t FROM temp WHERE c0 = 1"),
    ]
