"""What a user of the package writes; type checkers read it and must agree with every annotation."""

from collections.abc import Iterator

import laser

program = laser.parse("warm(M) :- temp(M, V) in [3], V >= 90.")
reasoner: laser.Reasoner = laser.Reasoner(program, start=0)
held: frozenset[laser.Atom] = reasoner.holding()
when: int | None = reasoner.next_wake


def onsets() -> Iterator[tuple[int, laser.Atom]]:
    for change in reasoner.advance(1, ["temp(oven, 95)", ("temp", "press", 40)]):
        time: int = change.time
        if change.holds:
            yield time, change.atom


def spans() -> list[laser.Interval]:
    return list(laser.intervals(program, [(1, ["temp(oven, 95)"])]))


def explained() -> str:
    try:
        return laser.explain(program, [(1, ["temp(oven, 95)"])], "warm(oven)", time=1).to_text()
    except laser.LaserError as error:
        return str(error)
