"""Questions about readings of machines: each as rules, and as the SQL that an expert would write by hand.

The expert knows the data and the "gaps and islands" technique. Both ways must give the same rows, in DuckDB and in Spark.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

__all__ = ["HISTORIES", "MACHINES", "QUESTIONS", "Question", "background_of", "questions"]

MACHINES = 1_000


@dataclass(frozen=True)
class Question:
    """A program over readings of a thousand machines, and SQL by hand for each of its outputs, unless it is a recursion.

    In the SQL, ``{temp}`` and ``{press}`` are tables (machine, value, time), and ``{first}`` and ``{last}`` the timeline. Times are
    minutes, with one reading of every machine per minute, or with ``sparse`` seconds.
    """

    program: str
    by_hand: dict[str, str]
    tables: tuple[str, ...] = ("temp",)
    sparse: bool = False


def _islands(where: str, reach: int, table: str = "temp") -> str:
    """Readings that satisfy a condition, each for a length of time; overlapping or adjacent ones are merged."""
    return f"""
select machine, min(time) as since, least(max(time) + {reach}, {{last}}) as until from (
  select machine, time, sum(fresh) over (partition by machine order by time rows unbounded preceding) as island from (
    select machine, time, case when time - lag(time) over (partition by machine order by time) <= {reach + 1} then 0 else 1 end as fresh
    from {{{table}}} where {where})) group by machine, island"""


def _runs(where: str, reach: int) -> str:
    """Where a condition held at every minute of a length of time."""
    return f"""
select machine, case when begin = {{first}} then begin else begin + {reach} end as since, finish as until from (
  select machine, min(time) as begin, max(time) as finish from (
    select machine, time, time - row_number() over (partition by machine order by time) as run from {{temp}} where {where})
  group by machine, run)
where finish >= begin + {reach} or begin = {{first}}"""


ALARM, NORMAL = _runs("value >= 100", 3), _runs("value between 1 and 99", 3)


def questions(period: int = 60, machines: int = MACHINES) -> dict[str, Question]:
    """The questions. A machine has a reading once in this many time points or, if times are minutes, at each."""
    reach, long, quiet = 5 * period, 60 * period, 2 * period
    return {
        "diamond": Question(
            f"hot(M) :- temp(M, V) in [{reach}], V > 180.", {"hot": _islands("value > 180", reach)}, sparse=True
        ),
        "join": Question(
            f"both(M) :- temp(M, V) in [{reach}], V > 180, press(M, W) in [{reach}], W > 180.",
            {
                "both": f"""
select a.machine, greatest(a.since, b.since) as since, least(a.until, b.until) as until
from ({_islands("value > 180", reach)}) a join ({_islands("value > 180", reach, "press")}) b
on a.machine = b.machine and a.since <= b.until and b.since <= a.until"""
            },
            ("temp", "press"),
            sparse=True,
        ),
        "box": Question(
            "@T ok(M) :- temp(M, V) at T in [10], V > 20. steady(M) :- ok(M) always in [10]. #show steady/1.",
            {"steady": _runs("value > 20", 10)},
        ),
        "silence": Question(
            f"idle(M) :- temp(M, _) in [{long}], not temp(M, _) in [{quiet - 1}].",
            {
                "idle": f"""
select machine, time + {quiet} as since, least(coalesce(following - 1, {{last}}), time + {long}, {{last}}) as until from (
  select machine, time, lead(time) over (partition by machine order by time) as following from {{temp}})
where coalesce(following, {{last}} + 1) > time + {quiet}"""
            },
            sparse=True,
        ),
        "cooling": Question(
            """
@T steam(M, V) :- temp(M, V) at T in [3], V >= 100.
@T liquid(M, V) :- temp(M, V) at T in [3], V >= 1, V < 100.
@T isSteam(M) :- steam(M, _) at T in [3].
@T isLiquid(M) :- liquid(M, _) at T in [3].
alarm(M) :- isSteam(M) always in [3].
normal(M) :- isLiquid(M) always in [3].
freeze(M) :- machine(M), not alarm(M), not normal(M).
veryHot(M, T) :- steam(M, V) at T in [3], V >= 195.
veryCold(M, T) :- liquid(M, V) at T in [3], V = 1.
#show alarm/1, normal/1, freeze/1, veryHot/2, veryCold/2.
""",
            {
                "alarm": ALARM,
                "normal": NORMAL,
                "veryHot": "select machine, time as at, time as since, least(time + 3, {last}) as until from {temp} where value >= 195",
                "veryCold": "select machine, time as at, time as since, least(time + 3, {last}) as until from {temp} where value = 1",
                "freeze": f"""
select machine, since, until from (
  select machine, ended + 1 as since, coalesce(lead(begun) over (partition by machine order by begun) - 1, {{last}}) as until
  from (select machine, since as begun, until as ended from ({ALARM} union all {NORMAL}) as held
        union all select 'm' || i, {{first}} - 1, {{first}} - 1 from range({machines}) as machines(i)) as known) as gaps
where since <= until""",
            },
        ),
        "paper": Question(
            f"pair(V, M, W) :- temp(M, V) in [{period}], press(M, W) in [{period}].",
            {
                "pair": f"""
select x, machine, z, min(since) as since, max(until) as until from (
  select *, sum(fresh) over (partition by x, machine, z order by since rows unbounded preceding) as island from (
    select *, case when since <= 1 + max(until) over
        (partition by x, machine, z order by since rows between unbounded preceding and 1 preceding) then 0 else 1 end as fresh from (
      select a.value as x, a.machine, b.value as z, greatest(a.time, b.time) as since,
        least(least(a.time, b.time) + {period}, {{last}}) as until
      from (select *, floor(time / {period + 1}) as bin from {{temp}}) a
      join (select p.*, floor(time / {period + 1}) + d as bin from {{press}} p, (select -1 as d union all select 0 union all select 1) near) b
      on a.machine = b.machine and a.bin = b.bin and a.time <= b.time + {period} and b.time <= a.time + {period})))
group by x, machine, z, island"""
            },
            ("temp", "press"),
            sparse=True,
        ),
        "spread": Question(
            f"""
hot(M) :- temp(M, V) in [{reach}], V > 198.
warm(M) :- temp(M, V) in [{reach}], V > 190.
spread(M) :- hot(M).
spread(N) :- spread(M), next(M, N), warm(N).
#show spread/1.
""",
            {},
            sparse=True,
        ),
    }


def background_of(question: Question, machines: int = MACHINES) -> list[tuple[str, ...]]:
    """The background facts that a question needs: the machines, or which machine is next to which."""
    names = [f"m{i}" for i in range(machines)]
    if "machine(" in question.program:
        return [("machine", name) for name in names]
    return [("next", *pair) for pair in pairwise(names)] if "next(" in question.program else []


QUESTIONS = questions()
HISTORIES = tuple(name for name, question in QUESTIONS.items() if question.by_hand)
"""The questions that have SQL by hand."""
