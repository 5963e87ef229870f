"""Real servers for tests: Kafka from Maven's jars and PostgreSQL from the packages of the system, on this machine alone."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

CACHE = Path(os.environ.get("LASER_SERVERS", Path.home() / ".cache" / "laser-servers"))
"""Where jars are kept between runs."""
BROKER = ["org.apache.kafka:kafka_2.13:4.3.1", "org.apache.kafka:kafka-tools:4.3.1"]
CONNECTOR = [
    "org.apache.spark:spark-sql-kafka-0-10_2.13:4.2.0",
    "org.apache.spark:spark-token-provider-kafka-0-10_2.13:4.1.0-preview1",
    "org.apache.kafka:kafka-clients:3.9.2",
    "org.apache.commons:commons-pool2:2.13.1",
]
"""The newest connector that these versions of Spark can be given where the one of 4.3.0 is not to be had."""
AVRO = ["org.apache.spark:spark-avro_2.13:4.1.1"]
"""The newest that can be fetched here; it works with PySpark 4.3.0."""
PATIENCE = 120


class MissingServerError(Exception):
    """A server cannot be started here; the text says why."""


def jars(name: str, artifacts: Sequence[str], alone: bool) -> list[Path]:
    """The files of some artifacts, fetched once; with ``alone``, without what they depend on."""
    place = CACHE / name
    if not list(place.glob("*.jar")):
        if shutil.which("mvn") is None:
            raise MissingServerError("there is no Maven (mvn) that could fetch the jars")
        _fetch(place, artifacts, alone)
    return sorted(place.glob("*.jar"))


def _fetch(place: Path, artifacts: Sequence[str], alone: bool) -> None:
    without = "<exclusions><exclusion><groupId>*</groupId><artifactId>*</artifactId></exclusion></exclusions>"
    asked = "".join(
        "<dependency><groupId>{}</groupId><artifactId>{}</artifactId><version>{}</version>{}</dependency>".format(
            *artifact.split(":"), without if alone else ""
        )
        for artifact in artifacts
    )
    project = (
        '<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion><groupId>local</groupId>'
        f"<artifactId>servers</artifactId><version>1</version><packaging>pom</packaging><dependencies>{asked}</dependencies></project>"
    )
    place.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=place.parent) as base:
        (Path(base) / "pom.xml").write_text(project, "utf-8")
        command = [
            "mvn",
            "-q",
            "-B",
            "-ntp",
            "dependency:copy-dependencies",
            "-DoutputDirectory=lib",
            "-DincludeScope=runtime",
        ]
        done = subprocess.run(command, cwd=base, capture_output=True, text=True, check=False)
        if done.returncode:
            raise MissingServerError(f"Maven could not fetch the jars: {done.stdout[-300:]}")
        shutil.rmtree(place, ignore_errors=True)
        (Path(base) / "lib").rename(place)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _wait_for_port(port: int, process: subprocess.Popen[bytes], log: Path) -> None:
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end and process.poll() is None:
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
            return
        time.sleep(0.2)
    raise MissingServerError(f"it did not start: {log.read_text('utf-8', 'replace')[-600:]}")


_SETTINGS = """
process.roles=broker,controller
node.id=1
controller.quorum.voters=1@127.0.0.1:{controller}
listeners=PLAINTEXT://127.0.0.1:{port},CONTROLLER://127.0.0.1:{controller}
advertised.listeners=PLAINTEXT://127.0.0.1:{port}
controller.listener.names=CONTROLLER
listener.security.protocol.map=PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT
log.dirs={data}
num.partitions=2
offsets.topic.num.partitions=1
offsets.topic.replication.factor=1
transaction.state.log.num.partitions=1
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
share.coordinator.state.topic.num.partitions=1
share.coordinator.state.topic.replication.factor=1
share.coordinator.state.topic.min.isr=1
group.initial.rebalance.delay.ms=0
"""


@dataclass
class Kafka:
    """A broker; it can be stopped and started again, with what it has."""

    base: Path
    port: int
    path: str
    process: subprocess.Popen[bytes] | None = None

    @property
    def servers(self) -> str:
        return f"127.0.0.1:{self.port}"

    def start(self) -> None:
        log = self.base / "kafka.log"
        java = ["java", "-Xms256m", "-Xmx256m", "-XX:+UseSerialGC", "-cp", self.path, "kafka.Kafka"]
        with log.open("ab") as out:
            self.process = subprocess.Popen([*java, str(self.base / "server.properties")], stdout=out, stderr=out)
        _wait_for_port(self.port, self.process, log)

    def stop(self) -> None:
        if self.process is not None:
            self.process.terminate()
            try:
                self.process.wait(60)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()


@contextlib.contextmanager
def kafka() -> Iterator[Kafka]:
    """A broker of one node."""
    if shutil.which("java") is None:
        raise MissingServerError("there is no Java on the path")
    path = ":".join(map(str, jars("kafka", BROKER, alone=False)))
    base = Path(tempfile.mkdtemp(prefix="laser-kafka-"))
    broker = Kafka(base, free_port(), path)
    text = _SETTINGS.format(port=broker.port, controller=free_port(), data=base / "data")
    (base / "server.properties").write_text(text, "utf-8")
    tool = ["java", "-cp", path, "kafka.tools.StorageTool"]
    name = subprocess.run([*tool, "random-uuid"], capture_output=True, text=True, check=True).stdout.split()[-1]
    subprocess.run(
        [*tool, "format", "-t", name, "-c", str(base / "server.properties")], capture_output=True, check=True
    )
    try:
        broker.start()
        yield broker
    finally:
        broker.stop()
        shutil.rmtree(base, ignore_errors=True)


@contextlib.contextmanager
def postgres() -> Iterator[str]:
    """A database server; its address, as libpq has it."""
    programs = sorted(Path("/usr/lib/postgresql").glob("*/bin/postgres"))
    found = shutil.which("postgres") or (str(programs[-1]) if programs else None)
    if found is None:
        raise MissingServerError("PostgreSQL is not installed")
    home, port = Path(found).parent, free_port()
    base = Path(tempfile.mkdtemp(prefix="laser-postgres-"))
    user = ["runuser", "-u", "postgres", "--"] if os.geteuid() == 0 else []  # it does not run as root
    if user:
        shutil.chown(base, "postgres", "postgres")
    log = base / "postgres.log"
    made = [str(home / "initdb"), "-D", str(base / "data"), "-A", "trust", "-U", "laser", "--no-sync"]
    subprocess.run([*user, *made], capture_output=True, check=True, cwd=base)
    options = ["listen_addresses=127.0.0.1", "unix_socket_directories=", "shared_buffers=32MB", "fsync=off"]
    with log.open("ab") as out:
        command = [str(home / "postgres"), "-D", str(base / "data"), "-p", str(port)]
        settings = [word for option in options for word in ("-c", option)]
        process = subprocess.Popen([*user, *command, *settings], stdout=out, stderr=out, cwd=base)
    try:
        _wait_for_port(port, process, log)
        time.sleep(0.5)
        yield f"postgresql://laser@127.0.0.1:{port}/postgres"
    finally:
        with contextlib.suppress(OSError, ValueError, IndexError):
            os.kill(int((base / "data" / "postmaster.pid").read_text("utf-8").splitlines()[0]), signal.SIGINT)
        process.wait(60)
        shutil.rmtree(base, ignore_errors=True)
