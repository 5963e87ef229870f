"""A job as text, so that a checkpoint can say which rules made it: changed rules must know what the old ones derived."""

from __future__ import annotations

import json
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, assert_never

from laser.checks.load import parse
from laser.rules.selection import Selections, read_selection
from laser.settings import RunSettings
from laser.spark.job import Job
from laser.spark.layout import read_layout
from laser.spark.partition import ByKey, Lifted, Partition, PerKey, Whole
from laser.syntax.program import to_constant
from laser.ticks import Tick
from laser.values import Predicate, write_value
from laser.values.facts import parse_fact, read_value
from laser.windows import LastOf, Reach

__all__ = ["read_job", "write_job"]


def write_job(job: Job) -> str:
    """Everything that is needed to reason as the job does, and to compare it with another one."""
    content = {
        "rules": str(job.rules),
        "inputs": job.inputs.plain(),
        "outputs": job.outputs.plain(),
        "partition": _plain_partition(job.partition),
        "settings": _plain_settings(job.settings),
        "background": [str(atom) for atom in job.settings.background],
        "reach": [job.reach.ticks, job.reach.tuples, sorted(map(_plain_window, job.reach.latest))],
        "own": [str(atom) for atom in job.own_background],
        "streams": job.streams,
        "has_records": job.has_records,
        "selected": [[*predicate, selection.plain()] for predicate, selection in sorted(job.selected.items())],
        "complete_since": job.complete_since,
    }
    return json.dumps(content, ensure_ascii=False)


def read_job(text: str) -> Job:
    """The job that was written; what it needs is what it selected."""
    content: dict[str, Any] = json.loads(text)
    ticks, tuples, latest = content["reach"]
    return Job(
        rules=parse(content["rules"]),
        inputs=read_layout(content["inputs"]),
        outputs=read_layout(content["outputs"]),
        partition=_partition(content["partition"]),
        settings=_settings(content["settings"], content["background"]),
        reach=Reach(ticks, tuples, frozenset(_window(window) for window in latest)),
        own_background=tuple(map(parse_fact, content["own"])),
        streams=tuple(content["streams"]),
        has_records=content["has_records"],
        needed=_selections(content.get("selected", [])),  # earlier versions read all facts
        complete_since=content.get("complete_since", -1),
    )


def _selections(plain: Sequence[Any]) -> Selections:
    return {Predicate(name, arity): read_selection(selection) for name, arity, selection in plain}


def _plain_settings(settings: RunSettings) -> dict[str, Any]:
    return {
        "start": settings.start,
        "constants": {name: write_value(to_constant(value)) for name, value in settings.constants.items()},
        "tick": str(settings.tick.seconds),
        "limit": settings.limit,
        "dates": settings.dates,
        "warmup": settings.warmup,
        "zone": settings.zone,
    }


def _settings(plain: dict[str, Any], background: Sequence[str]) -> RunSettings:
    return RunSettings(
        start=plain["start"],
        background=tuple(map(parse_fact, background)),
        constants={name: read_value(text) for name, text in plain["constants"].items()},
        tick=Tick(Fraction(plain["tick"])).in_zone(plain["zone"]),
        limit=plain["limit"],
        dates=plain["dates"],
        warmup=plain["warmup"],
        zone=plain["zone"],
    )


def _plain_window(window: LastOf) -> list[Any]:
    return [window.size, *window.predicate, *window.per]


def _window(plain: Sequence[Any]) -> LastOf:
    size, name, arity, *per = plain
    return LastOf(size, Predicate(name, arity), tuple(per))


def _plain_partition(partition: Partition) -> list[Any]:
    match partition:
        case Whole():
            return ["whole"]
        case ByKey(buckets=buckets, positions=positions, drops_foreign=drops_foreign):
            return ["by key", buckets, [[*p, place] for p, place in positions.items()], drops_foreign]
        case Lifted(buckets=buckets, counts_keys=counts_keys, shared=shared):
            return ["lifted", buckets, counts_keys, sorted(shared)]
        case PerKey(buckets=buckets):
            return ["per key", buckets]
        case _:
            assert_never(partition)


def _partition(plain: Sequence[Any]) -> Partition:
    match plain:
        case ["whole"]:
            return Whole()
        case ["by key", buckets, positions, drops_foreign]:
            places = {Predicate(name, arity): place for name, arity, place in positions}
            return ByKey(buckets=buckets, positions=places, drops_foreign=drops_foreign)
        case ["lifted", buckets, counts_keys, shared]:
            predicates = frozenset(Predicate(name, arity) for name, arity in shared)
            return Lifted(buckets=buckets, counts_keys=counts_keys, shared=predicates)
        case ["per key", buckets]:
            return PerKey(buckets=buckets)
        case _:
            raise ValueError(f"{plain!r} is not a way to divide a stream")
