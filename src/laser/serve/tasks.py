"""The tasks of a worker; their arguments and results are JSON values."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from laser.checks.load import parse
from laser.checks.report import check
from laser.engine.run import step_through
from laser.errors import LaserError, ProgramError
from laser.io.formats.format import Times
from laser.io.formats.text import TEXT
from laser.io.records import Malformed, Record
from laser.plot.model import Timeline
from laser.plot.reduce import reduce
from laser.plot.run import head_order, track
from laser.plot.tracks import make_timeline
from laser.serve.live_run import LiveRun
from laser.serve.run_request import Message, RunRequest
from laser.syntax.formatter import format_source
from laser.values.time import texts_in

__all__ = ["Worker"]

COLUMNS, ROWS, GROUPS = 2000, 200, 300
"""How much of a timeline is shown; more does not fit on a page."""
MOST_FINDINGS = 100


class Worker:
    """Answers requests. It keeps nothing between them except a live run, if it has one."""

    def __init__(self) -> None:
        self._live: LiveRun | None = None

    def answer(self, message: Message) -> Message:
        """The answer; if Laser refuses the input, the answer is the error."""
        try:
            if str(message.get("task", "")).startswith("live-"):
                return self._answer_live(message)
            return _answer(message)
        except ProgramError as error:
            return {"error": {"kind": "program", "message": str(error)}}
        except LaserError as error:
            return {"error": {"kind": "refused", "message": str(error)}}
        except RecursionError:
            return {"error": {"kind": "refused", "message": "it is nested too deeply"}}
        except MemoryError:
            raise
        except Exception as error:  # an error in Laser must not stop the page
            return {
                "error": {
                    "kind": "internal",
                    "message": f"an error in Laser itself, please report it: {type(error).__name__}: {error}",
                }
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


def _answer(message: Message) -> Message:
    if message["task"] == "tidy":
        return tidy(message)
    request = RunRequest(message)
    with texts_in(request.settings.tick.zone):
        return RUNS[message["task"]](request, message)


def _finding(item: Malformed) -> Message:
    return {"line": item.line, "severity": "error", "message": item.reason, "hint": None, "note": None}


def evaluate(request: RunRequest, _: Message) -> Message:
    """The findings about a program and a stream, and the timeline if there are no errors."""
    streamed = {fact.signature for record in request.records for fact in record.facts}
    settings = request.settings
    report = check(
        request.program_text,
        streamed or None,
        folder=None,
        constants=settings.constants,
        background=settings.background,
        tick=settings.tick,
    )
    findings = report.to_json()["findings"][:MOST_FINDINGS]
    told = {
        "findings": findings,
        "stream_findings": list(map(_finding, request.malformed[:MOST_FINDINGS])),
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


def snapshot(request: RunRequest, message: Message) -> Message:
    """The output at a time, and the facts that arrived then."""
    at = int(message["at"])
    reasoner = request.reasoner()
    for _ in step_through(reasoner, request.stream, at):
        pass
    facts = [fact for record in request.records if record.time == at for fact in record.facts]
    return {"holding": [str(atom) for atom in sorted(reasoner.holding())], "facts": list(map(str, facts))}


def explain(request: RunRequest, message: Message) -> Message:
    """Why an atom holds at a time, or why it does not."""
    from laser.serve.explanations import tell

    return tell(request.program, request.stream, str(message["atom"]), int(message["at"]), request.settings)


def tidy(message: Message) -> Message:
    """The formatted program, possibly in the other notation."""
    text, notation = str(message["program"]), message.get("notation")
    if notation in ("readable", "formal"):
        text = parse(text, folder=None).to_text(notation)
    return {"program": format_source(text, "<program>")}


def records(request: RunRequest, _: Message) -> Message:
    """A stream of any format as lines of text, one for each time point. The page plays them into a live stream."""
    times = Times(request.settings.tick, request.settings.dates)
    lines = [TEXT.write_snapshot(times(record.time), record.facts) for record in request.records]
    return {"lines": lines}


RUNS: dict[str, Callable[[RunRequest, Message], Message]] = {
    "evaluate": evaluate,
    "snapshot": snapshot,
    "explain": explain,
    "records": records,
}
"""Tasks about a program and a stream."""
