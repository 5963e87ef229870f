"""The ways to run a program over a stream. Each is a function from a case to the output at every time point; a new one is one entry."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from laser.checks.accept import accept
from laser.checks.load import parse
from laser.reference import answer_stream
from laser.settings import RunSettings
from laser.values import Atom
from tests.cases_reader import Answers, Case, read_lines


def by_reference(case: Case) -> Answers:
    core = accept(parse(case.program, case.name), RunSettings.read(case.settings.program))
    return dict(answer_stream(core, case.stream, case.settings.start, case.settings.until))


def by_run(case: Case) -> Answers:
    """The engine's snapshots."""
    from laser import run

    return dict(run(parse(case.program, case.name), case.stream, **case.settings.run))


def by_changes(case: Case) -> Answers:
    """The engine's changes, added up, with one `advance` for every time point that the stream names."""
    from laser import Reasoner

    settings = case.settings
    reasoner = Reasoner(parse(case.program, case.name), start=settings.start, **settings.program)
    changes = [c for time, facts in case.stream for c in reasoner.advance(time, facts)]
    if settings.until is not None:
        changes += reasoner.advance(settings.until)
    return dict(snapshots(changes, reasoner.start, reasoner.time))


def by_ticks(case: Case) -> Answers:
    """The engine, a tick at a time, a fact at a time, asked for its snapshot at the end of each tick."""
    from laser import Reasoner

    settings = case.settings
    reasoner = Reasoner(parse(case.program, case.name), start=settings.start, **settings.program)
    given = dict(case.stream)
    first = min(given) if settings.start is None else settings.start
    last = max([first, *given]) if settings.until is None else settings.until
    answers = {}
    for time in range(first, last + 1):
        for fact in [[], *([f] for f in given.get(time, []))]:
            reasoner.advance(time, fact)
        answers[time] = reasoner.holding()
    return answers


def by_intervals(case: Case) -> Answers:
    """The engine's intervals, spread out over their time points."""
    from laser import intervals

    answers: dict[int, set[Atom]] = {time: set() for time in case.expected}
    for atom, since, until in intervals(parse(case.program, case.name), case.stream, **case.settings.run):
        for time in range(since, until + 1):
            answers[time].add(atom)
    return {time: frozenset(atoms) for time, atoms in answers.items()}


def by_cli(case: Case) -> Answers:
    """The command line, from files."""
    from click.testing import CliRunner

    from laser.cli import main

    settings = case.settings
    with TemporaryDirectory() as directory:
        background = Path(directory) / "background.lars"
        background.write_text("".join(f"{atom}.\n" for atom in settings.background), "utf-8")
        arguments = [
            "eval",
            str(case.path),
            str(case.path.with_suffix(".stream")),
            "--as",
            "snapshots",
            "--quiet",
            "--times",
            "int",
        ]
        arguments += ["--tick", settings.tick, "--background", str(background)]
        arguments += [f"--const={name}={value}" for name, value in settings.constants.items()]
        arguments += [] if settings.start is None else ["--start", str(settings.start)]
        arguments += [] if settings.until is None else ["--until", str(settings.until)]
        result = CliRunner().invoke(main, arguments, catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return {time: frozenset(facts) for time, facts in read_lines(result.stdout)}


def snapshots(changes: list, start: int | None, last: int | None) -> Iterator[tuple[int, frozenset[Atom]]]:
    """Add up changes to the output at every time point of [start, last]."""
    if start is None or last is None:
        return
    holding: set[Atom] = set()
    pending = list(reversed(changes))
    for time in range(start, last + 1):
        while pending and pending[-1].time == time:
            change = pending.pop()
            assert (change.atom in holding) is not change.holds, f"{change} changes nothing"
            (holding.add if change.holds else holding.discard)(change.atom)
        yield time, frozenset(holding)
    assert not pending, f"changes are out of order or out of the timeline: {pending}"


EXECUTORS: dict[str, Callable[[Case], Answers]] = {
    "reference": by_reference,
    "run": by_run,
    "changes": by_changes,
    "ticks": by_ticks,
    "intervals": by_intervals,
    "cli": by_cli,
}
