"""What signals do to a pipeline, without Spark; ``tests/spark/test_interrupts.py`` has the real thing."""

from __future__ import annotations

import logging
import os
import signal
import threading

import pytest

from laser.cli.interrupts import interrupts

SIGNALS = [signal.SIGINT, signal.SIGTERM]


@pytest.mark.parametrize("number", SIGNALS)
def test_the_first_signal_asks_a_stream_to_end_and_the_second_one_ends_it(number):
    stop, said = threading.Event(), []
    with interrupts(stop, True, said.append):
        os.kill(os.getpid(), number)
        assert stop.is_set()
        assert said == ["ending after the current micro-batch; press Ctrl-C again to end at once"]
        with pytest.raises(KeyboardInterrupt):
            os.kill(os.getpid(), number)


@pytest.mark.parametrize("number", SIGNALS)
def test_a_batch_ends_at_once(number):
    stop = threading.Event()
    with pytest.raises(KeyboardInterrupt), interrupts(stop, False, print):
        os.kill(os.getpid(), number)
    assert not stop.is_set()


def test_what_fails_after_an_interrupt_is_part_of_it():
    def cleans_up_in_vain():
        try:
            os.kill(os.getpid(), signal.SIGINT)
        finally:
            raise ConnectionError("Java does not answer any more")

    with pytest.raises(KeyboardInterrupt), interrupts(threading.Event(), False, print):
        cleans_up_in_vain()


def test_other_errors_leave_as_they_are():
    with pytest.raises(ConnectionError), interrupts(threading.Event(), False, print):
        raise ConnectionError("no interrupt")


def test_handlers_and_logging_are_restored():
    before = [signal.getsignal(each) for each in SIGNALS]
    with interrupts(threading.Event(), True, lambda _: None):
        os.kill(os.getpid(), signal.SIGINT)
    assert [signal.getsignal(each) for each in SIGNALS] == before
    assert logging.root.manager.disable == logging.NOTSET


def test_only_the_main_thread_can_listen_to_signals():
    before = signal.getsignal(signal.SIGINT)
    entered = []

    def enter():
        with interrupts(threading.Event(), True, print):
            entered.append(signal.getsignal(signal.SIGINT))

    thread = threading.Thread(target=enter)
    thread.start()
    thread.join()
    assert entered == [before]
