"""What a checkpoint says of the stream that made it, read before a query starts; and what is noted there for later."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from laser.errors import StateError
from laser.spark.job import Job
from laser.spark.job_record import read_job, write_job
from laser.spark.store import Head

__all__ = ["Checkpoint", "read_heads"]

_NOTES = "laser"
"""The directory of a checkpoint that is ours."""


def read_heads(spark: SparkSession, checkpoint: str) -> list[Head]:
    """How far the buckets of a checkpoint are; none where there is no checkpoint yet, or it is not of such a stream."""
    if not Checkpoint(spark, checkpoint).numbers("commits"):
        return []
    with suppress(PySparkException):  # a query that cannot go on from it will say so
        heads = spark.read.format("statestore").option("stateVarName", "head").load(checkpoint)
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
        """The micro-batches that one of Spark's logs has, in order."""
        files = self._names(name)
        return sorted(int(file) for file in files if file.isdecimal())

    def is_finished(self) -> bool:
        """Whether no micro-batch was begun that may have reached a sink and is not committed: a run that was killed leaves one."""
        begun, done = self.numbers("offsets"), self.numbers("commits")
        if not begun or (done and done[-1] >= begun[-1]):
            return True
        noted = self.note("batch")
        return noted is not None and int(noted) < begun[-1]

    def note_batch(self, number: int) -> None:
        """Note that a micro-batch goes to the sinks now."""
        self.put_note("batch", str(number))

    def note_job(self, job: Job, fingerprint: str) -> None:
        """Note what a job says, under its id, which the heads of buckets have."""
        name = _file_of(fingerprint)
        if self.note(name) is None:
            self.put_note(name, write_job(job))

    def jobs(self, fingerprints: Iterable[str]) -> dict[str, Job]:
        """The jobs with these ids, as far as they are noted."""
        texts = {fingerprint: self.note(_file_of(fingerprint)) for fingerprint in fingerprints}
        return {fingerprint: read_job(text) for fingerprint, text in texts.items() if text is not None}

    # -- files, by Spark's own access to file systems

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
        """What was noted under a name."""
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
        """A file that appears whole: it is written beside its place, and moved there."""
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
