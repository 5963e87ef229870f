"""Reads what a checkpoint says about its stream before a query starts, and stores notes there."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from laser.errors import StateError
from laser.spark.cluster import named
from laser.spark.job import Job
from laser.spark.job_record import read_job, write_job
from laser.spark.store import Head

__all__ = ["Checkpoint", "read_heads"]

_NOTES = "laser"
"""The subdirectory of a checkpoint for Laser's notes."""


def read_heads(spark: SparkSession, checkpoint: str) -> list[Head]:
    """The positions of the buckets of a checkpoint; none if there is no checkpoint yet, or it belongs to another kind of stream."""
    if not Checkpoint(spark, checkpoint).numbers("commits"):
        return []
    with suppress(PySparkException):  # the query itself will report what is wrong
        heads = spark.read.format("statestore").option("stateVarName", "head").load(checkpoint)
        with named(spark, "how far the checkpoint is"):
            rows = [row["value"] for row in heads.select("value").collect()]
        if any(len(row) != len(Head._fields) for row in rows):
            raise StateError("the checkpoint was made by an older version of Laser. Begin with a new checkpoint")
        return [Head(*row) for row in rows]
    return []


@dataclass(frozen=True)
class Checkpoint:
    """The directory of a query, on any file system that Spark knows."""

    spark: SparkSession
    place: str

    def numbers(self, name: str) -> list[int]:
        """The micro-batches in one of Spark's logs, in order."""
        files = self._names(name)
        return sorted(int(file) for file in files if file.isdecimal())

    def is_finished(self) -> bool:
        """Whether every micro-batch that may have reached a sink is committed; a run that was killed can leave one that is not."""
        begun, done = self.numbers("offsets"), self.numbers("commits")
        if not begun or (done and done[-1] >= begun[-1]):
            return True
        noted = self.note("batch")
        return noted is not None and int(noted) < begun[-1]

    def note_batch(self, number: int) -> None:
        """Note that a micro-batch is being written to the sinks."""
        self.put_note("batch", str(number))

    def note_job(self, job: Job, fingerprint: str) -> None:
        """Store a job under its id, which is also in the heads of buckets."""
        name, text = _file_of(fingerprint), write_job(job)
        if self.note(name) != text:
            self.put_note(name, text)

    def jobs(self, fingerprints: Iterable[str]) -> dict[str, Job]:
        """The jobs with these ids, as far as they are stored."""
        texts = {fingerprint: self.note(_file_of(fingerprint)) for fingerprint in fingerprints}
        return {fingerprint: read_job(text) for fingerprint, text in texts.items() if text is not None}

    # -- files, through Spark's access to file systems

    def _path(self, name: str) -> Any:
        return self._jvm.org.apache.hadoop.fs.Path(f"{self.place}/{name}")

    @property
    def _jvm(self) -> Any:
        return self.spark._jvm

    def _system(self, path: Any) -> Any:
        return path.getFileSystem(self.spark._jsparkSession.sessionState().newHadoopConf())

    def _names(self, name: str) -> list[str]:
        path = self._path(name)
        system = self._system(path)
        return [file.getPath().getName() for file in system.listStatus(path)] if system.exists(path) else []

    def note(self, name: str) -> str | None:
        """The note with a name."""
        path = self._path(f"{_NOTES}/{name}")
        system = self._system(path)
        if not system.exists(path):
            return None
        stream = system.open(path)
        try:
            return str(self._jvm.org.apache.commons.io.IOUtils.toString(stream, "UTF-8"))
        finally:
            stream.close()

    def put_note(self, name: str, text: str) -> None:
        """Write a note completely: beside its place first, then moved there."""
        path, part = self._path(f"{_NOTES}/{name}"), self._path(f"{_NOTES}/.{name}.part")
        system = self._system(path)
        stream = system.create(part, True)
        try:
            stream.write(bytearray(text.encode()))
        finally:
            stream.close()
        if not system.rename(part, path):
            system.delete(path, False)
            system.rename(part, path)


def _file_of(fingerprint: str) -> str:
    return f"job-{fingerprint.replace(':', '-')}.json"
