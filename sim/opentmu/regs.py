# SPDX-License-Identifier: Apache-2.0
# Generated from hw/src/tmu/contract by ./tmu generate. Do not edit.
"""Constants of the host interface."""

from dataclasses import dataclass
from enum import IntEnum
from typing import Final

MAGIC: Final = 0x4F544D55
INTERFACE_MAJOR: Final = 2
INTERFACE_MINOR: Final = 4
REGISTER_BYTES: Final = 0x1000
DOORBELL_PAGE_BYTES: Final = 4096
DOORBELL_COMMAND_BYTES: Final = 64
DOORBELL_COMMAND_WINDOW_BYTES: Final = 2048
DOORBELL_CONSUMER_OFFSET: Final = 2048
RING_LOG2_MIN: Final = 4
RING_LOG2_MAX: Final = 16


class Opcode(IntEnum):
    POST = 1  # Receive: takes the oldest matching unexpected message or is queued (R4, R5).
    ARRIVE = 2  # Message: takes the oldest matching posted receive or is queued (R3, R6).
    PROBE = 3  # Reports the oldest matching unexpected message, changes nothing (R8).
    CLAIM = 4  # Removes the oldest matching unexpected message for the caller (R9).
    CANCEL = 5  # Removes the posted receive with the given receive id (R10).
    FLUSH = 6  # Removes every entry of the endpoint that the key selects (R14).
    INSPECT = 7  # Privileged: reads the entry at a place of a queue's table, oldest first.


class Status(IntEnum):
    MATCHED = 1  # Matched; the other side's entry is consumed.
    QUEUED = 2  # No match; appended to the queue.
    FOUND = 3  # Probe: a message is there and stays.
    NONE = 4  # Probe or claim: no matching message.
    CANCELLED = 5  # Cancel: the receive was queued and is removed.
    LATE = 6  # Cancel: no such receive is queued; nothing changed.
    REMOVED = 7  # Flush: one removed entry; more completions of this command follow.
    FLUSHED = 8  # Flush: done; counts of removed entries.
    REFUSED_QUOTA = 9  # Post: quota or table used up; nothing changed.
    REFUSED_ENDPOINT = 10  # The unit has no such endpoint; nothing changed.
    STALLED = 11  # Arrive: quota or table used up; nothing changed, offer it again later.
    MALFORMED = 12  # Unknown opcode or a field that must be zero is not; nothing changed.
    REFUSED_PRIVILEGE = 13  # Needs the privileged page; nothing changed.
    ENTRY = 14  # Inspect: the entry at that place.
    EMPTY = 15  # Inspect: beyond the table's last place.
    VACANT = 16  # Inspect: no entry at that place; there may be later ones.
    SPILL_FAILED = 17  # Memory beyond the tables has failed: no answer is known until a reset.
    TABLE_FAULT = 18  # A stored word has lost a bit: no answer of the endpoint until a reset.


class Fault(IntEnum):
    POSTED_LANES = 1  # Lanes of the array of receives.
    UNEXPECTED_LANES = 2  # Lanes of the array of messages.
    POSTED_STORE = 3  # Whole receives.
    UNEXPECTED_STORE = 4  # Whole messages.
    POSTED_SLOTS = 5  # Free places for receives: one is lost, no answer.
    UNEXPECTED_SLOTS = 6  # Free places for messages: one is lost, no answer.
    POSTED_FILTERS = 7  # Filter ids of receives: made up for.
    UNEXPECTED_FILTERS = 8  # Filter ids of messages: made up for.
    POST_TALLIES = 9  # What posts have done at endpoints.
    ARRIVAL_TALLIES = 10  # What arrivals have done at endpoints.
    POSTED_QUOTAS = 11  # Quotas of receives.
    UNEXPECTED_QUOTAS = 12  # Quotas of messages.
    MARKS = 13  # Which endpoints have something in memory.
    CHUNK_LINKS = 14  # The chunk behind a chunk: memory has failed.
    CHUNK_LIVES = 15  # The live places of a chunk: memory has failed.
    FREE_CHUNKS = 16  # Free chunks: one is lost, no answer.
    LISTS = 17  # Queues in memory, by endpoint: memory has failed.
    ANSWERED = 18  # Commands that memory has answered, by endpoint: memory has failed.
    WORDS = 19  # Words in memory that stand for entries: made up for.
    ENTRIES = 20  # Entries in memory.


REGISTERS: Final[dict[str, int]] = {
    "MAGIC": 0x000,
    "INTERFACE_VERSION": 0x004,
    "PRESET": 0x008,
    "ENDPOINTS": 0x00C,
    "POSTED_ENTRIES": 0x010,
    "UNEXPECTED_ENTRIES": 0x014,
    "LANES": 0x018,
    "MATCH_BITS": 0x01C,
    "SOURCE_BITS": 0x020,
    "HANDLE_BITS": 0x024,
    "ADDRESS_BITS": 0x028,
    "LENGTH_BITS": 0x02C,
    "ID_BITS": 0x030,
    "COMMAND_SLOTS": 0x034,
    "CAPABILITIES": 0x038,
    "ARRAY_ENTRIES": 0x03C,
    "FILTER_LANES": 0x040,
    "FILTER_BITS": 0x044,
    "QUEUES": 0x048,
    "SPILL_SEGMENTS": 0x04C,
    "CONTROL": 0x080,
    "STATUS": 0x084,
    "ENDPOINT_SELECT": 0x0B0,
    "QUOTA_POSTED": 0x0B4,
    "QUOTA_UNEXPECTED": 0x0B8,
    "RESERVE_POSTED": 0x140,
    "RESERVE_UNEXPECTED": 0x144,
    "ENDPOINT_COMMAND": 0x0BC,
    "ENDPOINT_STATUS": 0x0C0,
    "DEPTH_POSTED": 0x0C4,
    "DEPTH_UNEXPECTED": 0x0C8,
    "PAGE_SELECT": 0x090,
    "RING_BASE_LO": 0x094,
    "RING_BASE_HI": 0x098,
    "RING_CONFIG": 0x09C,
    "PAGE_COMMIT": 0x0A0,
    "RING_PATIENCE": 0x0A4,
    "PAGE_ENDPOINT": 0x0A8,
    "QUEUE_CONFIG": 0x0AC,
    "PAGE_STATUS": 0x0CC,
    "FILTER_SOURCE": 0x0D0,
    "FILTER_LOW_LO": 0x0D4,
    "FILTER_LOW_HI": 0x0D8,
    "FILTER_HIGH_LO": 0x0DC,
    "FILTER_HIGH_HI": 0x0E0,
    "SPILL_BASE_LO": 0x0E4,
    "SPILL_BASE_HI": 0x0E8,
    "SPILL_COMMIT": 0x0EC,
    "SPILL_STATUS": 0x0F0,
    "SPILL_FREE": 0x0F4,
    "FAULT_SELECT": 0x0F8,
    "FAULT_INJECT": 0x0FC,
    "FAULT_STATUS": 0x100,
    "SPILL_SELECT": 0x104,
    "SPILL_LOOK": 0x108,
    "SPILL_STATE": 0x10C,
    "SPILL_COUNT": 0x110,
    "SPILL_HEAD": 0x114,
    "SPILL_NEXT": 0x118,
    "SPILL_LIVE_LO": 0x11C,
    "SPILL_LIVE_HI": 0x120,
    "COUNTER_CLOCKS_LO": 0x400,
    "COUNTER_CLOCKS_HI": 0x404,
    "COUNTER_POSTS_LO": 0x408,
    "COUNTER_POSTS_HI": 0x40C,
    "COUNTER_ARRIVALS_LO": 0x410,
    "COUNTER_ARRIVALS_HI": 0x414,
    "COUNTER_PROBES_LO": 0x418,
    "COUNTER_PROBES_HI": 0x41C,
    "COUNTER_CLAIMS_LO": 0x420,
    "COUNTER_CLAIMS_HI": 0x424,
    "COUNTER_CANCELS_LO": 0x428,
    "COUNTER_CANCELS_HI": 0x42C,
    "COUNTER_FLUSHES_LO": 0x430,
    "COUNTER_FLUSHES_HI": 0x434,
    "COUNTER_INSPECTS_LO": 0x438,
    "COUNTER_INSPECTS_HI": 0x43C,
    "COUNTER_POST_MATCHED_LO": 0x440,
    "COUNTER_POST_MATCHED_HI": 0x444,
    "COUNTER_POST_QUEUED_LO": 0x448,
    "COUNTER_POST_QUEUED_HI": 0x44C,
    "COUNTER_POST_REFUSED_LO": 0x450,
    "COUNTER_POST_REFUSED_HI": 0x454,
    "COUNTER_ARRIVE_MATCHED_LO": 0x458,
    "COUNTER_ARRIVE_MATCHED_HI": 0x45C,
    "COUNTER_ARRIVE_QUEUED_LO": 0x460,
    "COUNTER_ARRIVE_QUEUED_HI": 0x464,
    "COUNTER_ARRIVE_STALLED_LO": 0x468,
    "COUNTER_ARRIVE_STALLED_HI": 0x46C,
    "COUNTER_PROBE_FOUND_LO": 0x470,
    "COUNTER_PROBE_FOUND_HI": 0x474,
    "COUNTER_CLAIM_MATCHED_LO": 0x478,
    "COUNTER_CLAIM_MATCHED_HI": 0x47C,
    "COUNTER_CANCELLED_LO": 0x480,
    "COUNTER_CANCELLED_HI": 0x484,
    "COUNTER_CANCEL_LATE_LO": 0x488,
    "COUNTER_CANCEL_LATE_HI": 0x48C,
    "COUNTER_REMOVED_POSTED_LO": 0x490,
    "COUNTER_REMOVED_POSTED_HI": 0x494,
    "COUNTER_REMOVED_UNEXPECTED_LO": 0x498,
    "COUNTER_REMOVED_UNEXPECTED_HI": 0x49C,
    "COUNTER_TRUNCATED_LO": 0x4A0,
    "COUNTER_TRUNCATED_HI": 0x4A4,
    "COUNTER_REFUSED_ENDPOINT_LO": 0x4A8,
    "COUNTER_REFUSED_ENDPOINT_HI": 0x4AC,
    "COUNTER_REFUSED_PRIVILEGE_LO": 0x4B0,
    "COUNTER_REFUSED_PRIVILEGE_HI": 0x4B4,
    "COUNTER_MALFORMED_LO": 0x4B8,
    "COUNTER_MALFORMED_HI": 0x4BC,
    "COUNTER_POSTED_VISITED_LO": 0x4C0,
    "COUNTER_POSTED_VISITED_HI": 0x4C4,
    "COUNTER_UNEXPECTED_VISITED_LO": 0x4C8,
    "COUNTER_UNEXPECTED_VISITED_HI": 0x4CC,
    "COUNTER_FILTER_PASSES_LO": 0x4D0,
    "COUNTER_FILTER_PASSES_HI": 0x4D4,
    "COUNTER_FILTER_CANDIDATES_LO": 0x4D8,
    "COUNTER_FILTER_CANDIDATES_HI": 0x4DC,
    "COUNTER_FILTER_FALSE_LO": 0x4E0,
    "COUNTER_FILTER_FALSE_HI": 0x4E4,
    "COUNTER_LIFTED_LO": 0x4E8,
    "COUNTER_LIFTED_HI": 0x4EC,
    "COUNTER_LONG_CLOCKS_LO": 0x4F0,
    "COUNTER_LONG_CLOCKS_HI": 0x4F4,
    "COUNTER_POSTED_DEPTH_MAX_LO": 0x4F8,
    "COUNTER_POSTED_DEPTH_MAX_HI": 0x4FC,
    "COUNTER_UNEXPECTED_DEPTH_MAX_LO": 0x500,
    "COUNTER_UNEXPECTED_DEPTH_MAX_HI": 0x504,
    "COUNTER_BUSY_CLOCKS_LO": 0x508,
    "COUNTER_BUSY_CLOCKS_HI": 0x50C,
    "COUNTER_COMMAND_STALL_CLOCKS_LO": 0x510,
    "COUNTER_COMMAND_STALL_CLOCKS_HI": 0x514,
    "COUNTER_COMPLETION_STALL_CLOCKS_LO": 0x518,
    "COUNTER_COMPLETION_STALL_CLOCKS_HI": 0x51C,
    "COUNTER_FIRST_ACCEPT_LO": 0x520,
    "COUNTER_FIRST_ACCEPT_HI": 0x524,
    "COUNTER_LAST_VERDICT_LO": 0x528,
    "COUNTER_LAST_VERDICT_HI": 0x52C,
    "COUNTER_DOORBELL_ERRORS_LO": 0x530,
    "COUNTER_DOORBELL_ERRORS_HI": 0x534,
    "COUNTER_DISABLED_DROPS_LO": 0x538,
    "COUNTER_DISABLED_DROPS_HI": 0x53C,
    "COUNTER_COMPLETION_ERRORS_LO": 0x540,
    "COUNTER_COMPLETION_ERRORS_HI": 0x544,
    "COUNTER_REGISTER_ERRORS_LO": 0x548,
    "COUNTER_REGISTER_ERRORS_HI": 0x54C,
    "COUNTER_RING_OVERRUNS_LO": 0x550,
    "COUNTER_RING_OVERRUNS_HI": 0x554,
    "COUNTER_QUEUE_OVERRUNS_LO": 0x558,
    "COUNTER_QUEUE_OVERRUNS_HI": 0x55C,
    "COUNTER_SPILL_DEFERRED_LO": 0x560,
    "COUNTER_SPILL_DEFERRED_HI": 0x564,
    "COUNTER_SPILL_APPENDED_LO": 0x568,
    "COUNTER_SPILL_APPENDED_HI": 0x56C,
    "COUNTER_SPILL_TAKEN_LO": 0x570,
    "COUNTER_SPILL_TAKEN_HI": 0x574,
    "COUNTER_SPILL_REFILLED_LO": 0x578,
    "COUNTER_SPILL_REFILLED_HI": 0x57C,
    "COUNTER_SPILL_FALSE_LO": 0x580,
    "COUNTER_SPILL_FALSE_HI": 0x584,
    "COUNTER_SPILL_READS_LO": 0x588,
    "COUNTER_SPILL_READS_HI": 0x58C,
    "COUNTER_SPILL_WRITES_LO": 0x590,
    "COUNTER_SPILL_WRITES_HI": 0x594,
    "COUNTER_SPILL_REFUSED_LO": 0x598,
    "COUNTER_SPILL_REFUSED_HI": 0x59C,
    "COUNTER_SPILL_ERRORS_LO": 0x5A0,
    "COUNTER_SPILL_ERRORS_HI": 0x5A4,
    "COUNTER_TABLE_FAULTS_LO": 0x5A8,
    "COUNTER_TABLE_FAULTS_HI": 0x5AC,
}

# (low bit, width) by register and field
REGISTER_FIELDS: Final[dict[str, dict[str, tuple[int, int]]]] = {
    "INTERFACE_VERSION": {
        "MINOR": (0, 16),
        "MAJOR": (16, 16),
    },
    "CAPABILITIES": {
        "INSPECT": (0, 1),
        "QUOTA": (1, 1),
        "SPILL": (2, 1),
        "PARITY": (3, 1),
        "RESERVE": (4, 1),
    },
    "CONTROL": {
        "RESET": (0, 1),
        "SNAPSHOT": (1, 1),
    },
    "STATUS": {
        "READY": (0, 1),
        "IDLE": (1, 1),
    },
    "ENDPOINT_COMMAND": {
        "SET_QUOTA": (0, 1),
        "READ_DEPTH": (1, 1),
    },
    "ENDPOINT_STATUS": {
        "BUSY": (0, 1),
        "ERROR": (1, 1),
    },
    "RING_CONFIG": {
        "LOG2": (0, 5),
        "ENABLE": (8, 1),
    },
    "PAGE_COMMIT": {
        "COMMIT": (0, 1),
    },
    "QUEUE_CONFIG": {
        "FIRST": (0, 16),
        "LOG2": (16, 4),
    },
    "PAGE_STATUS": {
        "BUSY": (0, 1),
        "ERROR": (1, 1),
    },
    "SPILL_COMMIT": {
        "ADD": (0, 1),
    },
    "SPILL_STATUS": {
        "SEGMENTS": (0, 8),
        "ERROR": (8, 1),
    },
    "FAULT_SELECT": {
        "PLACE": (0, 5),
        "BIT": (8, 10),
    },
    "FAULT_INJECT": {
        "FLIP": (0, 1),
    },
    "FAULT_STATUS": {
        "SEEN": (0, 21),
        "WIDTH": (21, 10),
        "FLIPPED": (31, 1),
    },
    "SPILL_SELECT": {
        "CHUNK": (0, 24),
        "UNEXPECTED": (31, 1),
    },
    "SPILL_LOOK": {
        "FETCH": (0, 1),
    },
    "SPILL_STATE": {
        "RESTING": (0, 1),
        "ERROR": (1, 1),
        "FAILED": (2, 1),
        "LOST_NEXT": (3, 1),
        "LOST_LIVE": (4, 1),
    },
    "SPILL_LIVE_HI": {
        "PLACES": (0, 28),
    },
}

REGISTER_ACCESS: Final[dict[str, str]] = {
    "MAGIC": "r",
    "INTERFACE_VERSION": "r",
    "PRESET": "r",
    "ENDPOINTS": "r",
    "POSTED_ENTRIES": "r",
    "UNEXPECTED_ENTRIES": "r",
    "LANES": "r",
    "MATCH_BITS": "r",
    "SOURCE_BITS": "r",
    "HANDLE_BITS": "r",
    "ADDRESS_BITS": "r",
    "LENGTH_BITS": "r",
    "ID_BITS": "r",
    "COMMAND_SLOTS": "r",
    "CAPABILITIES": "r",
    "ARRAY_ENTRIES": "r",
    "FILTER_LANES": "r",
    "FILTER_BITS": "r",
    "QUEUES": "r",
    "SPILL_SEGMENTS": "r",
    "CONTROL": "w",
    "STATUS": "r",
    "ENDPOINT_SELECT": "rw",
    "QUOTA_POSTED": "rw",
    "QUOTA_UNEXPECTED": "rw",
    "RESERVE_POSTED": "rw",
    "RESERVE_UNEXPECTED": "rw",
    "ENDPOINT_COMMAND": "w",
    "ENDPOINT_STATUS": "r",
    "DEPTH_POSTED": "r",
    "DEPTH_UNEXPECTED": "r",
    "PAGE_SELECT": "rw",
    "RING_BASE_LO": "rw",
    "RING_BASE_HI": "rw",
    "RING_CONFIG": "rw",
    "PAGE_COMMIT": "w",
    "RING_PATIENCE": "rw",
    "PAGE_ENDPOINT": "rw",
    "QUEUE_CONFIG": "rw",
    "PAGE_STATUS": "r",
    "FILTER_SOURCE": "rw",
    "FILTER_LOW_LO": "rw",
    "FILTER_LOW_HI": "rw",
    "FILTER_HIGH_LO": "rw",
    "FILTER_HIGH_HI": "rw",
    "SPILL_BASE_LO": "rw",
    "SPILL_BASE_HI": "rw",
    "SPILL_COMMIT": "w",
    "SPILL_STATUS": "r",
    "SPILL_FREE": "r",
    "FAULT_SELECT": "rw",
    "FAULT_INJECT": "w",
    "FAULT_STATUS": "r",
    "SPILL_SELECT": "rw",
    "SPILL_LOOK": "w",
    "SPILL_STATE": "r",
    "SPILL_COUNT": "r",
    "SPILL_HEAD": "r",
    "SPILL_NEXT": "r",
    "SPILL_LIVE_LO": "r",
    "SPILL_LIVE_HI": "r",
    "COUNTER_CLOCKS_LO": "r",
    "COUNTER_CLOCKS_HI": "r",
    "COUNTER_POSTS_LO": "r",
    "COUNTER_POSTS_HI": "r",
    "COUNTER_ARRIVALS_LO": "r",
    "COUNTER_ARRIVALS_HI": "r",
    "COUNTER_PROBES_LO": "r",
    "COUNTER_PROBES_HI": "r",
    "COUNTER_CLAIMS_LO": "r",
    "COUNTER_CLAIMS_HI": "r",
    "COUNTER_CANCELS_LO": "r",
    "COUNTER_CANCELS_HI": "r",
    "COUNTER_FLUSHES_LO": "r",
    "COUNTER_FLUSHES_HI": "r",
    "COUNTER_INSPECTS_LO": "r",
    "COUNTER_INSPECTS_HI": "r",
    "COUNTER_POST_MATCHED_LO": "r",
    "COUNTER_POST_MATCHED_HI": "r",
    "COUNTER_POST_QUEUED_LO": "r",
    "COUNTER_POST_QUEUED_HI": "r",
    "COUNTER_POST_REFUSED_LO": "r",
    "COUNTER_POST_REFUSED_HI": "r",
    "COUNTER_ARRIVE_MATCHED_LO": "r",
    "COUNTER_ARRIVE_MATCHED_HI": "r",
    "COUNTER_ARRIVE_QUEUED_LO": "r",
    "COUNTER_ARRIVE_QUEUED_HI": "r",
    "COUNTER_ARRIVE_STALLED_LO": "r",
    "COUNTER_ARRIVE_STALLED_HI": "r",
    "COUNTER_PROBE_FOUND_LO": "r",
    "COUNTER_PROBE_FOUND_HI": "r",
    "COUNTER_CLAIM_MATCHED_LO": "r",
    "COUNTER_CLAIM_MATCHED_HI": "r",
    "COUNTER_CANCELLED_LO": "r",
    "COUNTER_CANCELLED_HI": "r",
    "COUNTER_CANCEL_LATE_LO": "r",
    "COUNTER_CANCEL_LATE_HI": "r",
    "COUNTER_REMOVED_POSTED_LO": "r",
    "COUNTER_REMOVED_POSTED_HI": "r",
    "COUNTER_REMOVED_UNEXPECTED_LO": "r",
    "COUNTER_REMOVED_UNEXPECTED_HI": "r",
    "COUNTER_TRUNCATED_LO": "r",
    "COUNTER_TRUNCATED_HI": "r",
    "COUNTER_REFUSED_ENDPOINT_LO": "r",
    "COUNTER_REFUSED_ENDPOINT_HI": "r",
    "COUNTER_REFUSED_PRIVILEGE_LO": "r",
    "COUNTER_REFUSED_PRIVILEGE_HI": "r",
    "COUNTER_MALFORMED_LO": "r",
    "COUNTER_MALFORMED_HI": "r",
    "COUNTER_POSTED_VISITED_LO": "r",
    "COUNTER_POSTED_VISITED_HI": "r",
    "COUNTER_UNEXPECTED_VISITED_LO": "r",
    "COUNTER_UNEXPECTED_VISITED_HI": "r",
    "COUNTER_FILTER_PASSES_LO": "r",
    "COUNTER_FILTER_PASSES_HI": "r",
    "COUNTER_FILTER_CANDIDATES_LO": "r",
    "COUNTER_FILTER_CANDIDATES_HI": "r",
    "COUNTER_FILTER_FALSE_LO": "r",
    "COUNTER_FILTER_FALSE_HI": "r",
    "COUNTER_LIFTED_LO": "r",
    "COUNTER_LIFTED_HI": "r",
    "COUNTER_LONG_CLOCKS_LO": "r",
    "COUNTER_LONG_CLOCKS_HI": "r",
    "COUNTER_POSTED_DEPTH_MAX_LO": "r",
    "COUNTER_POSTED_DEPTH_MAX_HI": "r",
    "COUNTER_UNEXPECTED_DEPTH_MAX_LO": "r",
    "COUNTER_UNEXPECTED_DEPTH_MAX_HI": "r",
    "COUNTER_BUSY_CLOCKS_LO": "r",
    "COUNTER_BUSY_CLOCKS_HI": "r",
    "COUNTER_COMMAND_STALL_CLOCKS_LO": "r",
    "COUNTER_COMMAND_STALL_CLOCKS_HI": "r",
    "COUNTER_COMPLETION_STALL_CLOCKS_LO": "r",
    "COUNTER_COMPLETION_STALL_CLOCKS_HI": "r",
    "COUNTER_FIRST_ACCEPT_LO": "r",
    "COUNTER_FIRST_ACCEPT_HI": "r",
    "COUNTER_LAST_VERDICT_LO": "r",
    "COUNTER_LAST_VERDICT_HI": "r",
    "COUNTER_DOORBELL_ERRORS_LO": "r",
    "COUNTER_DOORBELL_ERRORS_HI": "r",
    "COUNTER_DISABLED_DROPS_LO": "r",
    "COUNTER_DISABLED_DROPS_HI": "r",
    "COUNTER_COMPLETION_ERRORS_LO": "r",
    "COUNTER_COMPLETION_ERRORS_HI": "r",
    "COUNTER_REGISTER_ERRORS_LO": "r",
    "COUNTER_REGISTER_ERRORS_HI": "r",
    "COUNTER_RING_OVERRUNS_LO": "r",
    "COUNTER_RING_OVERRUNS_HI": "r",
    "COUNTER_QUEUE_OVERRUNS_LO": "r",
    "COUNTER_QUEUE_OVERRUNS_HI": "r",
    "COUNTER_SPILL_DEFERRED_LO": "r",
    "COUNTER_SPILL_DEFERRED_HI": "r",
    "COUNTER_SPILL_APPENDED_LO": "r",
    "COUNTER_SPILL_APPENDED_HI": "r",
    "COUNTER_SPILL_TAKEN_LO": "r",
    "COUNTER_SPILL_TAKEN_HI": "r",
    "COUNTER_SPILL_REFILLED_LO": "r",
    "COUNTER_SPILL_REFILLED_HI": "r",
    "COUNTER_SPILL_FALSE_LO": "r",
    "COUNTER_SPILL_FALSE_HI": "r",
    "COUNTER_SPILL_READS_LO": "r",
    "COUNTER_SPILL_READS_HI": "r",
    "COUNTER_SPILL_WRITES_LO": "r",
    "COUNTER_SPILL_WRITES_HI": "r",
    "COUNTER_SPILL_REFUSED_LO": "r",
    "COUNTER_SPILL_REFUSED_HI": "r",
    "COUNTER_SPILL_ERRORS_LO": "r",
    "COUNTER_SPILL_ERRORS_HI": "r",
    "COUNTER_TABLE_FAULTS_LO": "r",
    "COUNTER_TABLE_FAULTS_HI": "r",
}

# (64-bit word, low bit, width)
COMMAND_FIELDS: Final[dict[str, tuple[int, int, int]]] = {
    "opcode": (0, 0, 8),
    "reserved0": (0, 8, 24),
    "endpoint": (0, 32, 32),
    "match": (1, 0, 64),
    "ignore": (2, 0, 64),
    "source": (3, 0, 32),
    "source_ignore": (3, 32, 32),
    "handle": (4, 0, 64),
    "address": (5, 0, 64),
    "length": (6, 0, 48),
    "reserved6": (6, 48, 16),
    "receive_id": (7, 0, 32),
    "reserved7": (7, 32, 32),
    "inspect_position": (5, 0, 32),
    "inspect_queue": (5, 32, 1),
}

# (64-bit word, low bit, width)
COMPLETION_FIELDS: Final[dict[str, tuple[int, int, int]]] = {
    "opcode": (0, 0, 8),
    "status": (0, 8, 8),
    "phase": (0, 16, 1),
    "truncated": (0, 17, 1),
    "unexpected": (0, 18, 1),
    "serial": (0, 32, 32),
    "handle": (1, 0, 64),
    "other": (2, 0, 64),
    "match": (3, 0, 64),
    "source": (4, 0, 32),
    "endpoint": (4, 32, 32),
    "message_length": (5, 0, 48),
    "host_latency": (5, 48, 16),
    "receive_length": (6, 0, 48),
    "unit_latency": (6, 48, 16),
    "address": (7, 0, 64),
    "removed_posted": (2, 0, 32),
    "removed_unexpected": (2, 32, 32),
    "entry_source_ignore": (0, 32, 32),
    "entry_ignore": (6, 0, 64),
}

# offset of the low word
COUNTERS: Final[dict[str, int]] = {
    "clocks": 0x400,
    "posts": 0x408,
    "arrivals": 0x410,
    "probes": 0x418,
    "claims": 0x420,
    "cancels": 0x428,
    "flushes": 0x430,
    "inspects": 0x438,
    "post_matched": 0x440,
    "post_queued": 0x448,
    "post_refused": 0x450,
    "arrive_matched": 0x458,
    "arrive_queued": 0x460,
    "arrive_stalled": 0x468,
    "probe_found": 0x470,
    "claim_matched": 0x478,
    "cancelled": 0x480,
    "cancel_late": 0x488,
    "removed_posted": 0x490,
    "removed_unexpected": 0x498,
    "truncated": 0x4A0,
    "refused_endpoint": 0x4A8,
    "refused_privilege": 0x4B0,
    "malformed": 0x4B8,
    "posted_visited": 0x4C0,
    "unexpected_visited": 0x4C8,
    "filter_passes": 0x4D0,
    "filter_candidates": 0x4D8,
    "filter_false": 0x4E0,
    "lifted": 0x4E8,
    "long_clocks": 0x4F0,
    "posted_depth_max": 0x4F8,
    "unexpected_depth_max": 0x500,
    "busy_clocks": 0x508,
    "command_stall_clocks": 0x510,
    "completion_stall_clocks": 0x518,
    "first_accept": 0x520,
    "last_verdict": 0x528,
    "doorbell_errors": 0x530,
    "disabled_drops": 0x538,
    "completion_errors": 0x540,
    "register_errors": 0x548,
    "ring_overruns": 0x550,
    "queue_overruns": 0x558,
    "spill_deferred": 0x560,
    "spill_appended": 0x568,
    "spill_taken": 0x570,
    "spill_refilled": 0x578,
    "spill_false": 0x580,
    "spill_reads": 0x588,
    "spill_writes": 0x590,
    "spill_refused": 0x598,
    "spill_errors": 0x5A0,
    "table_faults": 0x5A8,
}


@dataclass(frozen=True)
class Preset:
    """One configuration of the unit; the numbers of hw/src/tmu/params/Presets.scala."""

    name: str
    number: int
    endpoints: int
    posted_entries: int
    unexpected_entries: int
    posted_places: int
    unexpected_places: int
    array_entries: int
    lanes: int
    match_bits: int
    source_bits: int
    handle_bits: int
    address_bits: int
    length_bits: int
    id_bits: int
    queues: int
    command_slots: int
    spill_segments: int


PRESETS: Final[dict[str, Preset]] = {
    "nic": Preset(
        name="nic",
        number=0,
        endpoints=2048,
        posted_entries=16384,
        unexpected_entries=16384,
        posted_places=16480,
        unexpected_places=16480,
        array_entries=1024,
        lanes=64,
        match_bits=64,
        source_bits=32,
        handle_bits=64,
        address_bits=64,
        length_bits=48,
        id_bits=20,
        queues=2048,
        command_slots=4096,
        spill_segments=64,
    ),
    "tiny": Preset(
        name="tiny",
        number=1,
        endpoints=4,
        posted_entries=64,
        unexpected_entries=64,
        posted_places=96,
        unexpected_places=96,
        array_entries=32,
        lanes=16,
        match_bits=64,
        source_bits=32,
        handle_bits=64,
        address_bits=64,
        length_bits=48,
        id_bits=20,
        queues=64,
        command_slots=512,
        spill_segments=4,
    ),
    "formal": Preset(
        name="formal",
        number=2,
        endpoints=2,
        posted_entries=4,
        unexpected_entries=4,
        posted_places=4,
        unexpected_places=4,
        array_entries=4,
        lanes=2,
        match_bits=3,
        source_bits=2,
        handle_bits=4,
        address_bits=4,
        length_bits=3,
        id_bits=4,
        queues=2,
        command_slots=8,
        spill_segments=1,
    ),
    "ecp5": Preset(
        name="ecp5",
        number=3,
        endpoints=64,
        posted_entries=32,
        unexpected_entries=32,
        posted_places=32,
        unexpected_places=32,
        array_entries=32,
        lanes=16,
        match_bits=64,
        source_bits=32,
        handle_bits=64,
        address_bits=64,
        length_bits=48,
        id_bits=20,
        queues=64,
        command_slots=512,
        spill_segments=4,
    ),
    "max": Preset(
        name="max",
        number=4,
        endpoints=4096,
        posted_entries=65536,
        unexpected_entries=65536,
        posted_places=65632,
        unexpected_places=65632,
        array_entries=1024,
        lanes=64,
        match_bits=64,
        source_bits=32,
        handle_bits=64,
        address_bits=64,
        length_bits=48,
        id_bits=20,
        queues=4096,
        command_slots=8192,
        spill_segments=128,
    ),
}
