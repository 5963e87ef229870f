"""``#zone`` must name a single zone: the zone of the run, in which time points begin at midnight."""

from __future__ import annotations

from collections.abc import Iterator

from laser.checks.subject import Subject
from laser.errors import Diagnostic, ProgramError, TimeError
from laser.settings import RunSettings
from laser.syntax import tree
from laser.syntax.program import Program
from laser.zones import check_tick, zone_of

__all__ = ["bad_zone", "refuse_zone"]

NOTE = "a program has one time zone, given by its name in the time zone database or by its offset"

HINT = "do not set a zone for the run; on Spark, set spark.sql.session.timeZone to the zone of the program"


def bad_zone(subject: Subject) -> Iterator[Diagnostic]:
    """A zone that does not exist, or a second zone."""
    named: list[str] = []
    for directive in _directives(subject.program):
        if named and named[0] != directive.name:
            message = f'the program sets two time zones, "{named[0]}" and "{directive.name}"'
            yield Diagnostic("bad-zone", message, directive.span, NOTE, "remove one of the two")
        named.append(directive.name)
        try:
            zone_of(directive.name)
        except TimeError:
            message = f'there is no time zone "{directive.name}"'
            hint = 'write a name such as `#zone "Europe/Vienna".`, or an offset such as `#zone "+01:00".`'
            yield Diagnostic("bad-zone", message, directive.span, NOTE, hint)


def refuse_zone(program: Program, settings: RunSettings) -> None:
    """Raise ProgramError if a run has another zone than its program, or a tick that does not fit the zone."""
    for directive in _directives(program):
        finding = _misfit(directive, settings)
        if finding is not None:
            raise ProgramError([program.located(finding)], program.source, program.name)


def _misfit(directive: tree.ZoneDirective, settings: RunSettings) -> Diagnostic | None:
    zone = zone_of(directive.name)
    if settings.zone is not None and zone_of(settings.zone) != zone:
        message = f'the program sets the time zone "{directive.name}", but the run sets "{settings.zone}"'
        return Diagnostic("bad-zone", message, directive.span, NOTE, HINT)
    try:
        check_tick(settings.tick.seconds, zone)
    except TimeError as error:
        return Diagnostic("bad-zone", str(error), directive.span, "the tick must divide the offsets of the time zone")
    return None


def _directives(program: Program) -> list[tree.ZoneDirective]:
    return [statement for statement in program.statements if isinstance(statement, tree.ZoneDirective)]
