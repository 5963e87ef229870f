"""Checks whether changed rules can continue a stream, and from when on their answers are exact.

The log of a stream has all facts since some time that its rules selected. Changed rules can continue if that is enough for them: then
they are rebuilt from the log, as the old ones would be after a crash, and answer from the next time point on.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace

from laser.errors import StateError
from laser.phrases import count
from laser.rules.selection import Selections, covers
from laser.spark.job import Job
from laser.spark.layout import Layout
from laser.spark.partition import ByKey, Whole
from laser.spark.store import NOWHERE, Head
from laser.values import Predicate
from laser.windows import LastOf

__all__ = ["continued", "exact_from", "known_after", "unread_by", "with_former"]


def exact_from(old: Job, new: Job, heads: Sequence[Head], inexact: bool) -> int:
    """The time point from which on changed rules are exact if they continue a stream with these heads; StateError if they must not.

    With ``inexact``, that may be later than the next time point.
    """
    _refuse_other_stream(old, new)
    start, fed = max(head.start for head in heads), max(head.fed for head in heads)
    highest, known = max(head.highest for head in heads), max(head.known for head in heads)
    known = max(known, old.complete_since)
    unread = unread_by(old, new.inputs, new.needed)
    if unread and highest != NOWHERE:
        known = highest + 1
    is_whole = start == NOWHERE or known <= start
    columns = (*_column_faults(old.inputs, new.inputs), *_column_faults(old.outputs, new.outputs))
    for fault in (*columns, *_faults(old, new, unread, is_whole and not unread)):
        raise StateError(
            f"the rules were changed, but {fault}. Begin with a new checkpoint, or continue with the old rules"
        )
    need = new.reach.ticks
    first = fed + 1 if need is None or is_whole else max(fed + 1, known + need)
    if first > fed + 1 and not inexact:
        raise StateError(_what_is_missing(old, new, unread, known, first))
    return first


def unread_by(old: Job, inputs: Layout, selections: Selections) -> list[Predicate]:
    """The inputs with facts that are selected here and that an old job did not read, so that its log does not have them."""

    def is_read(predicate: Predicate) -> bool:
        read = predicate in old.inputs.tags
        return read and covers(old.selected.get(predicate), selections.get(predicate))

    return sorted(predicate for predicate in inputs.tags if not is_read(predicate))


def known_after(old: Job, new: Job, head: Head) -> int:
    """The time since which the log has all facts that a new job selects, where it goes on from an old one."""
    if unread_by(old, new.inputs, new.selected):
        return head.highest + 1
    return max(head.known, old.complete_since)


def continued(recorded: Job | None, job: Job, heads: Sequence[Head]) -> Job:
    """A job as its checkpoint must record it. It may have selected other facts before, when it had these heads: another version of
    Laser selects more or fewer facts for the same rules, and so does ``keep``. Without a record, it is taken to have kept none.
    """
    recorded = recorded or replace(job, keep=0)
    since = recorded.complete_since
    if unread_by(recorded, job.inputs, job.selected):
        since = max([since, *(head.highest + 1 for head in heads)])
    return replace(job, complete_since=since)


def with_former(job: Job, elders: Iterable[Job]) -> Job:
    """A job that can also report the end of atoms that only the old rules derived."""
    predicates = {columns.predicate: columns for elder in elders for columns in elder.outputs.predicates}
    former = [columns for predicate, columns in sorted(predicates.items()) if predicate not in job.outputs.tags]
    return replace(job, outputs=Layout.of((*job.outputs.predicates, *former)))


def _refuse_other_stream(old: Job, new: Job) -> None:
    """The stream itself must be the same."""
    settings = [
        ("inputs", list(old.streams), list(new.streams)),
        ("tick", str(old.settings.tick), str(new.settings.tick)),
        ("times as dates", old.settings.dates, new.settings.dates),
        ("start", old.settings.start, new.settings.start),
    ]
    for name, before, now in settings:
        if before != now:
            raise StateError(
                f"the checkpoint belongs to another stream: its {name} was {before}, and is now {now}. Begin with a new checkpoint"
            )


def _column_faults(old: Layout, new: Layout) -> Iterator[str]:
    """Predicates that both have must have the same columns, because sinks and the log have the old ones."""
    for columns in new.predicates:
        before = old.columns_of(columns.predicate) if columns.predicate in old.tags else columns
        if before.kinds != columns.kinds:
            yield f"the columns of {columns.predicate} would be {', '.join(columns.kinds)}, and were {', '.join(before.kinds)}"
        if before.names != columns.names:
            yield f"the columns of {columns.predicate} would be called {', '.join(columns.names)}, and were called {', '.join(before.names)}"


def _faults(old: Job, new: Job, unread: Collection[Predicate], has_everything: bool) -> Iterator[str]:
    """What new rules need and the log cannot give them, now or ever."""
    if not _is_divided_alike(old, new):
        yield "they divide the stream by another key, so the facts would lie in the wrong buckets"
    if new.reach.ticks is None and not has_everything:
        yield "they look back over the whole history, of which the log has only the last part"
    if new.partition.knows_keys and not old.partition.knows_keys and not has_everything:
        yield "they ask which keys exist, and the log does not have keys that have been silent for long"
    if new.reach.counts_facts and not old.reach.counts_facts:
        yield "they count facts in the order of arrival, which the log does not know"
    if new.reach.tuples > old.reach.tuples and not has_everything:
        yield f"they look at the last {count(new.reach.tuples, 'fact')}, of which the log has {old.reach.tuples}"
    if new.reach.tuples and new.inputs.tags.keys() != old.inputs.tags.keys():
        yield "they count the facts of other inputs"
    missing = [window for window in new.reach.latest if window.predicate in unread or not _is_kept(window, old)]
    if missing and not has_everything:
        yield f"they look at {missing[0].content}, however old, and the log does not have them"


def _is_divided_alike(old: Job, new: Job) -> bool:
    before, now = old.partition, new.partition
    if before.adds_key != now.adds_key or before.buckets != now.buckets:
        return False
    if before.buckets == 1 or before.adds_key:
        return True
    if isinstance(before, Whole) or isinstance(now, Whole):
        return False
    assert isinstance(before, ByKey)
    common = [columns.predicate for columns in new.inputs.predicates if columns.predicate in old.inputs.tags]
    return all(before.key_position(predicate) == now.key_position(predicate) for predicate in common)


def _is_kept(window: LastOf, old: Job) -> bool:
    """Whether the old rules had the same window, or a larger one."""
    same = [w for w in old.reach.latest if (w.predicate, w.per) == (window.predicate, window.per)]
    return any(w.size >= window.size for w in same)


def _what_is_missing(old: Job, new: Job, unread: Sequence[Predicate], known: int, first: int) -> str:
    tick, dated = new.settings.tick, new.settings.dates

    def time(point: int) -> str:
        return tick.to_text(point) if dated else str(point)

    others = [predicate for predicate in unread if predicate not in old.inputs.tags]
    which = (
        "which the old rules did not read" if others else "of which the old rules read only those that mattered to them"
    )
    facts = f"facts of {', '.join(map(str, others or unread))}, {which}," if unread else "facts"
    cure = (
        ""
        if others
        else ', or continue with the old rules and keep="…" (--keep) until enough facts are kept, and change the rules after that'
    )
    return (
        f"the new rules look back over {count(new.reach.ticks or 0, 'tick')}, but {facts} are kept only since "
        f"{time(known)}, so answers would be exact only from {time(first)} on. Allow that with inexact=True (--inexact){cure}"
    )
