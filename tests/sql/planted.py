"""Mistakes planted into the SQL, each with a history that finds it. Random histories found most of them, and were made small."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import NamedTuple
from unittest import mock

from laser.sql.duck import Duck
from laser.sql.lower import Statement
from laser.syntax.parser import parse_tree
from tests.cases_reader import read_lines, read_settings
from tests.sql.laws import check
from tests.strategies import Trial


class Mistake(NamedTuple):
    """What is replaced by what, as regular expressions, and a history that finds it."""

    what: str
    pattern: str
    replacement: str
    program: str
    stream: str


MISTAKES = (
    Mistake("touching intervals stay apart", r"c > before \+ 1", "c > before", "q(X) :- a(X).", "6: a(1).\n7: a(1)."),
    Mistake(
        "a gap of one time point is bridged",
        r"c > before \+ 1",
        "c > before + 2",
        "q(X) :- a(X).",
        "6: a(1).\n8: a(1).",
    ),
    Mistake(
        "an island ends where the last one does",
        r"coalesce\(lead\(before\) over \([^)]*\), final\)",
        "final",
        "q(X) :- b(X).",
        "8: b(2).\n12: b(2).",
    ),
    Mistake(
        "what is absent has no gaps, and is lost",
        r"where not exists",
        "where 1 = 0 and not exists",
        "q(X, Y) :- a(X, Y), not b(X).",
        "7: a(1, 1).\n8: b(2).",
    ),
    Mistake(
        "a gap begins a time point early",
        r"h \+ 1 as c, coalesce",
        "h as c, coalesce",
        "q(X, Y) :- a(X, Y) in [9], not b(X) in [1].",
        "% until 12\n1: a(1, 2).\n4: b(1).",
    ),
    Mistake(
        "nothing is left after the last interval of what is negated",
        r"- 1, \d+ \+ 1\) as h",
        "- 1, -1) as h",
        "q(X, Y) :- a(X, Y) in [9], not b(X).",
        "% until 12\n1: a(1, 2).\n4: b(1).",
    ),
    Mistake(
        "nothing is left before the first interval of what is negated",
        r"min\(c\) - 1 as h",
        "-1 as h",
        "q(X, Y) :- a(X, Y) in [9], not b(X).",
        "% until 12\n1: a(1, 2).\n4: b(1).",
    ),
    Mistake(
        "a pinned atom counts before its time",
        r"greatest\(c, a(\d+)\) as c",
        "c as c",
        "@(T + 1) p(X) :- a(X) at T in [0 .. 4 ago].",
        "% start 2\n4: a(1).\n6: .",
    ),
    Mistake(
        "a pinned atom never leaves its window",
        r"least\(h, least\(\(a\d+ \+ \d+\), \d+\)\) as h",
        "h as h",
        "@4 p(3) :- a in [2]. r(Z, Z) :- p(Z) in [30].",
        "% until 35\n0: .\n34: a.",
    ),
    Mistake(
        "a run at the start of the timeline counts as any other",
        r"case when c = \d+ then c else (c \+ \d+) end",
        r"\1",
        "q :- a always in [3].",
        "% start 0\n0: a.\n1: a.",
    ),
    Mistake(
        "a window that is not full yet is never filled",
        r"and k < \d+",
        "and false",
        "q :- a always in [1 .. 3 ago].",
        "% start 0\n% until 4\n0: a.",
    ),
    Mistake(
        "a pair is found in every bin that it shares",
        r"\w+\.bin = (greatest\([^)]*\)|\w+\.c) // \w+\.width",
        "true",
        "q(X, Y) :- a(X) in [9], b(Y) in [9].",
        "% until 20\n3: a(1).\n4: b(2).",
    ),
    Mistake(
        "the last bin is forgotten",
        r"// w\.width \+ 1\)\)",
        "// w.width))",
        "q(X, Y) :- a(X) in [9], b(Y) in [9].",
        "% start 0\n% until 30\n8: a(1).\n12: b(2).",
    ),
    Mistake(
        "a sweep takes the begin of one part for the begin of all",
        r"held = 2",
        "held >= 1",
        "q(X) :- a(X) in [4], b(X) in [4].",
        "% until 12\n1: a(1).\n3: b(1).",
    ),
    Mistake(
        "a sweep ends a time point late",
        r"then r\.c else r\.h \+ 1 end",
        "then r.c else r.h + 2 end",
        "q(X) :- a(X) in [4], b(X) in [4].",
        "% until 12\n1: a(1).\n3: b(1).",
    ),
    Mistake(
        "a sweep takes each of several changes at a time for the last",
        r" and following > t",
        "",
        "q(X) :- a(X) in [4], b(X) in [4].",
        "% start 0\n% until 12\n1: a(1), b(1).",
    ),
    Mistake(
        "silence goes on when the next fact has come",
        r"coalesce\(following - 1, \d+\)",
        "coalesce(following, 99)",
        "q(X) :- a(X) in [9], not a(X) in [1].",
        "% until 12\n1: a(1).\n5: a(1).",
    ),
    Mistake(
        "silence begins with the last time point that counts",
        r"u \+ 2 as c",
        "u + 1 as c",
        "q(X) :- a(X) in [9], not a(X) in [1].",
        "% until 12\n1: a(1).\n5: a(1).",
    ),
    Mistake(
        "a tuple counts a time point longer than it is there",
        r"r\.c else r\.h \+ 1 end as t, e\.d, 0",
        "r.c else r.h + 2 end as t, e.d, 0",
        "q(N) :- N = count(X : a(X) in [2]).",
        "% until 12\n1: a(1).\n3: a(2).",
    ),
    Mistake(
        "the largest value is that of tuples that have ended",
        r"and s\.c <= r\.h",
        "",
        "q(N) :- N = max(X : a(X) in [2]).",
        "% start 0\n% until 12\n1: a(7).\n3: a(2).\n9: a(1).",
    ),
    Mistake(
        "a sum forgets what has ended",
        r"else - cast",
        "else cast",
        "q(N) :- N = sum(X : a(X) in [2]).",
        "% until 12\n1: a(7).\n3: a(2).",
    ),
    Mistake(
        "values of different types are compared by their numbers",
        r"\)\.k = \([^)]*\)\.k and",
        ").k is not null and",
        "q(X, Y) :- a(X), b(Y), X < Y.",
        "1: a(1), a(x), b(2), b(y).",
    ),
    Mistake(
        "a rule fires where an operation is not defined",
        r"\(.*\) is not null",
        "true",
        "q(X) :- a(X), Y = X / 0.",
        "1: a(1).",
    ),
    Mistake(
        "a hopping window enters a step late",
        r"// (\d+) \* (\d+)\)(,| as c)",
        r"// \1 * \2 + \2)\3",
        "q :- a in [2 every 3].",
        "0: a.\n4: a.\n12: .",
    ),
    Mistake(
        "an integer stands for a double beside strings",
        r"'k': cast\(0 as tinyint\)",
        "'k': cast(1 as tinyint)",
        "q(X) :- a(X). q(X) :- b(X).",
        "1: a(1), b(x).",
    ),
)


def trial_of(mistake: Mistake) -> Trial:
    settings = read_settings(mistake.stream)
    return Trial(parse_tree(mistake.program), list(read_lines(mistake.stream)), settings.start, settings.until)


@contextmanager
def planted(mistake: Mistake) -> Iterator[list[int]]:
    """Run with a mistake; the list tells how many statements it changed."""
    make, changed = Duck._make, [0]

    def wrong(text: str) -> str:
        new = re.sub(mistake.pattern, mistake.replacement, text)
        changed[0] += new != text
        return new

    def mistaken(duck: Duck, statement: Statement) -> None:
        asides = tuple(replace(aside, query=wrong(aside.query)) for aside in statement.asides)
        make(duck, replace(statement, query=wrong(statement.query), asides=asides))

    with mock.patch.object(Duck, "_make", mistaken):
        yield changed


def finds(mistake: Mistake, trial: Trial) -> bool:
    """Whether a history has other answers with the mistake, and the right ones without."""
    assert check(trial) == "whole"
    with planted(mistake) as changed:
        try:
            check(trial)
        except AssertionError:
            return True
    assert changed[0], f"{mistake.pattern} occurs in no statement"
    return False
