"""The state of a node: keys with horizons, their expiry, and the changes of the present tick.

Invariants at the present t, between two calls:

* every key in ``alive`` holds at t and is guaranteed until its horizon, and every key that holds is in ``alive``;
* a horizon may be *lower* than what is known by now (renewal is lazy), but never higher;
* every key with a finite horizon is in a bucket of ``due`` that is opened no later than the tick after the horizon. It is
  there once, unless its guarantee was taken back and it was derived again (``has_revoked``);
* no horizon was ever raised beyond ``raised_until``. If a key was raised from g to h, a key that depends on it may still have
  a horizon that is too low, from g to h - 1. So when ``raised_until`` has passed, this relation causes no horizons that are
  too low, and expired keys that depend on it need not be looked at again.

Within a tick, a key whose horizon is before t is dead: joins skip it. A revoked key stays in place until the tick ends,
because the keys that depend on it are found by joining it with the others as they were. Keys that depend on an expired
key have expired with it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterable
from typing import Final, TypeAlias

from laser.answers import Key
from laser.engine.agenda import Agenda
from laser.engine.codegen.module import NodeIndex
from laser.engine.delta import Delta
from laser.plan.nodes import Node

__all__ = ["FOREVER", "Horizons", "Key", "Relation"]

Horizons: TypeAlias = dict[Key, int]

FOREVER = 2**1100
"""The horizon of a key that holds until it is revoked; later than any time that arithmetic can produce."""

DEAD = -1

FEW = 20
"""Up to this many keys, a Python loop takes less time than setting up a loop in C."""


class Relation:
    """Keys with horizons. It asks the agenda to be looked at when a key falls due.

    Generated code keeps references to ``alive`` and the tables of the index, so neither is ever replaced.
    """

    __slots__ = (
        "agenda", "alive", "check_index", "delta", "due", "has_revoked", "index", "node", "number", "promised",
        "raised_until", "revoked", "scheduled",
    )  # fmt: skip

    def __init__(self, node: Node, number: int, agenda: Agenda) -> None:
        self.node = node
        self.number = number
        self.agenda = agenda
        self.alive: Final[Horizons] = {}
        self.due: dict[int, list[Key]] = {}
        self.scheduled = 0
        self.index: NodeIndex | None = None
        self.check_index: NodeIndex | None = None
        self.delta: Final = Delta()
        self.revoked: list[Key] = []
        self.promised: Horizons = {}
        self.raised_until = DEAD
        self.has_revoked = False

    def live(self) -> Collection[Key]:
        """The keys that hold, between two calls."""
        return self.alive

    def schedule(self, horizon: int, keys: Collection[Key]) -> None:
        """Have keys looked at when their horizon has passed."""
        if horizon >= FOREVER:
            return
        bucket = self.due.get(horizon)
        if bucket is None:
            self.due[horizon] = list(keys)
            self.agenda.wake(horizon + 1, self.number)
        else:
            bucket.extend(keys)
        self.scheduled += len(keys)

    def take_due(self, horizon: int) -> list[Key]:
        """Remove and return the keys that are due when this horizon has passed; there must be some."""
        bucket = self.due.pop(horizon)
        self.scheduled -= len(bucket)
        return list(dict.fromkeys(bucket)) if self.has_revoked else bucket

    def compact_due(self) -> None:
        """Remove revoked keys from their buckets when they outnumber the keys that are alive."""
        if self.scheduled <= 2 * len(self.alive) + 1000:
            return
        before, self.due, self.scheduled = self.due, {}, 0
        self.schedule_each(self.alive)
        for horizon in before.keys() - self.due.keys():
            self.agenda.forget(horizon + 1, self.number)

    def schedule_each(self, horizons: Horizons) -> None:
        """Schedule keys by their own horizons, which are often all equal."""
        if not horizons:
            return
        each = list(horizons.values())
        if each.count(each[0]) == len(each):
            self.schedule(each[0], horizons)
            return
        buckets: dict[int, list[Key]] = {}
        for key, horizon in horizons.items():
            several = buckets.get(horizon)
            if several is None:
                buckets[horizon] = [key]
            else:
                several.append(key)
        for horizon, several in buckets.items():
            self.schedule(horizon, several)

    def expired(self, t: int) -> list[Key]:
        """The keys whose horizon has passed; keys that were renewed meanwhile are scheduled again."""
        if t - 1 not in self.due:
            return []
        bucket = self.take_due(t - 1)
        if self.raised_until < t and not self.has_revoked:
            return bucket
        alive = self.alive
        gone = [key for key in bucket if alive.get(key, t) < t]
        if len(gone) < len(bucket):
            self.schedule_each({key: h for key in bucket if (h := alive.get(key, DEAD)) >= t})
        return gone

    def drop_expired(self, keys: list[Key]) -> None:
        """Drop keys whose horizon has passed and that nothing can renew."""
        self.delta.removed += keys
        self.delete(keys)

    def suspect(self, keys: Iterable[Key], t: int) -> list[Key]:
        """Take back the guarantee of keys until they are derived again. Returns the keys that had one."""
        alive, promised = self.alive, self.promised
        hit = [key for key in keys if alive.get(key, DEAD) >= t]
        for key in hit:
            promised[key] = alive[key]
            alive[key] = DEAD
        if hit:
            self.has_revoked = True
        return hit

    def merge(self, found: Horizons, t: int) -> tuple[list[Key], list[Key]]:
        """Add derived keys. Returns the keys that are new, and the dead ones that are alive again."""
        alive = self.alive
        if len(found) == 1:
            return self.merge_one(*found.popitem(), t)
        keys = set(found)
        new = keys.difference(alive)  # uses the stored hashes
        again: Horizons = {}
        if len(new) < len(keys):
            raised = self.raised_until
            for key in keys - new:
                old, horizon = alive[key], found.pop(key)
                if old < horizon:
                    if old < t:
                        again[key] = horizon
                    alive[key] = horizon
                    raised = max(raised, horizon)
            self.raised_until = raised
            self.schedule_each(again)
        alive.update(found)
        self.index_new(found)
        return list(found), list(again)

    def merge_one(self, key: Key, horizon: int, t: int) -> tuple[list[Key], list[Key]]:
        """The same for a single key, the common case in a slow stream."""
        old = self.alive.get(key)
        if old is not None and old >= horizon:
            return [], []
        self.alive[key] = horizon
        if old is None:
            self.schedule(horizon, (key,))
            if self.index:
                self.index.add((key,))
            return [key], []
        self.raised_until = max(self.raised_until, horizon)
        if old >= t:
            return [], []
        self.schedule(horizon, (key,))
        return [], [key]

    def index_new(self, fresh: Horizons) -> None:
        """Schedule and index new keys."""
        self.schedule_each(fresh)
        if self.index and fresh:
            self.index.add(fresh)

    def wake_index(self) -> None:
        """Make the indexes that were left out until they are needed; from now on they are maintained like the others."""
        more, self.check_index = self.check_index, None
        if more:
            more.add(self.alive)
            self.index = self.index.joined(more) if self.index else more

    def finish_suspects(self, suspects: Iterable[Key], t: int) -> None:
        """After all derivations, find the suspects that are gone, and those that end before their guaranteed time."""
        alive, promised = self.alive, self.promised
        gone = [key for key in suspects if alive[key] < t]
        self.delta.removed += gone
        self.delete([key for key in gone if key not in promised] if promised else gone)
        if promised:
            self.revoked += [key for key in gone if key in promised]
            self.delta.shortened += [key for key, horizon in promised.items() if alive[key] < horizon]
            promised.clear()

    def revoke(self, keys: Collection[Key]) -> None:
        """End keys before their horizon."""
        for key in keys:
            self.alive[key] = DEAD
        if keys:
            self.has_revoked = True
        self.delta.removed += keys
        self.delta.shortened += keys
        self.revoked += keys

    def hold_until_revoked(self, begun: list[Key], ended: list[Key]) -> None:
        """Begin keys that hold until they are revoked, and end others."""
        self.alive.update(dict.fromkeys(begun, FOREVER))
        if begun and self.index:
            self.index.add(begun)
        self.delta.added = begun
        self.revoke(ended)

    def delete(self, keys: Collection[Key]) -> None:
        if len(keys) < FEW:
            for key in keys:
                del self.alive[key]
        else:
            deque(map(self.alive.__delitem__, keys), maxlen=0)
        if self.index:
            self.index.discard(keys)

    def end_tick(self) -> None:
        """Delete the revoked keys and empty the delta."""
        if self.revoked:
            self.delete(self.revoked)
            self.revoked = []
            self.compact_due()
        self.delta.clear()

    def forget(self) -> None:
        """Forget all keys, before everything is derived again."""
        self.alive.clear()
        self.due.clear()
        self.scheduled = 0
        self.revoked = []
        for table in self.index.tables.values() if self.index else ():
            table.clear()
