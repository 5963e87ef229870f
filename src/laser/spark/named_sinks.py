"""The sinks of a pipeline."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from laser import pipeline
from laser.errors import LaserError
from laser.spark.answers import Answers
from laser.spark.delta_sink import DeltaSink
from laser.spark.kafka_sink import KafkaSink
from laser.spark.postgres_sink import PostgresSink
from laser.spark.sink import FormatSink, FunctionSink, Sink, load_function
from laser.spark.tables import spark_output_format

__all__ = ["check_predicates", "read_sinks"]

_SERVERS = "kafka.bootstrap.servers"


def read_sinks(given: Mapping[str, pipeline.Sink]) -> list[tuple[Sink, Sequence[str]]]:
    """The sinks with the predicates of each; LaserError if one is not possible."""
    return [(_sink(f"sinks.{name}", each), each.predicates) for name, each in given.items()]


def _sink(where: str, given: pipeline.Sink) -> Sink:
    options = {name: _option(value) for name, value in given.options.items()}
    if given.call:
        return FunctionSink(load_function(given.call))
    match given.format:
        case "kafka":
            servers, topic = (_taken(where, options, name) for name in (_SERVERS, "topic"))
            return KafkaSink(servers, topic, options)
        case "postgresql" | "postgres":
            url = _taken(where, options, "url")
            schema = options.pop("schema", "public")
            if options:
                raise LaserError(
                    f"{where}: PostgreSQL has no option {next(iter(options))}; its options are url and schema"
                )
            return PostgresSink(url, schema)
        case "delta":
            if not given.path:
                raise LaserError(f"{where} needs a path, the directory of its tables")
            return DeltaSink(given.path, options)
        case form:
            return FormatSink(spark_output_format(form), given.path, options)


def _taken(where: str, options: dict[str, str], name: str) -> str:
    if name not in options:
        raise LaserError(f'{where} needs the option "{name}"')
    return options.pop(name)


def _option(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def check_predicates(given: Mapping[str, pipeline.Sink], answers: Answers) -> None:
    """LaserError if a sink names a predicate that the program does not derive."""
    for name, each in given.items():
        unknown = next((predicate for predicate in each.predicates if predicate not in answers), None)
        if unknown is not None:
            raise LaserError(f"sinks.{name}: the program does not derive {unknown}; it derives {', '.join(answers)}")
