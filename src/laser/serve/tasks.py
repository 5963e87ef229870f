"""What a worker can be asked; each task takes and gives what JSON has."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from laser.checks.load import parse
from laser.checks.report import check
from laser.engine.reasoner import Reasoner
from laser.engine.run import drive
from laser.errors import LaserError, ProgramError
from laser.io.records import Record
from laser.plot.model import Timeline
from laser.plot.reduce import reduce
from laser.plot.run import head_order, track
from laser.plot.tracks import make_timeline
from laser.serve.live_run import LiveTask
from laser.serve.source import divide, guess_format, read_items_of
from laser.syntax.formatter import format_source
from laser.syntax.program import Program
from laser.ticks import Tick
from laser.values import Atom

__all__ = ["Worker"]

Message: TypeAlias = dict[str, Any]

COLUMNS, ROWS, GROUPS = 2000, 200, 300
"""How much of a timeline is shown; a page has no use for more."""
MOST_FINDINGS = 100


class Worker:
    """Answers requests; it keeps nothing between them but a live run, if it has one."""

    def __init__(self) -> None:
        self._live: LiveTask | None = None

    def answer(self, request: Message) -> Message:
        """The answer; what Laser refuses is an answer, too."""
        try:
            if str(request.get("task", "")).startswith("live-"):
                return self._answer_live(request)
            return TASKS[request["task"]](request)
        except ProgramError as error:
            return {"error": {"kind": "program", "message": str(error)}}
        except LaserError as error:
            return {"error": {"kind": "refused", "message": str(error)}}
        except RecursionError:
            return {"error": {"kind": "refused", "message": "it is nested too deeply"}}
        except MemoryError:
            raise
        except Exception as error:  # a mistake of ours must not take the page down
            return {
                "error": {"kind": "internal", "message": f"a mistake in Laser itself: {type(error).__name__}: {error}"}
            }

    def _answer_live(self, request: Message) -> Message:
        match request["task"]:
            case "live-open":
                self._live = LiveTask(request)
                return {"ok": True}
            case "live-take":
                assert self._live is not None
                return self._live.take(request["lines"], request["first"])
            case _:
                assert self._live is not None
                return self._live.explain(request)


class Given:
    """A request's program and stream, read."""

    def __init__(self, request: Message) -> None:
        self.tick = Tick.parse(request.get("tick") or "1 s")
        self.start = _time(request.get("start"), self.tick)
        self.until = _time(request.get("until"), self.tick)
        self.limit = int(request.get("limit", 200_000))
        self.program_text = str(request.get("program", ""))
        text = str(request.get("stream", ""))
        items = read_items_of(text, guess_format(text), self.tick, self.start)
        self.records, self.stream_findings = divide(items)

    @property
    def program(self) -> Program:
        return parse(self.program_text)

    def reasoner(self) -> Reasoner:
        return Reasoner(self.program, self.start, tick=self.tick, limit=self.limit)

    @property
    def stream(self) -> list[tuple[int, list[Atom]]]:
        return [(record.time, list(record.facts)) for record in self.records]

    @property
    def dates(self) -> bool:
        return any(record.iso for record in self.records[:1])


def _time(text: Any, tick: Tick) -> int | None:
    return None if text in (None, "") else tick.from_text(str(text))


def evaluate(request: Message) -> Message:
    """The findings about a program and a stream, and the timeline where there are no errors."""
    given = Given(request)
    streamed = {fact.signature for record in given.records for fact in record.facts}
    report = check(given.program_text, streamed or None, tick=given.tick)
    findings = report.to_json()["findings"][:MOST_FINDINGS]
    told = {
        "findings": findings,
        "stream_findings": given.stream_findings[:MOST_FINDINGS],
        "reach": str(report.reach or ""),
    }
    if not report.ok:
        return told
    reasoner = given.reasoner()
    tracks = track(reasoner, given.stream, given.until)
    made = make_timeline(*tracks, None, head_order(given.program), given.tick if given.dates else None)
    shown = _bounded(reduce(made, COLUMNS, ROWS))
    return {**told, "timeline": shown.to_json(), "reports": list(reasoner.reports), "facts": _count(given.records)}


def _bounded(made: Timeline) -> Timeline:
    from dataclasses import replace

    return made if len(made.groups) <= GROUPS else replace(made, groups=made.groups[:GROUPS], reduced=True)


def _count(records: list[Record]) -> int:
    return sum(len(record.facts) for record in records)


def snapshot(request: Message) -> Message:
    """What is in the output at a time, and which facts came then."""
    given = Given(request)
    at = int(request["at"])
    reasoner = given.reasoner()
    for _ in drive(reasoner, given.stream, at):
        pass
    facts = [fact for record in given.records if record.time == at for fact in record.facts]
    return {"holding": [str(atom) for atom in sorted(reasoner.holding())], "facts": list(map(str, facts))}


def explain(request: Message) -> Message:
    """Why an atom holds at a time, or why it does not."""
    from laser.serve.explanations import tell

    given = Given(request)
    return tell(given.program, given.stream, str(request["atom"]), int(request["at"]), given.start, given.tick)


def tidy(request: Message) -> Message:
    """The program in the house style, or in the other notation."""
    text, notation = str(request["program"]), request.get("notation")
    if notation in ("readable", "formal"):
        text = parse(text).to_text(notation)
    return {"program": format_source(text, "<program>")}


TASKS: dict[str, Callable[[Message], Message]] = {
    "evaluate": evaluate,
    "snapshot": snapshot,
    "explain": explain,
    "tidy": tidy,
}
