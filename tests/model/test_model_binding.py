# SPDX-License-Identifier: Apache-2.0
"""`opentmu.model`: each C field arrives under its own name, and numbers are never cut."""

from collections.abc import Iterator

import pytest
from opentmu.model import EVERYTHING, Key, Queue, ReferenceModel, Status

WIDE = 0x123456789ABCDEF0


@pytest.fixture
def model() -> Iterator[ReferenceModel]:
    with ReferenceModel(2) as reference:
        yield reference


def test_a_post_that_matches_fills_the_verdict(model: ReferenceModel) -> None:
    model.arrive(1, WIDE, 0xAAAA000055550000, 0xFFFFFFFE, length=2**48 - 1, place=WIDE + 1)
    model.probe(1, 1, EVERYTHING)
    key = Key(match=0xAAAA000055550000, source_ignore=2**32 - 1)
    verdict = model.post(1, WIDE + 2, key, length=100, address=WIDE + 3, receive_id=17)
    assert verdict.status is Status.MATCHED
    assert (verdict.endpoint, verdict.serial) == (1, 2)
    assert (verdict.handle, verdict.other) == (WIDE + 2, WIDE)  # R15
    assert (verdict.match, verdict.source) == (0xAAAA000055550000, 0xFFFFFFFE)
    assert (verdict.message_length, verdict.receive_length) == (2**48 - 1, 100)  # R12
    assert verdict.truncated is True
    assert (verdict.address, verdict.visited) == (WIDE + 1, 1)
    assert (verdict.removed_posted, verdict.removed_unexpected) == (0, 0)


def test_an_arrival_takes_the_receives_buffer(model: ReferenceModel) -> None:
    assert model.post(0, 5, Key.mpi(1, None, None), length=9, address=WIDE).status is Status.QUEUED
    assert model.arrive(0, 6, 1 << 32 | 0xFFFFFFFF, 3).status is Status.QUEUED  # R2: negative tag
    verdict = model.arrive(0, 7, 1 << 32 | 4, 3, length=9)
    assert (verdict.status, verdict.other, verdict.address) == (Status.MATCHED, 5, WIDE)
    assert verdict.truncated is False


def test_r8_r9_probe_leaves_and_claim_takes(model: ReferenceModel) -> None:
    model.arrive(0, 6, Key.mpi(1, 3, -4).match, 3)
    key = Key.mpi(1, 3, -4)
    assert model.probe(0, 1, key).status is Status.FOUND
    assert model.claim(0, 2, key).other == 6
    assert model.claim(0, 3, key).status is Status.NONE


def test_r10_cancel_by_handle_and_by_id(model: ReferenceModel) -> None:
    model.post(0, WIDE, Key(match=1), receive_id=1)
    model.post(0, 8, Key(match=2), receive_id=2)
    assert model.cancel(1, 50, WIDE).status is Status.LATE
    assert model.cancel(0, 50, WIDE).status is Status.CANCELLED
    assert [model.cancel(0, 51 + i, WIDE).status for i in range(3)] == [Status.LATE] * 3
    assert model.cancel_id(0, 60, 1).status is Status.LATE
    assert model.cancel_id(0, 61, 2).other == 8


def test_r11_quotas_and_capacities() -> None:
    with ReferenceModel(2, posted_capacity=2, quota_unexpected=1) as model:
        assert [model.post(e, e, Key(match=e)).status for e in (0, 1)] == [Status.QUEUED] * 2
        assert model.post(0, 3, Key(match=9)).status is Status.REFUSED_QUOTA
        assert model.arrive(0, 4, 7, 7).status is Status.QUEUED
        assert model.arrive(0, 5, 7, 7).status is Status.STALLED
        assert model.set_quota(0, 0, 2) is Status.OK
        assert model.arrive(0, 5, 7, 7).status is Status.QUEUED
        assert model.set_quota(2, 0, 2) is Status.REFUSED_ENDPOINT


def test_r11_reserves() -> None:
    with ReferenceModel(2, posted_capacity=2, unexpected_capacity=1) as model:
        assert model.set_reserve(1, 1, 0) is Status.OK
        assert model.post(0, 1, Key(match=1)).status is Status.QUEUED
        assert model.post(0, 2, Key(match=2)).status is Status.REFUSED_QUOTA
        assert model.arrive(0, 3, 7, 7).status is Status.QUEUED
        assert model.post(1, 4, Key(match=4)).status is Status.QUEUED
        assert model.set_reserve(2, 0, 1) is Status.REFUSED_ENDPOINT


def test_r13_an_unknown_endpoint_is_refused(model: ReferenceModel) -> None:
    assert model.post(2, 1, Key()).status is Status.REFUSED_ENDPOINT
    verdict, removed = model.flush(2**32 - 1, 2)
    assert (verdict.status, removed) == (Status.REFUSED_ENDPOINT, [])
    assert model.entries(2, Queue.POSTED) == []
    assert model.stats()["refused_endpoint"] == 2


def test_r14_flush_returns_what_it_removed(model: ReferenceModel) -> None:
    model.post(0, 1, Key.mpi(3, None, None), length=4, address=5, receive_id=6)
    model.post(0, 2, Key.mpi(4, 1, 1))
    model.arrive(0, 3, Key.mpi(3, 1, -1).match, 1, length=7, place=8)
    before = [entry for queue in Queue for entry in model.entries(0, queue)]
    context_3 = Key(match=3 << 32, ignore=2**32 - 1, source_ignore=2**32 - 1)
    verdict, removed = model.flush(0, 9, context_3)
    assert verdict.status is Status.FLUSHED
    assert (verdict.removed_posted, verdict.removed_unexpected) == (1, 1)
    assert removed == [before[0], before[2]]
    receive, message = removed
    assert (receive.handle, receive.length, receive.address) == (1, 4, 5)
    assert (receive.receive_id, receive.queue) == (6, Queue.POSTED)
    assert receive.key == Key.mpi(3, None, None)
    assert (message.handle, message.length, message.address) == (3, 7, 8)
    assert message.queue is Queue.UNEXPECTED
    assert model.depth(0, Queue.POSTED) == 1
    model.reset()
    assert model.depth(0, Queue.POSTED) == 0


def test_statistics_come_by_name(model: ReferenceModel) -> None:
    model.post(0, 1, Key(match=1))
    model.post(0, 2, Key(match=2))
    model.arrive(0, 3, 2, 0, length=1)
    stats = model.stats()
    assert (stats["posts"], stats["arrivals"], stats["queued"], stats["matched"]) == (2, 1, 2, 1)
    assert (stats["visited"], stats["truncated"]) == (2, 1)
    assert (stats["posted_max"], stats["posted_depth"], stats["endpoint_posted_max"]) == (2, 1, 2)
    assert stats["endpoint_unexpected_max"] == 0


def test_numbers_that_do_not_fit_are_refused(model: ReferenceModel) -> None:
    with pytest.raises(ValueError, match="handle 18446744073709551616 does not fit"):
        model.post(0, 2**64, Key())
    with pytest.raises(ValueError, match="source -1 does not fit"):
        model.arrive(0, 1, 0, -1)
    with pytest.raises(ValueError, match="match 18446744073709551616 does not fit"):
        model.probe(0, 1, Key(match=2**64))
    with pytest.raises(ValueError, match="endpoint 4294967296 does not fit"):
        model.cancel(2**32, 1, 1)
    with pytest.raises(ValueError, match="receive_id 4294967296 does not fit"):
        model.cancel_id(0, 1, 2**32)
    assert model.stats()["posts"] == 0


def test_a_closed_model_and_one_without_endpoints_are_refused(model: ReferenceModel) -> None:
    with pytest.raises(ValueError, match="refuses an argument, or is closed"):
        ReferenceModel(0)
    model.close()
    with pytest.raises(ValueError, match="refuses an argument, or is closed"):
        model.post(0, 1, Key())
