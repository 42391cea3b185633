# SPDX-License-Identifier: Apache-2.0
"""The merge: replay gives each receive the message of the recorded run (R3, R4, R7 to R10)."""

from opentmu.record.check import differences
from opentmu.record.merge import Trace, merge

from .plain_law import replay
from .synthetic import ANY, Run


def merged(run: Run, delay: int = 100) -> Trace:
    """The merged trace, after the check that its replay repeats the run."""
    trace = merge(run.logs, delay)
    assert differences(trace, replay(trace.lines)) == []
    return trace


def kinds(trace: Trace, endpoint: int = 0) -> list[str]:
    """The endpoint's operations as kind and source, times and numbers left out."""
    found = []
    for line in trace.lines:
        words = line.split()
        if words[1] == str(endpoint):
            found.append(f"{words[0]} {words[4]}" if words[0] == "arrive" else words[0])
    return found


def test_an_arrival_is_its_send_plus_the_delay() -> None:
    run = Run(2)
    number = run.post(0, 1, 5, at=1000)
    run.send(1, 0, 5, size=64, at=2000)
    run.done(0, number, 1, 5, size=64, at=9000)
    assert merged(run, 700).lines == ["post 0 1 0 1 5 8 @0", "arrive 0 1 0 1 5 64 @1700"]


def test_an_arrival_is_never_later_than_the_end_of_its_receive() -> None:
    run = Run(2)
    number = run.post(0, 1, 5, at=1000)
    run.send(1, 0, 5, at=2000)
    run.done(0, number, 1, 5, at=2500)
    trace = merged(run, 700)
    assert trace.lines[1] == "arrive 0 1 0 1 5 8 @1500"
    assert trace.counts["arrivals-earlier"] == 1


def test_r3_wildcard_receives_order_the_arrivals_of_different_sources() -> None:
    """Source 1 sent first, but the older receive got source 2's message."""
    run = Run(3)
    first = run.post(0, ANY, 5)
    second = run.post(0, ANY, 5)
    run.send(1, 0, 5)
    run.send(2, 0, 5)
    run.done(0, first, 2, 5, at=10000)
    run.done(0, second, 1, 5, at=10000)
    trace = merged(run)
    assert kinds(trace) == ["post", "post", "arrive 2", "arrive 1"]
    assert trace.counts["arrivals-later"] == 1


def test_r4_the_order_of_unexpected_messages_follows_the_receives() -> None:
    run = Run(3)
    run.send(1, 0, 5)
    run.send(2, 0, 6)
    first = run.post(0, ANY, ANY)
    run.done(0, first, 2, 6)
    second = run.post(0, ANY, ANY)
    run.done(0, second, 1, 5)
    assert kinds(merged(run))[:2] == ["arrive 2", "arrive 1"]


def test_a_wildcard_orders_before_a_younger_exact_receive() -> None:
    run = Run(3)
    wildcard = run.post(0, ANY, 5)
    exact = run.post(0, 1, 5)
    run.send(1, 0, 5)
    run.send(2, 0, 5)
    run.done(0, wildcard, 2, 5, at=9000)
    run.done(0, exact, 1, 5, at=9000)
    assert kinds(merged(run)) == ["post", "post", "arrive 2", "arrive 1"]


def test_r7_messages_of_one_source_keep_their_order() -> None:
    """The second message is seen first and draws the first one with it."""
    run = Run(2)
    late = run.post(0, 1, 1)
    early = run.post(0, 1, 2)
    run.send(1, 0, 1, at=5000)
    run.send(1, 0, 2, at=6000)
    run.done(0, early, 1, 2, at=6050)
    run.done(0, late, 1, 1, at=90000)
    trace = merged(run, 4000)
    tags = [line.split()[5] for line in trace.lines if line.startswith("arrive")]
    assert tags == ["1", "2"]
    assert trace.lines[-1].endswith(f"@{6050 - 1000}")


def test_a_probe_that_missed_holds_the_arrival_back() -> None:
    run = Run(2)
    run.send(1, 0, 5, at=1000)
    run.look(0, ANY, 5, found=None, at=8000)
    run.look(0, ANY, 5, found=(1, 5), at=9000)
    number = run.post(0, 1, 5)
    run.done(0, number, 1, 5)
    trace = merged(run)
    assert kinds(trace) == ["probe", "arrive 1", "probe", "post"]
    assert trace.counts["arrivals-later"] == 1
    assert trace.counts["missed-probes"] == 1


def test_a_probe_that_no_order_explains_is_left_out_and_counted() -> None:
    """The probe misses a message that an earlier probe saw and that nobody has taken."""
    run = Run(2)
    run.send(1, 0, 5)
    run.look(0, 1, 5, found=(1, 5))
    run.look(0, 1, ANY, found=None)
    number = run.post(0, 1, 5)
    run.done(0, number, 1, 5)
    trace = merged(run)
    assert trace.counts["unexplained-probes"] == 1
    assert kinds(trace) == ["arrive 1", "probe", "post"]


def test_a_missed_probe_after_its_message_was_taken_needs_no_explanation() -> None:
    run = Run(2)
    run.send(1, 0, 5, at=1000)
    number = run.post(0, 1, 5, at=5000)
    run.look(0, 1, 5, found=None, at=6000)
    run.done(0, number, 1, 5, at=7000)
    trace = merged(run)
    assert kinds(trace) == ["arrive 1", "post", "probe"]
    assert trace.counts["unexplained-probes"] == 0


def test_r8_a_probe_that_found_orders_the_other_sources() -> None:
    run = Run(3)
    run.send(1, 0, 5)
    run.send(2, 0, 5)
    run.look(0, ANY, 5, found=(2, 5))
    for source in (1, 2):
        run.done(0, run.post(0, source, 5), source, 5)
    assert kinds(merged(run))[:3] == ["arrive 2", "arrive 1", "probe"]


def test_r9_a_claim_takes_its_message_out_of_the_receives_reach() -> None:
    run = Run(2)
    run.send(1, 0, 5, size=8)
    run.send(1, 0, 5, size=16)
    run.look(0, ANY, ANY, found=(1, 5), claim=True)
    number = run.post(0, ANY, ANY, size=16)
    run.done(0, number, 1, 5, size=16)
    trace = merged(run)
    assert trace.got == {1: 1, 2: 2}
    assert trace.counts["disagreeing-sizes"] == 0


def test_r10_a_cancel_in_time_holds_back_what_its_receive_would_have_taken() -> None:
    run = Run(2)
    run.send(1, 0, 5, at=1000)
    gone = run.post(0, ANY, 5, at=900)
    run.cancel(0, gone, in_time=True, at=5000)
    number = run.post(0, 1, 5)
    run.done(0, number, 1, 5)
    trace = merged(run)
    assert kinds(trace)[:2] == ["post", "cancel"]
    assert list(trace.cancelled.values()) == [True]


def test_r10_a_late_cancel_is_evidence_of_the_arrival() -> None:
    run = Run(2)
    number = run.post(0, 1, 5, at=900)
    run.send(1, 0, 5, at=1000)
    run.cancel(0, number, in_time=False, at=1500)
    run.done(0, number, 1, 5, at=60000)
    trace = merged(run, 10000)
    assert kinds(trace) == ["post", "arrive 1", "cancel"]
    assert list(trace.cancelled.values()) == [False]


def test_r12_a_truncated_message_keeps_both_lengths() -> None:
    run = Run(2)
    number = run.post(0, 1, 5, size=4)
    run.send(1, 0, 5, size=64)
    run.done(0, number, 1, 5, size=4)
    trace = merged(run)
    assert list(replay(trace.lines))[-1].endswith("truncated")
    assert trace.counts["disagreeing-sizes"] == 0


def test_a_length_that_contradicts_the_pairing_is_counted() -> None:
    run = Run(2)
    number = run.post(0, 1, 5, size=64)
    run.send(1, 0, 5, size=16)
    run.done(0, number, 1, 5, size=24)
    assert merge(run.logs, 0).counts["disagreeing-sizes"] == 1


def test_a_receive_without_its_message_is_left_out_and_counted() -> None:
    """Its sender was not recorded; in the trace it would take another's message."""
    run = Run(2)
    number = run.post(0, ANY, ANY)
    run.done(0, number, 1, 5)
    trace = merged(run)
    assert (trace.lines, trace.counts["left-out-receives"]) == ([], 1)


def test_a_receive_whose_end_nobody_saw_takes_the_message_that_is_left() -> None:
    run = Run(2)
    run.post(0, 1, 5)
    number = run.post(0, 1, 5)
    run.send(1, 0, 5)
    run.send(1, 0, 5)
    run.done(0, number, 1, 5)
    trace = merged(run)
    assert trace.got == {1: 1, 2: 2}
    assert trace.counts["receives-unobserved"] == 1


def test_a_message_that_was_never_received_stays_queued() -> None:
    run = Run(2)
    run.send(1, 0, 5)
    run.post(0, 1, 6)
    assert kinds(merged(run)) == ["arrive 1", "post"]


def test_a_message_to_oneself_arrives_after_its_send() -> None:
    run = Run(1)
    number = run.post(0, 0, 5, at=1000)
    run.send(0, 0, 5, at=2000)
    run.done(0, number, 0, 5, at=2000)
    assert merged(run, 0).lines[1] == "arrive 0 1 0 0 5 8 @1000"


def test_a_cut_trace_is_the_start_of_the_whole_one() -> None:
    run = Run(2)
    for tag in range(10):
        run.send(1, 0, tag)
        number = run.post(0, 1, tag)
        run.done(0, number, 1, tag)
    whole = merge(run.logs, 100)
    cut = merge(run.logs, 100, 7)
    assert cut.lines == whole.lines[:7]
    assert (cut.total, len(cut.lines)) == (20, 7)
    assert differences(cut, replay(cut.lines)) == []


def test_the_check_notices_a_wrong_match() -> None:
    """Two arrivals exchanged by hand: the replay then differs from the run."""
    run = Run(3)
    numbers = [run.post(0, ANY, 5), run.post(0, ANY, 5)]
    run.send(1, 0, 5)
    run.send(2, 0, 5)
    run.done(0, numbers[0], 1, 5)
    run.done(0, numbers[1], 2, 5)
    trace = merged(run)
    trace.lines[2], trace.lines[3] = trace.lines[3], trace.lines[2]
    assert len(differences(trace, replay(trace.lines))) == 2
