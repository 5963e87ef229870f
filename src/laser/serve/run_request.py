"""What a request asks to run: a program, a stream or a table, and the settings of a run."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from functools import cached_property
from typing import Any, TypeAlias

from laser.checks.load import parse
from laser.engine.driver import wall_clock
from laser.engine.reasoner import Reasoner
from laser.errors import ProgramError
from laser.io.ahead import Ahead
from laser.io.declared_tables import TableOptions
from laser.io.dialect import read_dialect
from laser.io.formats import TEXT, format_of_text
from laser.io.formats.csv import read_field
from laser.io.lines import Line
from laser.io.pasted import table_of_text
from laser.io.read import of_declared_types
from laser.io.records import Malformed, Record, records_of
from laser.io.table_input import TableFile
from laser.io.tables import table_items
from laser.serve.settings import Limits
from laser.settings import RunSettings
from laser.syntax.program import Program
from laser.ticks import OFF, Tick, read_length
from laser.values import Atom
from laser.values.time import texts_in

__all__ = ["Message", "RunRequest", "run_settings"]

Message: TypeAlias = dict[str, Any]

_IN_DIALECT = ("delimiter", "encoding", "decimal")


def run_settings(message: Message, zone: str | None = None) -> RunSettings:
    """The settings of a request, where an empty text means the default; ``zone`` is that of the program."""
    said = message.get("zone") or None
    tick = Tick.parse(message.get("tick") or "1 s").in_zone(zone or said)
    start, until = (tick.from_text(str(message[name])) if message.get(name) else None for name in ("start", "until"))
    with texts_in(tick.zone):
        background = tuple(
            fact for line in str(message.get("background") or "").split("\n") for fact in TEXT.parse_background(line)
        )
        constants = {name: read_field(text) for name, text in (message.get("constants") or {}).items()}
    return RunSettings(
        start=start,
        until=until,
        background=background,
        constants=constants,
        tick=tick,
        limit=int(message.get("limit", Limits().derivations)),
        zone=said,
    )


class RunRequest:
    """A program and a stream, parsed; malformed records of the stream are kept beside it."""

    def __init__(self, message: Message) -> None:
        self.program_text = str(message.get("program", ""))
        known = self._known()
        settings = run_settings(message, None if known is None else known.zone)
        items = _items(str(message.get("stream", "")), known, settings, message.get("table") or {})
        self.malformed = [item for item in items if isinstance(item, Malformed)]
        self.records = [item for item in items if isinstance(item, Record)]
        self.settings = replace(settings, dates=any(record.iso for record in self.records[:1]))

    def _known(self) -> Program | None:
        """The program, if it has no errors; they are reported elsewhere."""
        try:
            return self.program
        except ProgramError:
            return None

    @cached_property
    def program(self) -> Program:
        return parse(self.program_text, folder=None)

    def reasoner(self) -> Reasoner:
        return Reasoner.of(self.program, self.settings)

    @property
    def stream(self) -> list[tuple[int, list[Atom]]]:
        return [(record.time, list(record.facts)) for record in self.records]


def _items(
    text: str, program: Program | None, settings: RunSettings, options: dict[str, str]
) -> list[Record | Malformed]:
    """The records of the text in the page, and its malformed ones."""
    table = None if program is None else _table(text, program, settings, options)
    with texts_in(settings.tick.zone):
        if table is not None:
            found = table_items(table, settings.tick, _ahead(options.get("max_ahead"), settings.tick))
            return [item for item in found if isinstance(item, Malformed) or _within(item.time, settings)]
        form = format_of_text(text)
        lines = (Line(number, line.rstrip("\r")) for number, line in enumerate(text.split("\n"), 1))
        entries = form.read_lines(lines, form.parser(settings.tick))
        if program is not None and program.inputs:
            entries = of_declared_types(entries, program.inputs, settings.tick.zone)
        return list(records_of(entries, settings.start))


def _table(text: str, program: Program, settings: RunSettings, options: dict[str, str]) -> TableFile | None:
    dialect = read_dialect(**{name: options[name] for name in _IN_DIALECT if name in options})
    wanted = TableOptions(time=options.get("time"), predicate=options.get("predicate"), dialect=dialect)
    return table_of_text(text, program, settings, wanted, options.get("input", ""))


def _ahead(words: str | None, tick: Tick) -> Ahead | None:
    """Which dates are refused."""
    if words is None or words == OFF:
        return None
    limit = timedelta(seconds=float(read_length(words, tick, "max_ahead")))
    return Ahead(tick, wall_clock, limit, words)


def _within(time: int, settings: RunSettings) -> bool:
    return settings.start is None or time >= settings.start
