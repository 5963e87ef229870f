"""The checks of a program before it runs: one check per file, listed here in the order in which they run."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any, TypeAlias

from laser.checks.aggregate_cycle import aggregate_cycle
from laser.checks.bad_constant import bad_constant
from laser.checks.bad_expression import bad_expression
from laser.checks.bad_quantile import bad_quantile
from laser.checks.bad_range import bad_range
from laser.checks.bad_times import bad_times
from laser.checks.bad_warmup import bad_warmup
from laser.checks.bad_zone import bad_zone
from laser.checks.duplicate_constant import duplicate_constant
from laser.checks.duplicate_input import duplicate_input
from laser.checks.each_value_counts import each_value_counts
from laser.checks.empty_groups import empty_groups
from laser.checks.empty_range import empty_range
from laser.checks.equal_values import equal_values
from laser.checks.key_not_argument import key_not_argument
from laser.checks.misplaced_aggregate import misplaced_aggregate
from laser.checks.negative_loop import negative_loop
from laser.checks.never_fires import never_fires
from laser.checks.no_history import no_history
from laser.checks.no_value import no_value
from laser.checks.no_whole_ticks import no_whole_ticks
from laser.checks.range_outside_fact import range_outside_fact
from laser.checks.range_too_large import range_too_large
from laser.checks.record_unknown import record_unknown
from laser.checks.recursive_group import recursive_group
from laser.checks.show_unknown import show_unknown
from laser.checks.single_variable import single_variable
from laser.checks.subject import Subject
from laser.checks.tuple_window_over_derived import tuple_window_over_derived
from laser.checks.two_arities import two_arities
from laser.checks.unknown_constant import unknown_constant
from laser.checks.unknown_predicate import unknown_predicate
from laser.checks.unsafe_variable import unsafe_variable
from laser.checks.variable_in_fact import variable_in_fact
from laser.checks.whole_history import whole_history
from laser.checks.window_size import window_size
from laser.errors import Diagnostic, ProgramError
from laser.syntax.program import Program
from laser.ticks import SECOND, Tick
from laser.values import Predicate

__all__ = ["CHECKS", "ERRORS", "RUN_CHECKS", "WARNINGS", "find", "refuse", "refuse_run"]

Check: TypeAlias = Callable[[Subject], Iterable[Diagnostic]]

ERRORS: tuple[Check, ...] = (
    # These refuse the program.
    duplicate_constant,
    duplicate_input,
    bad_zone,
    bad_warmup,
    unknown_constant,
    bad_constant,
    variable_in_fact,
    no_value,
    bad_range,
    range_outside_fact,
    range_too_large,
    window_size,
    key_not_argument,
    bad_times,
    bad_quantile,
    bad_expression,
    no_whole_ticks,
    misplaced_aggregate,
    unsafe_variable,
    aggregate_cycle,
    recursive_group,
    tuple_window_over_derived,
    negative_loop,
)

WARNINGS: tuple[Check, ...] = (
    # Legal, but rarely intended.
    two_arities,
    unknown_predicate,
    show_unknown,
    record_unknown,
    empty_range,
    never_fires,
    no_history,
    whole_history,
    each_value_counts,
    equal_values,
    empty_groups,
    single_variable,
)


CHECKS = ERRORS + WARNINGS

RUN_CHECKS: tuple[Check, ...] = (
    # An accepted program can still fail these, because of the constants and the tick of a run.
    unknown_constant,
    bad_constant,
    no_value,
    bad_range,
    range_outside_fact,
    range_too_large,
    window_size,
    key_not_argument,
    bad_times,
    bad_quantile,
    bad_expression,
    no_whole_ticks,
    bad_warmup,
)


def refuse_run(program: Program, constants: Mapping[str, Any], tick: Tick) -> None:
    """Raise ProgramError if a program cannot run with these constants and this tick."""
    _refuse(RUN_CHECKS, Subject(program, None, dict(constants), tick))


def refuse(program: Program) -> None:
    """Raise ProgramError if no run can accept a program. The tick is not checked here, because the run sets it."""
    _refuse(ERRORS, Subject(program))


def _refuse(checks: tuple[Check, ...], subject: Subject) -> None:
    if errors := _findings(checks, subject):
        raise ProgramError(errors, subject.program.source, subject.program.name)


def find(
    program: Program,
    inputs: Collection[Predicate] | None = None,
    constants: Mapping[str, Any] | None = None,
    tick: Tick | None = SECOND,
    background: Iterable[Predicate] = (),
) -> list[Diagnostic]:
    """All errors and warnings, sorted by place. Without a tick, durations are not checked against it."""
    known = None if inputs is None else frozenset(inputs)
    return _findings(CHECKS, Subject(program, known, dict(constants or {}), tick, frozenset(background)))


def _findings(checks: tuple[Check, ...], subject: Subject) -> list[Diagnostic]:
    """The findings sorted by place, without duplicates: two rules that come from one ``or`` can have the same finding."""
    found = dict.fromkeys(finding for check in checks for finding in check(subject))
    return [subject.program.located(finding) for finding in sorted(found, key=_place)]


def _place(finding: Diagnostic) -> tuple[int, int, str]:
    span = finding.span
    return (span.line, span.column, finding.code) if span else (0, 0, finding.code)
