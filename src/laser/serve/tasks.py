"""What a worker can be asked; each task takes and gives what JSON has."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypeAlias

from laser.checks.load import parse
from laser.checks.report import check
from laser.engine.reasoner import Reasoner
from laser.engine.run import step_through
from laser.errors import LaserError, ProgramError
from laser.io.formats import format_of_text
from laser.io.formats.format import Times
from laser.io.formats.text import TEXT
from laser.io.lines import Line
from laser.io.records import Malformed, Record, records_of
from laser.plot.model import Timeline
from laser.plot.reduce import reduce
from laser.plot.run import head_order, track
from laser.plot.tracks import make_timeline
from laser.serve.live_run import LiveRun, run_settings
from laser.settings import RunSettings
from laser.syntax.formatter import format_source
from laser.syntax.program import Program
from laser.values import Atom

__all__ = ["Worker"]

Message: TypeAlias = dict[str, Any]

COLUMNS, ROWS, GROUPS = 2000, 200, 300
"""How much of a timeline is shown; a page has no use for more."""
MOST_FINDINGS = 100


class Worker:
    """Answers requests; it keeps nothing between them but a live run, if it has one."""

    def __init__(self) -> None:
        self._live: LiveRun | None = None

    def answer(self, message: Message) -> Message:
        """The answer; what Laser refuses is an answer, too."""
        try:
            if str(message.get("task", "")).startswith("live-"):
                return self._answer_live(message)
            return TASKS[message["task"]](message)
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

    def _answer_live(self, message: Message) -> Message:
        if message["task"] == "live-open":
            self._live = LiveRun(message)
            return {"ok": True}
        if self._live is None:
            raise LaserError("there is no live stream here: open one first")
        if message["task"] == "live-take":
            return self._live.take(message["lines"], message["first"])
        return self._live.explain(message)


class Request:
    """What the page asks about: a program and a stream, read."""

    def __init__(self, message: Message) -> None:
        settings = run_settings(message)
        self.program_text = str(message.get("program", ""))
        self.records, self.stream_findings = _read_stream(str(message.get("stream", "")), settings)
        self.settings = replace(settings, dates=any(record.iso for record in self.records[:1]))

    @property
    def program(self) -> Program:
        return parse(self.program_text, folder=None)

    def reasoner(self) -> Reasoner:
        return Reasoner.of(self.program, self.settings)

    @property
    def stream(self) -> list[tuple[int, list[Atom]]]:
        return [(record.time, list(record.facts)) for record in self.records]


def _read_stream(text: str, settings: RunSettings) -> tuple[list[Record], list[Message]]:
    """The records of the text in the page, and the findings about what is malformed in it."""
    form = format_of_text(text)
    lines = (Line(number, line.rstrip("\r")) for number, line in enumerate(text.split("\n"), 1))
    items = list(records_of(form.read_lines(lines, form.parser(settings.tick)), settings.start))
    findings = [_finding(item) for item in items if isinstance(item, Malformed)]
    return [item for item in items if isinstance(item, Record)], findings


def _finding(item: Malformed) -> Message:
    return {"line": item.line, "severity": "error", "message": item.reason, "hint": None, "note": None}


def evaluate(message: Message) -> Message:
    """The findings about a program and a stream, and the timeline where there are no errors."""
    request = Request(message)
    streamed = {fact.signature for record in request.records for fact in record.facts}
    report = check(request.program_text, streamed or None, folder=None, tick=request.settings.tick)
    findings = report.to_json()["findings"][:MOST_FINDINGS]
    told = {
        "findings": findings,
        "stream_findings": request.stream_findings[:MOST_FINDINGS],
        "reach": str(report.reach or ""),
    }
    if not report.ok:
        return told
    reasoner = request.reasoner()
    tracks = track(reasoner, request.stream, request.settings.until)
    dates = request.settings.tick if reasoner.dates else None
    made = make_timeline(*tracks, None, head_order(request.program), dates)
    shown = _bounded(reduce(made, COLUMNS, ROWS))
    return {**told, "timeline": shown.to_json(), "reports": list(reasoner.reports), "facts": _count(request.records)}


def _bounded(made: Timeline) -> Timeline:
    return made if len(made.groups) <= GROUPS else replace(made, groups=made.groups[:GROUPS], reduced=True)


def _count(records: list[Record]) -> int:
    return sum(len(record.facts) for record in records)


def snapshot(message: Message) -> Message:
    """What is in the output at a time, and which facts came then."""
    request = Request(message)
    at = int(message["at"])
    reasoner = request.reasoner()
    for _ in step_through(reasoner, request.stream, at):
        pass
    facts = [fact for record in request.records if record.time == at for fact in record.facts]
    return {"holding": [str(atom) for atom in sorted(reasoner.holding())], "facts": list(map(str, facts))}


def explain(message: Message) -> Message:
    """Why an atom holds at a time, or why it does not."""
    from laser.serve.explanations import tell

    request = Request(message)
    return tell(request.program, request.stream, str(message["atom"]), int(message["at"]), request.settings)


def tidy(message: Message) -> Message:
    """The program in the house style, or in the other notation."""
    text, notation = str(message["program"]), message.get("notation")
    if notation in ("readable", "formal"):
        text = parse(text, folder=None).to_text(notation)
    return {"program": format_source(text, "<program>")}


def records(message: Message) -> Message:
    """A stream of any format as lines of text, one for each time point: what the page plays into a live stream."""
    request = Request(message)
    times = Times(request.settings.tick, request.settings.dates)
    lines = [TEXT.write_snapshot(times(record.time), record.facts) for record in request.records]
    return {"lines": lines}


TASKS: dict[str, Callable[[Message], Message]] = {
    "evaluate": evaluate,
    "snapshot": snapshot,
    "explain": explain,
    "tidy": tidy,
    "records": records,
}
