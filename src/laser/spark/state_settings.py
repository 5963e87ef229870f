"""The Spark settings that a stateful operator needs, and how they are applied to a session with others.

Spark reads them when a query starts, after ``reason`` has returned. So ``reason`` cannot restore them, and logs what it changed.
Checkpoints remember their own settings: a query with a checkpoint keeps its store.
"""

from __future__ import annotations

import logging

from pyspark.sql import SparkSession

__all__ = ["STATE_SETTINGS", "use_state_settings"]

STATE_SETTINGS = {
    # The only store that the stateful operator works with; with a changelog, a checkpoint costs what changed.
    "spark.sql.streaming.stateStore.providerClass": "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider",
    "spark.sql.streaming.stateStore.rocksdb.changelogCheckpointing.enabled": "true",
}

log = logging.getLogger("laser")


def use_state_settings(spark: SparkSession) -> None:
    """Give a session the settings that the stateful operator needs, and log what that changes."""
    before = {key: spark.conf.get(key, "the default") for key in STATE_SETTINGS}
    changed = {key: value for key, value in STATE_SETTINGS.items() if before[key] != value}
    for key, value in changed.items():
        spark.conf.set(key, value)
    if changed:
        log.warning(
            "a stream with rules needs RocksDB for its state, so these settings of the Spark session were changed, which also "
            "affects other streams that it starts: %s. After start() you can set them back; to avoid the change, set "
            "them when you create the session",
            ", ".join(f"{key} from {before[key]} to {value}" for key, value in changed.items()),
        )
