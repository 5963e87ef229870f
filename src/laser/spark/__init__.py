"""Laser on Spark: DataFrames in, DataFrames out."""

try:
    import pyspark  # noqa: F401 - only to tell early, and with the cure, that it is missing
except ImportError as error:
    from laser.errors import LaserError

    raise LaserError("laser.spark needs PySpark: pip install 'laser-reasoner[spark]'") from error

from laser.spark.answers import Answers
from laser.spark.delta_sink import DeltaSink
from laser.spark.failures import await_termination, explain_failure
from laser.spark.kafka_sink import KafkaSink
from laser.spark.messages import read_messages
from laser.spark.metrics import BatchMetrics, MetricsListener, metrics_of
from laser.spark.postgres_sink import PostgresSink
from laser.spark.prometheus import PrometheusPage, serve_metrics
from laser.spark.reason import reason
from laser.spark.session import session
from laser.spark.sources import Input

__all__ = [
    "Answers",
    "BatchMetrics",
    "DeltaSink",
    "Input",
    "KafkaSink",
    "MetricsListener",
    "PostgresSink",
    "PrometheusPage",
    "await_termination",
    "explain_failure",
    "metrics_of",
    "read_messages",
    "reason",
    "serve_metrics",
    "session",
]
