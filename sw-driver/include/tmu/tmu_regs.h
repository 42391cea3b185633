/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only */
/* Generated from hw/src/tmu/registers, layout and params by ./tmu generate. Do not edit. */
#ifndef TMU_REGS_H
#define TMU_REGS_H
/* clang-format off */

#define TMU_MAGIC 0x4f544d55u
#define TMU_INTERFACE_MAJOR 2
#define TMU_INTERFACE_MINOR 9
#define TMU_REGISTER_BYTES 0x1000

#define TMU_REG_MAGIC 0x000 /* read only: Reads 0x4f544d55. */
#define TMU_REG_INTERFACE_VERSION 0x004 /* read only: Version of this host interface; a driver refuses a major version that it does not know. */
#define TMU_INTERFACE_VERSION_MINOR_SHIFT 0 /* Additions that old drivers may ignore. */
#define TMU_INTERFACE_VERSION_MINOR_MASK 0xffffu
#define TMU_INTERFACE_VERSION_MAJOR_SHIFT 16 /* Incompatible changes. */
#define TMU_INTERFACE_VERSION_MAJOR_MASK 0xffffu
#define TMU_REG_PRESET 0x008 /* read only: Number of the preset this unit was built from; 65535 is a configuration of one's own. */
#define TMU_REG_ENDPOINTS 0x00c /* read only: Endpoints; they are numbered from 0. */
#define TMU_REG_POSTED_ENTRIES 0x010 /* read only: Posted receives on chip, all endpoints together. */
#define TMU_REG_UNEXPECTED_ENTRIES 0x014 /* read only: Unexpected messages on chip, all together. */
#define TMU_REG_LANES 0x018 /* read only: Lanes of a row of a match array. */
#define TMU_REG_MATCH_BITS 0x01c /* read only: Match bits kept. */
#define TMU_REG_SOURCE_BITS 0x020 /* read only: Source bits kept. */
#define TMU_REG_HANDLE_BITS 0x024 /* read only: Handle bits kept. */
#define TMU_REG_ADDRESS_BITS 0x028 /* read only: Address bits kept. */
#define TMU_REG_LENGTH_BITS 0x02c /* read only: Length bits kept. */
#define TMU_REG_ID_BITS 0x030 /* read only: Receive id bits; the id with all of them set names no receive. */
#define TMU_REG_COMMAND_SLOTS 0x034 /* read only: Commands that can wait on chip; QUEUE_CONFIG gives each page its share. */
#define TMU_REG_CAPABILITIES 0x038 /* read only: What this unit can do. */
#define TMU_CAPABILITIES_INSPECT_SHIFT 0 /* The inspect command. */
#define TMU_CAPABILITIES_INSPECT_MASK 0x1u
#define TMU_CAPABILITIES_QUOTA_SHIFT 1 /* Quotas per endpoint. */
#define TMU_CAPABILITIES_QUOTA_MASK 0x1u
#define TMU_CAPABILITIES_SPILL_SHIFT 2 /* Queues continue in memory when the tables are full. */
#define TMU_CAPABILITIES_SPILL_MASK 0x1u
#define TMU_CAPABILITIES_PARITY_SHIFT 3 /* Stored words are checked for flipped bits. */
#define TMU_CAPABILITIES_PARITY_MASK 0x1u
#define TMU_CAPABILITIES_RESERVE_SHIFT 4 /* An endpoint can have a reserve in the tables. */
#define TMU_CAPABILITIES_RESERVE_MASK 0x1u
#define TMU_CAPABILITIES_NETWORK_SHIFT 5 /* A card: messages arrive by frames, and no host brings one. */
#define TMU_CAPABILITIES_NETWORK_MASK 0x1u
#define TMU_CAPABILITIES_SEND_SHIFT 6 /* A card that sends: peers, registered memory. */
#define TMU_CAPABILITIES_SEND_MASK 0x1u
#define TMU_REG_ARRAY_ENTRIES 0x03c /* read only: Of each queue, the oldest entries, searched at one operation a clock. */
#define TMU_REG_FILTER_LANES 0x040 /* read only: Filter ids compared in one clock, of the entries beyond the arrays; 0 is none. */
#define TMU_REG_FILTER_BITS 0x044 /* read only: Bits of a filter id. */
#define TMU_REG_QUEUES 0x048 /* read only: Submission queues, a doorbell page each, numbered from 0; the privileged page has this number. */
#define TMU_REG_SPILL_SEGMENTS 0x04c /* read only: Segments of 2 MiB that the unit can take for queues that continue in memory. */
#define TMU_REG_TAG_BITS 0x050 /* read only: Match bits that MPI's tag takes, from bit 0 on: the highest is its sign (R2). The context lies above. */
#define TMU_REG_CONTROL 0x080 /* write 1 to trigger: Actions. */
#define TMU_CONTROL_RESET_SHIFT 0 /* Empties both queues, clears quotas, reserves, serial numbers, counters and rings. Commands that wait are lost. */
#define TMU_CONTROL_RESET_MASK 0x1u
#define TMU_CONTROL_SNAPSHOT_SHIFT 1 /* Copies all counters, at one clock, to where they can be read. The next access waits until that is done, 160 clocks at most. */
#define TMU_CONTROL_SNAPSHOT_MASK 0x1u
#define TMU_REG_STATUS 0x084 /* read only: State of the unit. */
#define TMU_STATUS_READY_SHIFT 0 /* Reset has finished. */
#define TMU_STATUS_READY_MASK 0x1u
#define TMU_STATUS_IDLE_SHIFT 1 /* No command works or has a completion on its way; none waits, but for room in its ring. */
#define TMU_STATUS_IDLE_MASK 0x1u
#define TMU_REG_ENDPOINT_SELECT 0x0b0 /* read/write: Endpoint that the next ENDPOINT_COMMAND means. */
#define TMU_REG_QUOTA_POSTED 0x0b4 /* read/write: Receives the endpoint may have queued; 0 is no quota. */
#define TMU_REG_QUOTA_UNEXPECTED 0x0b8 /* read/write: Messages the endpoint may have queued; 0 is no quota. */
#define TMU_REG_RESERVE_POSTED 0x140 /* read/write: Slots for receives on chip that are the endpoint's even while others fill the rest. */
#define TMU_REG_RESERVE_UNEXPECTED 0x144 /* read/write: Slots for messages on chip that are the endpoint's even while others fill the rest. */
#define TMU_REG_ENDPOINT_COMMAND 0x0bc /* write 1 to trigger: Acts on the selected endpoint between two commands of the stream. */
#define TMU_ENDPOINT_COMMAND_SET_QUOTA_SHIFT 0 /* Takes both quotas and both reserves over. */
#define TMU_ENDPOINT_COMMAND_SET_QUOTA_MASK 0x1u
#define TMU_ENDPOINT_COMMAND_READ_DEPTH_SHIFT 1 /* Fetches both depths. */
#define TMU_ENDPOINT_COMMAND_READ_DEPTH_MASK 0x1u
#define TMU_REG_ENDPOINT_STATUS 0x0c0 /* read only: State of the last ENDPOINT_COMMAND. */
#define TMU_ENDPOINT_STATUS_BUSY_SHIFT 0 /* Not done yet; a new one is ignored. */
#define TMU_ENDPOINT_STATUS_BUSY_MASK 0x1u
#define TMU_ENDPOINT_STATUS_ERROR_SHIFT 1 /* The selected endpoint is not there. */
#define TMU_ENDPOINT_STATUS_ERROR_MASK 0x1u
#define TMU_REG_DEPTH_POSTED 0x0c4 /* read only: Receives queued at the endpoint of the last READ_DEPTH. */
#define TMU_REG_DEPTH_UNEXPECTED 0x0c8 /* read only: Messages queued at the endpoint of the last READ_DEPTH. */
#define TMU_REG_PAGE_SELECT 0x090 /* read/write: Doorbell page that the next PAGE_COMMIT configures. */
#define TMU_REG_RING_BASE_LO 0x094 /* read/write: Bus address of the completion ring, low word; bits 5..0 are ignored. */
#define TMU_REG_RING_BASE_HI 0x098 /* read/write: Bus address of the completion ring, high word. */
#define TMU_REG_RING_CONFIG 0x09c /* read/write: Shape of the completion ring. */
#define TMU_RING_CONFIG_LOG2_SHIFT 0 /* Completions the ring holds, as a power of two: 4 to 16. */
#define TMU_RING_CONFIG_LOG2_MASK 0x1fu
#define TMU_RING_CONFIG_ENABLE_SHIFT 8 /* Commands of a page that is not enabled are dropped and counted. */
#define TMU_RING_CONFIG_ENABLE_MASK 0x1u
#define TMU_REG_PAGE_COMMIT 0x0a0 /* write 1 to trigger: Takes the selected page's configuration over. */
#define TMU_PAGE_COMMIT_COMMIT_SHIFT 0 /* Configures the page and sets its ring's indices to 0. Its commands that have not begun are lost. */
#define TMU_PAGE_COMMIT_COMMIT_MASK 0x1u
#define TMU_REG_RING_PATIENCE 0x0a4 /* read/write: Clocks that a page whose ring is full may hold up all others in a row. Then the page is disabled, its completions are dropped, and RING_OVERRUNS counts one. 0 is no limit. Only a flush of more entries than its ring has room for, or a consumer index that is not true, gets there: other commands start when there is room for their answers. */
#define TMU_RING_PATIENCE_INITIAL 0x4000000u /* after reset */
#define TMU_REG_PAGE_ENDPOINT 0x0a8 /* read/write: Endpoint that the page acts for; of no effect on the privileged page. */
#define TMU_REG_QUEUE_CONFIG 0x0ac /* read/write: The page's share of the command slots. Shares must not overlap; a command that finds no free slot in its share is dropped, and QUEUE_OVERRUNS counts it. */
#define TMU_QUEUE_CONFIG_FIRST_SHIFT 0 /* First slot; a multiple of the share. */
#define TMU_QUEUE_CONFIG_FIRST_MASK 0xffffu
#define TMU_QUEUE_CONFIG_LOG2_SHIFT 16 /* Slots of the share, as a power of two. */
#define TMU_QUEUE_CONFIG_LOG2_MASK 0xfu
#define TMU_REG_PAGE_STATUS 0x0cc /* read only: State of the last PAGE_COMMIT. */
#define TMU_PAGE_STATUS_BUSY_SHIFT 0 /* Not done yet: a command that the page had begun, or a write to its ring, is on its way. A new commit is ignored. */
#define TMU_PAGE_STATUS_BUSY_MASK 0x1u
#define TMU_PAGE_STATUS_ERROR_SHIFT 1 /* The page, its endpoint, the ring's size or the share is out of range: nothing changed. */
#define TMU_PAGE_STATUS_ERROR_MASK 0x1u
#define TMU_REG_FILTER_SOURCE 0x0d0 /* read/write: Source bits that the filter id's piece is folded from. Windows take effect while no entry lies beyond the arrays. */
#define TMU_FILTER_SOURCE_INITIAL 0xffffffffu /* after reset */
#define TMU_REG_FILTER_LOW_LO 0x0d4 /* read/write: Match bits 31..0 that the filter id's piece is folded from. Windows take effect while no entry lies beyond the arrays. */
#define TMU_FILTER_LOW_LO_INITIAL 0xffffffffu /* after reset */
#define TMU_REG_FILTER_LOW_HI 0x0d8 /* read/write: Match bits 63..32 that the filter id's piece is folded from. Windows take effect while no entry lies beyond the arrays. */
#define TMU_REG_FILTER_HIGH_LO 0x0dc /* read/write: Match bits 31..0 that the filter id's piece is folded from. Windows take effect while no entry lies beyond the arrays. */
#define TMU_REG_FILTER_HIGH_HI 0x0e0 /* read/write: Match bits 63..32 that the filter id's piece is folded from. Windows take effect while no entry lies beyond the arrays. */
#define TMU_FILTER_HIGH_HI_INITIAL 0xffffffffu /* after reset */
#define TMU_REG_SPILL_BASE_LO 0x0e4 /* read/write: Bus address of the segment that the next SPILL_COMMIT adds, low word; bits 11..0 are ignored. */
#define TMU_REG_SPILL_BASE_HI 0x0e8 /* read/write: The same, high word. */
#define TMU_REG_SPILL_COMMIT 0x0ec /* write 1 to trigger: Registers memory with the unit, until the next reset. Without any, a full table refuses and stalls. */
#define TMU_SPILL_COMMIT_ADD_SHIFT 0 /* Adds the segment. The unit writes nowhere outside of segments. */
#define TMU_SPILL_COMMIT_ADD_MASK 0x1u
#define TMU_REG_SPILL_STATUS 0x0f0 /* read only: Memory registered with the unit. */
#define TMU_SPILL_STATUS_SEGMENTS_SHIFT 0 /* Segments that it has. */
#define TMU_SPILL_STATUS_SEGMENTS_MASK 0xffu
#define TMU_SPILL_STATUS_ERROR_SHIFT 8 /* The last SPILL_COMMIT was one too many: nothing changed. */
#define TMU_SPILL_STATUS_ERROR_MASK 0x1u
#define TMU_REG_SPILL_FREE 0x0f4 /* read only: Chunks of 4096 bytes in which nothing lies. */
#define TMU_REG_FAULT_SELECT 0x0f8 /* read/write: What the next FAULT_INJECT flips. */
#define TMU_FAULT_SELECT_PLACE_SHIFT 0 /* Number of the store; another one flips nothing. */
#define TMU_FAULT_SELECT_PLACE_MASK 0x1fu
#define TMU_FAULT_SELECT_BIT_SHIFT 8 /* Bit of the word; beyond its end nothing is flipped. */
#define TMU_FAULT_SELECT_BIT_MASK 0x3ffu
#define TMU_REG_FAULT_INJECT 0x0fc /* write 1 to trigger: For tests. */
#define TMU_FAULT_INJECT_FLIP_SHIFT 0 /* Flips the bit of the next word that is written there, once. */
#define TMU_FAULT_INJECT_FLIP_MASK 0x1u
#define TMU_REG_FAULT_STATUS 0x100 /* read only: Flipped bits since the last reset. */
#define TMU_FAULT_STATUS_SEEN_SHIFT 0 /* Bit n: the store with number n has given a word with a flipped bit. */
#define TMU_FAULT_STATUS_SEEN_MASK 0x1fffffu
#define TMU_FAULT_STATUS_WIDTH_SHIFT 21 /* Bits of a word in the store of the last FAULT_INJECT; 0 if it names none. */
#define TMU_FAULT_STATUS_WIDTH_MASK 0x3ffu
#define TMU_FAULT_STATUS_FLIPPED_SHIFT 31 /* The last FAULT_INJECT has flipped a bit. */
#define TMU_FAULT_STATUS_FLIPPED_MASK 0x1u
#define TMU_REG_FAULT_MORE 0x124 /* read only: The same, of further stores. */
#define TMU_FAULT_MORE_SEEN_SHIFT 0 /* Bit n: the store with number 21 + n has given a word with a flipped bit. */
#define TMU_FAULT_MORE_SEEN_MASK 0x1u
#define TMU_REG_SPILL_SELECT 0x104 /* read/write: What the next SPILL_LOOK fetches, of the endpoint in ENDPOINT_SELECT. */
#define TMU_SPILL_SELECT_CHUNK_SHIFT 0 /* Chunk that is meant. */
#define TMU_SPILL_SELECT_CHUNK_MASK 0xffffffu
#define TMU_SPILL_SELECT_UNEXPECTED_SHIFT 31 /* Queue that is meant: 0 receives, 1 messages. */
#define TMU_SPILL_SELECT_UNEXPECTED_MASK 0x1u
#define TMU_REG_SPILL_LOOK 0x108 /* write 1 to trigger: Looks at what the unit keeps about queues in memory. */
#define TMU_SPILL_LOOK_FETCH_SHIFT 0 /* Fetches the registers from SPILL_STATE on. The next access waits until that is done, 12 clocks at most. */
#define TMU_SPILL_LOOK_FETCH_MASK 0x1u
#define TMU_REG_SPILL_STATE 0x10c /* read only: Outcome of the last SPILL_LOOK. */
#define TMU_SPILL_STATE_RESTING_SHIFT 0 /* The registers behind this one say what is, and it stays so until a command comes. Otherwise they mean nothing: commands were under way, entries were or may be moved soon, or one of the other bits is set. */
#define TMU_SPILL_STATE_RESTING_MASK 0x1u
#define TMU_SPILL_STATE_ERROR_SHIFT 1 /* The selected endpoint is not there. */
#define TMU_SPILL_STATE_ERROR_MASK 0x1u
#define TMU_SPILL_STATE_FAILED_SHIFT 2 /* Memory has failed: no answer is known until a reset. */
#define TMU_SPILL_STATE_FAILED_MASK 0x1u
#define TMU_SPILL_STATE_LOST_NEXT_SHIFT 3 /* SPILL_NEXT has lost a bit. */
#define TMU_SPILL_STATE_LOST_NEXT_MASK 0x1u
#define TMU_SPILL_STATE_LOST_LIVE_SHIFT 4 /* SPILL_LIVE has lost a bit. */
#define TMU_SPILL_STATE_LOST_LIVE_MASK 0x1u
#define TMU_REG_SPILL_COUNT 0x110 /* read only: Entries of the queue that lie in memory. */
#define TMU_REG_SPILL_HEAD 0x114 /* read only: Chunk with the oldest of them, if there is one. */
#define TMU_REG_SPILL_NEXT 0x118 /* read only: Chunk behind the selected one; of no meaning in the youngest of a queue. */
#define TMU_REG_SPILL_LIVE_LO 0x11c /* read only: Bit n: slot n of the selected chunk has an entry that is queued, slots 0 to 31; lower ones are older. */
#define TMU_REG_SPILL_LIVE_HI 0x120 /* read only: The same, slots from 32 on. */
#define TMU_SPILL_LIVE_HI_PLACES_SHIFT 0 /* Slots 32 to 59. */
#define TMU_SPILL_LIVE_HI_PLACES_MASK 0xfffffffu
#define TMU_REG_COUNTER_CLOCKS_LO 0x400 /* read only: Clocks since reset. Low word, as of the last snapshot. */
#define TMU_REG_COUNTER_CLOCKS_HI 0x404 /* read only: Clocks since reset. High word. */
#define TMU_REG_COUNTER_POSTS_LO 0x408 /* read only: Posts answered. Low word, as of the last snapshot. */
#define TMU_REG_COUNTER_POSTS_HI 0x40c /* read only: Posts answered. High word. */
#define TMU_REG_COUNTER_ARRIVALS_LO 0x410 /* read only: Arrivals answered, stalled attempts included. Low word, as of the last snapshot. */
#define TMU_REG_COUNTER_ARRIVALS_HI 0x414 /* read only: Arrivals answered, stalled attempts included. High word. */
#define TMU_REG_COUNTER_PROBES_LO 0x418 /* read only: Probes answered. Low word, as of the last snapshot. */
#define TMU_REG_COUNTER_PROBES_HI 0x41c /* read only: Probes answered. High word. */
#define TMU_REG_COUNTER_CLAIMS_LO 0x420 /* read only: Claims answered. Low word, as of the last snapshot. */
#define TMU_REG_COUNTER_CLAIMS_HI 0x424 /* read only: Claims answered. High word. */
#define TMU_REG_COUNTER_CANCELS_LO 0x428 /* read only: Cancels answered. Low word, as of the last snapshot. */
#define TMU_REG_COUNTER_CANCELS_HI 0x42c /* read only: Cancels answered. High word. */
#define TMU_REG_COUNTER_FLUSHES_LO 0x430 /* read only: Flushes finished. Low word, as of the last snapshot. */
#define TMU_REG_COUNTER_FLUSHES_HI 0x434 /* read only: Flushes finished. High word. */
#define TMU_REG_COUNTER_INSPECTS_LO 0x438 /* read only: Inspects answered. Low word, as of the last snapshot. */
#define TMU_REG_COUNTER_INSPECTS_HI 0x43c /* read only: Inspects answered. High word. */
#define TMU_REG_COUNTER_POST_MATCHED_LO 0x440 /* read only: Posts that took an unexpected message. Low word, as of the last snapshot. */
#define TMU_REG_COUNTER_POST_MATCHED_HI 0x444 /* read only: Posts that took an unexpected message. High word. */
#define TMU_REG_COUNTER_POST_QUEUED_LO 0x448 /* read only: Posts appended to the posted-receive queue. Low word, as of the last snapshot. */
#define TMU_REG_COUNTER_POST_QUEUED_HI 0x44c /* read only: Posts appended to the posted-receive queue. High word. */
#define TMU_REG_COUNTER_POST_REFUSED_LO 0x450 /* read only: Posts refused by quota or full table. Low word, as of the last snapshot. */
#define TMU_REG_COUNTER_POST_REFUSED_HI 0x454 /* read only: Posts refused by quota or full table. High word. */
#define TMU_REG_COUNTER_ARRIVE_MATCHED_LO 0x458 /* read only: Arrivals that took a posted receive. Low word, as of the last snapshot. */
#define TMU_REG_COUNTER_ARRIVE_MATCHED_HI 0x45c /* read only: Arrivals that took a posted receive. High word. */
#define TMU_REG_COUNTER_ARRIVE_QUEUED_LO 0x460 /* read only: Arrivals appended to the unexpected-message queue. Low word, as of the last snapshot. */
#define TMU_REG_COUNTER_ARRIVE_QUEUED_HI 0x464 /* read only: Arrivals appended to the unexpected-message queue. High word. */
#define TMU_REG_COUNTER_ARRIVE_STALLED_LO 0x468 /* read only: Arrivals held back by quota or full table. Low word, as of the last snapshot. */
#define TMU_REG_COUNTER_ARRIVE_STALLED_HI 0x46c /* read only: Arrivals held back by quota or full table. High word. */
#define TMU_REG_COUNTER_PROBE_FOUND_LO 0x470 /* read only: Probes that found a message. Low word, as of the last snapshot. */
#define TMU_REG_COUNTER_PROBE_FOUND_HI 0x474 /* read only: Probes that found a message. High word. */
#define TMU_REG_COUNTER_CLAIM_MATCHED_LO 0x478 /* read only: Claims that took a message. Low word, as of the last snapshot. */
#define TMU_REG_COUNTER_CLAIM_MATCHED_HI 0x47c /* read only: Claims that took a message. High word. */
#define TMU_REG_COUNTER_CANCELLED_LO 0x480 /* read only: Cancels that removed a receive. Low word, as of the last snapshot. */
#define TMU_REG_COUNTER_CANCELLED_HI 0x484 /* read only: Cancels that removed a receive. High word. */
#define TMU_REG_COUNTER_CANCEL_LATE_LO 0x488 /* read only: Cancels that came too late. Low word, as of the last snapshot. */
#define TMU_REG_COUNTER_CANCEL_LATE_HI 0x48c /* read only: Cancels that came too late. High word. */
#define TMU_REG_COUNTER_REMOVED_POSTED_LO 0x490 /* read only: Receives removed by flushes. Low word, as of the last snapshot. */
#define TMU_REG_COUNTER_REMOVED_POSTED_HI 0x494 /* read only: Receives removed by flushes. High word. */
#define TMU_REG_COUNTER_REMOVED_UNEXPECTED_LO 0x498 /* read only: Messages removed by flushes. Low word, as of the last snapshot. */
#define TMU_REG_COUNTER_REMOVED_UNEXPECTED_HI 0x49c /* read only: Messages removed by flushes. High word. */
#define TMU_REG_COUNTER_TRUNCATED_LO 0x4a0 /* read only: Matches whose message is longer than the receive. Low word, as of the last snapshot. */
#define TMU_REG_COUNTER_TRUNCATED_HI 0x4a4 /* read only: Matches whose message is longer than the receive. High word. */
#define TMU_REG_COUNTER_REFUSED_ENDPOINT_LO 0x4a8 /* read only: Commands for an endpoint that is not there. Low word, as of the last snapshot. */
#define TMU_REG_COUNTER_REFUSED_ENDPOINT_HI 0x4ac /* read only: Commands for an endpoint that is not there. High word. */
#define TMU_REG_COUNTER_REFUSED_PRIVILEGE_LO 0x4b0 /* read only: Commands that need the privileged page. Low word, as of the last snapshot. */
#define TMU_REG_COUNTER_REFUSED_PRIVILEGE_HI 0x4b4 /* read only: Commands that need the privileged page. High word. */
#define TMU_REG_COUNTER_MALFORMED_LO 0x4b8 /* read only: Malformed commands. Low word, as of the last snapshot. */
#define TMU_REG_COUNTER_MALFORMED_HI 0x4bc /* read only: Malformed commands. High word. */
#define TMU_REG_COUNTER_POSTED_VISITED_LO 0x4c0 /* read only: Receives compared: for each search, all that are queued. Low word, as of the last snapshot. */
#define TMU_REG_COUNTER_POSTED_VISITED_HI 0x4c4 /* read only: Receives compared: for each search, all that are queued. High word. */
#define TMU_REG_COUNTER_UNEXPECTED_VISITED_LO 0x4c8 /* read only: Messages compared: for each search, all that are queued. Low word, as of the last snapshot. */
#define TMU_REG_COUNTER_UNEXPECTED_VISITED_HI 0x4cc /* read only: Messages compared: for each search, all that are queued. High word. */
#define TMU_REG_COUNTER_FILTER_PASSES_LO 0x4d0 /* read only: Memory rows of filter ids compared. Low word, as of the last snapshot. */
#define TMU_REG_COUNTER_FILTER_PASSES_HI 0x4d4 /* read only: Memory rows of filter ids compared. High word. */
#define TMU_REG_COUNTER_FILTER_CANDIDATES_LO 0x4d8 /* read only: Filter hits that were verified. Low word, as of the last snapshot. */
#define TMU_REG_COUNTER_FILTER_CANDIDATES_HI 0x4dc /* read only: Filter hits that were verified. High word. */
#define TMU_REG_COUNTER_FILTER_FALSE_LO 0x4e0 /* read only: Filter hits that the whole key did not confirm. Low word, as of the last snapshot. */
#define TMU_REG_COUNTER_FILTER_FALSE_HI 0x4e4 /* read only: Filter hits that the whole key did not confirm. High word. */
#define TMU_REG_COUNTER_LIFTED_LO 0x4e8 /* read only: Entries moved from memory rows into the arrays. Low word, as of the last snapshot. */
#define TMU_REG_COUNTER_LIFTED_HI 0x4ec /* read only: Entries moved from memory rows into the arrays. High word. */
#define TMU_REG_COUNTER_LONG_CLOCKS_LO 0x4f0 /* read only: Clocks in which a queue was longer than its array. Low word, as of the last snapshot. */
#define TMU_REG_COUNTER_LONG_CLOCKS_HI 0x4f4 /* read only: Clocks in which a queue was longer than its array. High word. */
#define TMU_REG_COUNTER_POSTED_DEPTH_MAX_LO 0x4f8 /* read only: Most receives queued at once, all endpoints together. Low word, as of the last snapshot. */
#define TMU_REG_COUNTER_POSTED_DEPTH_MAX_HI 0x4fc /* read only: Most receives queued at once, all endpoints together. High word. */
#define TMU_REG_COUNTER_UNEXPECTED_DEPTH_MAX_LO 0x500 /* read only: Most messages queued at once, all endpoints together. Low word, as of the last snapshot. */
#define TMU_REG_COUNTER_UNEXPECTED_DEPTH_MAX_HI 0x504 /* read only: Most messages queued at once, all endpoints together. High word. */
#define TMU_REG_COUNTER_BUSY_CLOCKS_LO 0x508 /* read only: Clocks in which the matching unit worked. Low word, as of the last snapshot. */
#define TMU_REG_COUNTER_BUSY_CLOCKS_HI 0x50c /* read only: Clocks in which the matching unit worked. High word. */
#define TMU_REG_COUNTER_COMMAND_STALL_CLOCKS_LO 0x510 /* read only: Clocks in which a command waited for the matching unit. Low word, as of the last snapshot. */
#define TMU_REG_COUNTER_COMMAND_STALL_CLOCKS_HI 0x514 /* read only: Clocks in which a command waited for the matching unit. High word. */
#define TMU_REG_COUNTER_COMPLETION_STALL_CLOCKS_LO 0x518 /* read only: Clocks in which completions waited, for room in a ring or for memory, and none was written. Low word, as of the last snapshot. */
#define TMU_REG_COUNTER_COMPLETION_STALL_CLOCKS_HI 0x51c /* read only: Clocks in which completions waited, for room in a ring or for memory, and none was written. High word. */
#define TMU_REG_COUNTER_FIRST_ACCEPT_LO 0x520 /* read only: Clock at which the unit accepted its first command. Low word, as of the last snapshot. */
#define TMU_REG_COUNTER_FIRST_ACCEPT_HI 0x524 /* read only: Clock at which the unit accepted its first command. High word. */
#define TMU_REG_COUNTER_LAST_VERDICT_LO 0x528 /* read only: Clock at which the unit gave its last verdict. Low word, as of the last snapshot. */
#define TMU_REG_COUNTER_LAST_VERDICT_HI 0x52c /* read only: Clock at which the unit gave its last verdict. High word. */
#define TMU_REG_COUNTER_DOORBELL_ERRORS_LO 0x530 /* read only: Beats of reads and writes of doorbell pages with an illegal size, burst or address; dropped. Low word, as of the last snapshot. */
#define TMU_REG_COUNTER_DOORBELL_ERRORS_HI 0x534 /* read only: Beats of reads and writes of doorbell pages with an illegal size, burst or address; dropped. High word. */
#define TMU_REG_COUNTER_DISABLED_DROPS_LO 0x538 /* read only: Commands dropped because their page was not enabled when they came. Low word, as of the last snapshot. */
#define TMU_REG_COUNTER_DISABLED_DROPS_HI 0x53c /* read only: Commands dropped because their page was not enabled when they came. High word. */
#define TMU_REG_COUNTER_COMPLETION_ERRORS_LO 0x540 /* read only: Completion writes that memory answered with an error. Low word, as of the last snapshot. */
#define TMU_REG_COUNTER_COMPLETION_ERRORS_HI 0x544 /* read only: Completion writes that memory answered with an error. High word. */
#define TMU_REG_COUNTER_REGISTER_ERRORS_LO 0x548 /* read only: Register accesses answered with an error. Low word, as of the last snapshot. */
#define TMU_REG_COUNTER_REGISTER_ERRORS_HI 0x54c /* read only: Register accesses answered with an error. High word. */
#define TMU_REG_COUNTER_RING_OVERRUNS_LO 0x550 /* read only: Pages disabled because their ring stayed full longer than RING_PATIENCE. Low word, as of the last snapshot. */
#define TMU_REG_COUNTER_RING_OVERRUNS_HI 0x554 /* read only: Pages disabled because their ring stayed full longer than RING_PATIENCE. High word. */
#define TMU_REG_COUNTER_QUEUE_OVERRUNS_LO 0x558 /* read only: Commands dropped because their page's share of the command slots was full. Low word, as of the last snapshot. */
#define TMU_REG_COUNTER_QUEUE_OVERRUNS_HI 0x55c /* read only: Commands dropped because their page's share of the command slots was full. High word. */
#define TMU_REG_COUNTER_SPILL_DEFERRED_LO 0x560 /* read only: Commands that had to look into a queue's part in memory. Low word, as of the last snapshot. */
#define TMU_REG_COUNTER_SPILL_DEFERRED_HI 0x564 /* read only: Commands that had to look into a queue's part in memory. High word. */
#define TMU_REG_COUNTER_SPILL_APPENDED_LO 0x568 /* read only: Entries appended to a queue in memory. Low word, as of the last snapshot. */
#define TMU_REG_COUNTER_SPILL_APPENDED_HI 0x56c /* read only: Entries appended to a queue in memory. High word. */
#define TMU_REG_COUNTER_SPILL_TAKEN_LO 0x570 /* read only: Entries that a command took from memory. Low word, as of the last snapshot. */
#define TMU_REG_COUNTER_SPILL_TAKEN_HI 0x574 /* read only: Entries that a command took from memory. High word. */
#define TMU_REG_COUNTER_SPILL_REFILLED_LO 0x578 /* read only: Entries moved from memory to the tables on chip. Low word, as of the last snapshot. */
#define TMU_REG_COUNTER_SPILL_REFILLED_HI 0x57c /* read only: Entries moved from memory to the tables on chip. High word. */
#define TMU_REG_COUNTER_SPILL_FALSE_LO 0x580 /* read only: Entries that were read from memory and were not what was sought. Low word, as of the last snapshot. */
#define TMU_REG_COUNTER_SPILL_FALSE_HI 0x584 /* read only: Entries that were read from memory and were not what was sought. High word. */
#define TMU_REG_COUNTER_SPILL_READS_LO 0x588 /* read only: Beats of 64 bytes that were read from spill memory. Low word, as of the last snapshot. */
#define TMU_REG_COUNTER_SPILL_READS_HI 0x58c /* read only: Beats of 64 bytes that were read from spill memory. High word. */
#define TMU_REG_COUNTER_SPILL_WRITES_LO 0x590 /* read only: Beats of 64 bytes that were written to spill memory. Low word, as of the last snapshot. */
#define TMU_REG_COUNTER_SPILL_WRITES_HI 0x594 /* read only: Beats of 64 bytes that were written to spill memory. High word. */
#define TMU_REG_COUNTER_SPILL_REFUSED_LO 0x598 /* read only: Commands that were refused because all spill memory was in use. Low word, as of the last snapshot. */
#define TMU_REG_COUNTER_SPILL_REFUSED_HI 0x59c /* read only: Commands that were refused because all spill memory was in use. High word. */
#define TMU_REG_COUNTER_SPILL_ERRORS_LO 0x5a0 /* read only: Spill reads and writes that failed. Low word, as of the last snapshot. */
#define TMU_REG_COUNTER_SPILL_ERRORS_HI 0x5a4 /* read only: Spill reads and writes that failed. High word. */
#define TMU_REG_COUNTER_TABLE_FAULTS_LO 0x5a8 /* read only: Answers that were kept back because a stored word had lost a bit. Low word, as of the last snapshot. */
#define TMU_REG_COUNTER_TABLE_FAULTS_HI 0x5ac /* read only: Answers that were kept back because a stored word had lost a bit. High word. */
#define TMU_REG_COUNTER_COMMANDS_LO 0x5b0 /* read only: Commands of the pages that the matching unit took. Low word, as of the last snapshot. */
#define TMU_REG_COUNTER_COMMANDS_HI 0x5b4 /* read only: Commands of the pages that the matching unit took. High word. */
#define TMU_REG_COUNTER_COMPLETIONS_LO 0x5b8 /* read only: Completions that were written, with those that flushes report. Low word, as of the last snapshot. */
#define TMU_REG_COUNTER_COMPLETIONS_HI 0x5bc /* read only: Completions that were written, with those that flushes report. High word. */
#define TMU_REG_COUNTER_SPILL_READ_STALL_CLOCKS_LO 0x5c0 /* read only: Clocks in which reads of spill memory were under way and no beat came. Low word, as of the last snapshot. */
#define TMU_REG_COUNTER_SPILL_READ_STALL_CLOCKS_HI 0x5c4 /* read only: Clocks in which reads of spill memory were under way and no beat came. High word. */
#define TMU_REG_COUNTER_SPILL_WRITE_STALL_CLOCKS_LO 0x5c8 /* read only: Clocks in which writes waited for spill memory to take them and it took no beat. Low word, as of the last snapshot. */
#define TMU_REG_COUNTER_SPILL_WRITE_STALL_CLOCKS_HI 0x5cc /* read only: Clocks in which writes waited for spill memory to take them and it took no beat. High word. */
#define TMU_REG_COUNTER_COMMAND_IDLE_1_LO 0x5d0 /* read only: Runs of 1 to 3 idle clocks that have ended: commands from the pages to the matching unit. Low word, as of the last snapshot. */
#define TMU_REG_COUNTER_COMMAND_IDLE_1_HI 0x5d4 /* read only: Runs of 1 to 3 idle clocks that have ended: commands from the pages to the matching unit. High word. */
#define TMU_REG_COUNTER_COMMAND_IDLE_4_LO 0x5d8 /* read only: Runs of 4 to 15 idle clocks that have ended: commands from the pages to the matching unit. Low word, as of the last snapshot. */
#define TMU_REG_COUNTER_COMMAND_IDLE_4_HI 0x5dc /* read only: Runs of 4 to 15 idle clocks that have ended: commands from the pages to the matching unit. High word. */
#define TMU_REG_COUNTER_COMMAND_IDLE_16_LO 0x5e0 /* read only: Runs of 16 to 63 idle clocks that have ended: commands from the pages to the matching unit. Low word, as of the last snapshot. */
#define TMU_REG_COUNTER_COMMAND_IDLE_16_HI 0x5e4 /* read only: Runs of 16 to 63 idle clocks that have ended: commands from the pages to the matching unit. High word. */
#define TMU_REG_COUNTER_COMMAND_IDLE_64_LO 0x5e8 /* read only: Runs of 64 to 255 idle clocks that have ended: commands from the pages to the matching unit. Low word, as of the last snapshot. */
#define TMU_REG_COUNTER_COMMAND_IDLE_64_HI 0x5ec /* read only: Runs of 64 to 255 idle clocks that have ended: commands from the pages to the matching unit. High word. */
#define TMU_REG_COUNTER_COMMAND_IDLE_256_LO 0x5f0 /* read only: Runs of 256 and more idle clocks that have ended: commands from the pages to the matching unit. Low word, as of the last snapshot. */
#define TMU_REG_COUNTER_COMMAND_IDLE_256_HI 0x5f4 /* read only: Runs of 256 and more idle clocks that have ended: commands from the pages to the matching unit. High word. */
#define TMU_REG_COUNTER_COMPLETION_IDLE_1_LO 0x5f8 /* read only: Runs of 1 to 3 idle clocks that have ended: completions to host memory. Low word, as of the last snapshot. */
#define TMU_REG_COUNTER_COMPLETION_IDLE_1_HI 0x5fc /* read only: Runs of 1 to 3 idle clocks that have ended: completions to host memory. High word. */
#define TMU_REG_COUNTER_COMPLETION_IDLE_4_LO 0x600 /* read only: Runs of 4 to 15 idle clocks that have ended: completions to host memory. Low word, as of the last snapshot. */
#define TMU_REG_COUNTER_COMPLETION_IDLE_4_HI 0x604 /* read only: Runs of 4 to 15 idle clocks that have ended: completions to host memory. High word. */
#define TMU_REG_COUNTER_COMPLETION_IDLE_16_LO 0x608 /* read only: Runs of 16 to 63 idle clocks that have ended: completions to host memory. Low word, as of the last snapshot. */
#define TMU_REG_COUNTER_COMPLETION_IDLE_16_HI 0x60c /* read only: Runs of 16 to 63 idle clocks that have ended: completions to host memory. High word. */
#define TMU_REG_COUNTER_COMPLETION_IDLE_64_LO 0x610 /* read only: Runs of 64 to 255 idle clocks that have ended: completions to host memory. Low word, as of the last snapshot. */
#define TMU_REG_COUNTER_COMPLETION_IDLE_64_HI 0x614 /* read only: Runs of 64 to 255 idle clocks that have ended: completions to host memory. High word. */
#define TMU_REG_COUNTER_COMPLETION_IDLE_256_LO 0x618 /* read only: Runs of 256 and more idle clocks that have ended: completions to host memory. Low word, as of the last snapshot. */
#define TMU_REG_COUNTER_COMPLETION_IDLE_256_HI 0x61c /* read only: Runs of 256 and more idle clocks that have ended: completions to host memory. High word. */
#define TMU_REG_COUNTER_SPILL_READ_IDLE_1_LO 0x620 /* read only: Runs of 1 to 3 idle clocks that have ended: beats from spill memory. Low word, as of the last snapshot. */
#define TMU_REG_COUNTER_SPILL_READ_IDLE_1_HI 0x624 /* read only: Runs of 1 to 3 idle clocks that have ended: beats from spill memory. High word. */
#define TMU_REG_COUNTER_SPILL_READ_IDLE_4_LO 0x628 /* read only: Runs of 4 to 15 idle clocks that have ended: beats from spill memory. Low word, as of the last snapshot. */
#define TMU_REG_COUNTER_SPILL_READ_IDLE_4_HI 0x62c /* read only: Runs of 4 to 15 idle clocks that have ended: beats from spill memory. High word. */
#define TMU_REG_COUNTER_SPILL_READ_IDLE_16_LO 0x630 /* read only: Runs of 16 to 63 idle clocks that have ended: beats from spill memory. Low word, as of the last snapshot. */
#define TMU_REG_COUNTER_SPILL_READ_IDLE_16_HI 0x634 /* read only: Runs of 16 to 63 idle clocks that have ended: beats from spill memory. High word. */
#define TMU_REG_COUNTER_SPILL_READ_IDLE_64_LO 0x638 /* read only: Runs of 64 to 255 idle clocks that have ended: beats from spill memory. Low word, as of the last snapshot. */
#define TMU_REG_COUNTER_SPILL_READ_IDLE_64_HI 0x63c /* read only: Runs of 64 to 255 idle clocks that have ended: beats from spill memory. High word. */
#define TMU_REG_COUNTER_SPILL_READ_IDLE_256_LO 0x640 /* read only: Runs of 256 and more idle clocks that have ended: beats from spill memory. Low word, as of the last snapshot. */
#define TMU_REG_COUNTER_SPILL_READ_IDLE_256_HI 0x644 /* read only: Runs of 256 and more idle clocks that have ended: beats from spill memory. High word. */
#define TMU_REG_COUNTER_SPILL_WRITE_IDLE_1_LO 0x648 /* read only: Runs of 1 to 3 idle clocks that have ended: beats to spill memory. Low word, as of the last snapshot. */
#define TMU_REG_COUNTER_SPILL_WRITE_IDLE_1_HI 0x64c /* read only: Runs of 1 to 3 idle clocks that have ended: beats to spill memory. High word. */
#define TMU_REG_COUNTER_SPILL_WRITE_IDLE_4_LO 0x650 /* read only: Runs of 4 to 15 idle clocks that have ended: beats to spill memory. Low word, as of the last snapshot. */
#define TMU_REG_COUNTER_SPILL_WRITE_IDLE_4_HI 0x654 /* read only: Runs of 4 to 15 idle clocks that have ended: beats to spill memory. High word. */
#define TMU_REG_COUNTER_SPILL_WRITE_IDLE_16_LO 0x658 /* read only: Runs of 16 to 63 idle clocks that have ended: beats to spill memory. Low word, as of the last snapshot. */
#define TMU_REG_COUNTER_SPILL_WRITE_IDLE_16_HI 0x65c /* read only: Runs of 16 to 63 idle clocks that have ended: beats to spill memory. High word. */
#define TMU_REG_COUNTER_SPILL_WRITE_IDLE_64_LO 0x660 /* read only: Runs of 64 to 255 idle clocks that have ended: beats to spill memory. Low word, as of the last snapshot. */
#define TMU_REG_COUNTER_SPILL_WRITE_IDLE_64_HI 0x664 /* read only: Runs of 64 to 255 idle clocks that have ended: beats to spill memory. High word. */
#define TMU_REG_COUNTER_SPILL_WRITE_IDLE_256_LO 0x668 /* read only: Runs of 256 and more idle clocks that have ended: beats to spill memory. Low word, as of the last snapshot. */
#define TMU_REG_COUNTER_SPILL_WRITE_IDLE_256_HI 0x66c /* read only: Runs of 256 and more idle clocks that have ended: beats to spill memory. High word. */
#define TMU_REG_WIRE_CONFIG 0x180 /* read/write: How frames are read and written. */
#define TMU_WIRE_CONFIG_UDP_PORT_SHIFT 0 /* Destination port. */
#define TMU_WIRE_CONFIG_UDP_PORT_MASK 0xffffu
#define TMU_WIRE_CONFIG_CRC_SHIFT 16 /* Coverage: 0 none, 1 from the addresses on, 2 behind UDP. */
#define TMU_WIRE_CONFIG_CRC_MASK 0x3u
#define TMU_WIRE_CONFIG_CRC_BIG_ENDIAN_SHIFT 18 /* Most significant byte first. */
#define TMU_WIRE_CONFIG_CRC_BIG_ENDIAN_MASK 0x1u
#define TMU_WIRE_CONFIG_NATIVE_SHIFT 19 /* The form without UDP as well. */
#define TMU_WIRE_CONFIG_NATIVE_MASK 0x1u
#define TMU_WIRE_CONFIG_NATIVE_PROTOCOL_SHIFT 20 /* Its IP protocol. */
#define TMU_WIRE_CONFIG_NATIVE_PROTOCOL_MASK 0xffu
#define TMU_WIRE_CONFIG_IPV6_SHIFT 28 /* The card's address is one of IPv6. */
#define TMU_WIRE_CONFIG_IPV6_MASK 0x1u
#define TMU_WIRE_CONFIG_ENABLE_SHIFT 31 /* Frames are taken. */
#define TMU_WIRE_CONFIG_ENABLE_MASK 0x1u
#define TMU_WIRE_CONFIG_INITIAL 0xfd112b9u /* after reset */
#define TMU_REG_WIRE_ADDRESS_0 0x184 /* read/write: The card's IP address, bits 31..0. */
#define TMU_REG_WIRE_ADDRESS_1 0x188 /* read/write: The card's IP address, bits 63..32. */
#define TMU_REG_WIRE_ADDRESS_2 0x18c /* read/write: The card's IP address, bits 95..64. */
#define TMU_REG_WIRE_ADDRESS_3 0x190 /* read/write: The card's IP address, bits 127..96. */
#define TMU_REG_WIRE_MESSAGES 0x194 /* read/write: Messages and answers. */
#define TMU_WIRE_MESSAGES_PAYLOAD_MTU_SHIFT 0 /* Bytes in every packet of a message but the last. */
#define TMU_WIRE_MESSAGES_PAYLOAD_MTU_MASK 0x3fffu
#define TMU_WIRE_MESSAGES_POOL_LOG2_SHIFT 16 /* Bytes of a buffer of a pool, 64 at least; the longest message. */
#define TMU_WIRE_MESSAGES_POOL_LOG2_MASK 0x1fu
#define TMU_WIRE_MESSAGES_DSCP_SHIFT 24 /* Traffic class of answers. */
#define TMU_WIRE_MESSAGES_DSCP_MASK 0x3fu
#define TMU_WIRE_MESSAGES_INITIAL 0x2e141000u /* after reset */
#define TMU_REG_POOL_BASE_LO 0x198 /* read/write: Pool that the next POOL_ENDPOINT means, low word. */
#define TMU_REG_POOL_BASE_HI 0x19c /* read/write: High word. */
#define TMU_REG_POOL_RELEASE 0x1a0 /* write 1 to trigger: Frees the buffer of a message that was claimed. */
#define TMU_POOL_RELEASE_NUMBER_SHIFT 0 /* Of the buffer. */
#define TMU_POOL_RELEASE_NUMBER_MASK 0xfffu
#define TMU_POOL_RELEASE_RELEASE_SHIFT 31 /* Frees it. */
#define TMU_POOL_RELEASE_RELEASE_MASK 0x1u
#define TMU_REG_NAME_JOB 0x1a4 /* read/write: Name that the next NAME_COMMAND means. */
#define TMU_NAME_JOB_JOB_SHIFT 0 /* Job. */
#define TMU_NAME_JOB_JOB_MASK 0xffffffu
#define TMU_NAME_JOB_RELATIVE_SHIFT 24 /* Relative addressing; else the job is no part of it. */
#define TMU_NAME_JOB_RELATIVE_MASK 0x1u
#define TMU_REG_NAME_PROCESS 0x1a8 /* read/write: The rest of the name. */
#define TMU_NAME_PROCESS_PID_SHIFT 0 /* PIDonFEP. */
#define TMU_NAME_PROCESS_PID_MASK 0xfffu
#define TMU_NAME_PROCESS_INDEX_SHIFT 16 /* Resource index. */
#define TMU_NAME_PROCESS_INDEX_MASK 0xfffu
#define TMU_REG_NAME_ENDPOINT 0x1ac /* read/write: What has the name. */
#define TMU_NAME_ENDPOINT_ENDPOINT_SHIFT 0 /* Endpoint of the unit. */
#define TMU_NAME_ENDPOINT_ENDPOINT_MASK 0xfffu
#define TMU_REG_NAME_STATE 0x1b0 /* read/write: Its state. */
#define TMU_NAME_STATE_GENERATION_SHIFT 0 /* Generation of the index. */
#define TMU_NAME_STATE_GENERATION_MASK 0xffu
#define TMU_NAME_STATE_USES_GENERATION_SHIFT 8 /* Generations are compared. */
#define TMU_NAME_STATE_USES_GENERATION_MASK 0x1u
#define TMU_NAME_STATE_ENABLED_SHIFT 9 /* Takes messages, if it has a pool. */
#define TMU_NAME_STATE_ENABLED_MASK 0x1u
#define TMU_REG_NAME_COMMAND 0x1b4 /* write 1 to trigger: Changes a table of names. */
#define TMU_NAME_COMMAND_JOB_SHIFT 0 /* The job's. */
#define TMU_NAME_COMMAND_JOB_MASK 0x1u
#define TMU_NAME_COMMAND_PROCESS_SHIFT 1 /* The process's. */
#define TMU_NAME_COMMAND_PROCESS_MASK 0x1u
#define TMU_NAME_COMMAND_ENDPOINT_SHIFT 2 /* The endpoint's. */
#define TMU_NAME_COMMAND_ENDPOINT_MASK 0x1u
#define TMU_NAME_COMMAND_REMOVE_SHIFT 3 /* Removes the name; else it is there, with this state. */
#define TMU_NAME_COMMAND_REMOVE_MASK 0x1u
#define TMU_REG_NAME_STATUS 0x1b8 /* read only: State of the last NAME_COMMAND. */
#define TMU_NAME_STATUS_BUSY_SHIFT 0 /* Not done yet; a new one is ignored. */
#define TMU_NAME_STATUS_BUSY_MASK 0x1u
#define TMU_NAME_STATUS_REFUSED_SHIFT 1 /* No room for the name, or none to remove. */
#define TMU_NAME_STATUS_REFUSED_MASK 0x1u
#define TMU_REG_WIRE_COUNT_SELECT 0x1bc /* read/write: Counter to read: 0 to 15 frames by verdict, 16 to 31 packets by outcome (W6), 32 to 35 beats of host memory: written for completions, payload and moves, read for moves; 36 to 42 of a card that sends: answers taken, frames sent, packets sent again, timeouts, messages taken, messages refused, frames that found the link full. */
#define TMU_WIRE_COUNT_SELECT_NUMBER_SHIFT 0 /* Number. */
#define TMU_WIRE_COUNT_SELECT_NUMBER_MASK 0x3fu
#define TMU_REG_WIRE_COUNT 0x1c0 /* read only: The counter, modulo 2^32; 0 after a reset. */
#define TMU_REG_POOL_ENDPOINT 0x1c4 /* write 1 to trigger: Registers a pool with an endpoint, before that is enabled: a buffer for each message. */
#define TMU_POOL_ENDPOINT_ENDPOINT_SHIFT 0 /* Endpoint of the unit. */
#define TMU_POOL_ENDPOINT_ENDPOINT_MASK 0xfffu
#define TMU_POOL_ENDPOINT_REGISTER_SHIFT 31 /* Registers it. */
#define TMU_POOL_ENDPOINT_REGISTER_MASK 0x1u
#define TMU_REG_WIRE_TABLES 0x1c8 /* read only: Sizes of the tables. */
#define TMU_WIRE_TABLES_PEERS_LOG2_SHIFT 0 /* Peers. */
#define TMU_WIRE_TABLES_PEERS_LOG2_MASK 0x1fu
#define TMU_WIRE_TABLES_MEMORIES_LOG2_SHIFT 8 /* Registered memory. */
#define TMU_WIRE_TABLES_MEMORIES_LOG2_MASK 0x1fu
#define TMU_WIRE_TABLES_MESSAGES_LOG2_SHIFT 16 /* Numbers of messages, and buffers of each pool. */
#define TMU_WIRE_TABLES_MESSAGES_LOG2_MASK 0x1fu
#define TMU_REG_WIRE_RETRANSMIT 0x1cc /* read/write: Microseconds before a packet is sent again; they double each time. */
#define TMU_WIRE_RETRANSMIT_INITIAL 0xfau /* after reset */
#define TMU_REG_WIRE_ATTEMPTS 0x1d0 /* read/write: Such times in a row after which a peer is given up; 0 is never (W7). */
#define TMU_REG_PEER_SELECT 0x1d4 /* read/write: Peer that the next PEER_COMMAND means. */
#define TMU_REG_PEER_ADDRESS_0 0x1d8 /* read/write: Its IP address, bits 31..0. */
#define TMU_REG_PEER_ADDRESS_1 0x1dc /* read/write: Its IP address, bits 63..32. */
#define TMU_REG_PEER_ADDRESS_2 0x1e0 /* read/write: Its IP address, bits 95..64. */
#define TMU_REG_PEER_ADDRESS_3 0x1e4 /* read/write: Its IP address, bits 127..96. */
#define TMU_REG_PEER_JOB 0x1e8 /* read/write: Job that it is in. */
#define TMU_PEER_JOB_JOB_SHIFT 0 /* Job. */
#define TMU_PEER_JOB_JOB_MASK 0xffffffu
#define TMU_REG_PEER_PROCESS 0x1ec /* read/write: The rest of its name. */
#define TMU_PEER_PROCESS_PID_SHIFT 0 /* PIDonFEP. */
#define TMU_PEER_PROCESS_PID_MASK 0xfffu
#define TMU_PEER_PROCESS_INDEX_SHIFT 16 /* Resource index. */
#define TMU_PEER_PROCESS_INDEX_MASK 0xfffu
#define TMU_REG_PEER_INITIATOR 0x1f0 /* read/write: Source that messages to it have (W8). */
#define TMU_REG_PEER_OWNER 0x1f4 /* read/write: Endpoint that may send to it. */
#define TMU_PEER_OWNER_ENDPOINT_SHIFT 0 /* Endpoint. */
#define TMU_PEER_OWNER_ENDPOINT_MASK 0xfffu
#define TMU_REG_PEER_COMMAND 0x1f8 /* write 1 to trigger: Changes the selected peer. */
#define TMU_PEER_COMMAND_SET_SHIFT 0 /* It is what registers say. */
#define TMU_PEER_COMMAND_SET_MASK 0x1u
#define TMU_PEER_COMMAND_REMOVE_SHIFT 1 /* It is none. */
#define TMU_PEER_COMMAND_REMOVE_MASK 0x1u
#define TMU_REG_MEMORY_SELECT 0x1fc /* read/write: Registered memory that the next MEMORY_COMMAND means. */
#define TMU_REG_MEMORY_BASE_LO 0x200 /* read/write: First byte. */
#define TMU_REG_MEMORY_BASE_HI 0x204 /* read/write: High word. */
#define TMU_REG_MEMORY_BYTES_LO 0x208 /* read/write: Bytes of it. */
#define TMU_REG_MEMORY_BYTES_HI 0x20c /* read/write: High word. */
#define TMU_REG_MEMORY_OWNER 0x210 /* read/write: Whose it is. */
#define TMU_MEMORY_OWNER_ENDPOINT_SHIFT 0 /* Endpoint. */
#define TMU_MEMORY_OWNER_ENDPOINT_MASK 0xfffu
#define TMU_MEMORY_OWNER_READ_SHIFT 16 /* Messages are sent from it. */
#define TMU_MEMORY_OWNER_READ_MASK 0x1u
#define TMU_MEMORY_OWNER_WRITE_SHIFT 17 /* Receives lie in it. */
#define TMU_MEMORY_OWNER_WRITE_MASK 0x1u
#define TMU_REG_MEMORY_COMMAND 0x214 /* write 1 to trigger: Changes the selected memory. */
#define TMU_MEMORY_COMMAND_SET_SHIFT 0 /* It is what registers say. */
#define TMU_MEMORY_COMMAND_SET_MASK 0x1u
#define TMU_MEMORY_COMMAND_REMOVE_SHIFT 1 /* It is none. */
#define TMU_MEMORY_COMMAND_REMOVE_MASK 0x1u
#define TMU_REG_TABLE_STATUS 0x218 /* read only: State of the last PEER_COMMAND or MEMORY_COMMAND. */
#define TMU_TABLE_STATUS_BUSY_SHIFT 0 /* Not done yet; a new one is ignored. */
#define TMU_TABLE_STATUS_BUSY_MASK 0x1u
#define TMU_TABLE_STATUS_REFUSED_SHIFT 1 /* Not in the table, no endpoint, or what is removed is in use. */
#define TMU_TABLE_STATUS_REFUSED_MASK 0x1u

/* X(member, offset, since, needs, older): of discovery. A unit of a minor version before
 * `since`, or without the capabilities `needs`, has no such register, and `older` holds. */
#define TMU_DISCOVERY_TABLE(X) \
    X(preset, TMU_REG_PRESET, 0, 0x0, 0) \
    X(endpoints, TMU_REG_ENDPOINTS, 0, 0x0, 0) \
    X(posted_entries, TMU_REG_POSTED_ENTRIES, 0, 0x0, 0) \
    X(unexpected_entries, TMU_REG_UNEXPECTED_ENTRIES, 0, 0x0, 0) \
    X(lanes, TMU_REG_LANES, 0, 0x0, 0) \
    X(id_bits, TMU_REG_ID_BITS, 0, 0x0, 0) \
    X(match_bits, TMU_REG_MATCH_BITS, 0, 0x0, 0) \
    X(source_bits, TMU_REG_SOURCE_BITS, 0, 0x0, 0) \
    X(handle_bits, TMU_REG_HANDLE_BITS, 0, 0x0, 0) \
    X(address_bits, TMU_REG_ADDRESS_BITS, 0, 0x0, 0) \
    X(length_bits, TMU_REG_LENGTH_BITS, 0, 0x0, 0) \
    X(queues, TMU_REG_QUEUES, 0, 0x0, 0) \
    X(command_slots, TMU_REG_COMMAND_SLOTS, 0, 0x0, 0) \
    X(capabilities, TMU_REG_CAPABILITIES, 0, 0x0, 0) \
    X(array_entries, TMU_REG_ARRAY_ENTRIES, 0, 0x0, 0) \
    X(filter_lanes, TMU_REG_FILTER_LANES, 0, 0x0, 0) \
    X(filter_bits, TMU_REG_FILTER_BITS, 0, 0x0, 0) \
    X(spill_segments, TMU_REG_SPILL_SEGMENTS, 0, 0x4, 0) \
    X(tag_bits, TMU_REG_TAG_BITS, 8, 0x0, 32)
/* X(offset, parameter): of discovery, what tells a parameter of TMU_PARAMETER_TABLE */
#define TMU_DISCOVERY_PARAMETER_TABLE(X) \
    X(TMU_REG_ENDPOINTS, endpoints) \
    X(TMU_REG_POSTED_ENTRIES, posted_entries) \
    X(TMU_REG_UNEXPECTED_ENTRIES, unexpected_entries) \
    X(TMU_REG_LANES, lanes) \
    X(TMU_REG_ID_BITS, id_bits) \
    X(TMU_REG_SOURCE_BITS, source_bits) \
    X(TMU_REG_HANDLE_BITS, handle_bits) \
    X(TMU_REG_ADDRESS_BITS, address_bits) \
    X(TMU_REG_LENGTH_BITS, length_bits) \
    X(TMU_REG_QUEUES, queues) \
    X(TMU_REG_COMMAND_SLOTS, command_slots) \
    X(TMU_REG_SPILL_SEGMENTS, spill_segments) \
    X(TMU_REG_TAG_BITS, tag_bits)
/* X(name, bit): of CAPABILITIES */
#define TMU_CAPABILITY_TABLE(X) \
    X(inspect, 0) \
    X(quota, 1) \
    X(spill, 2) \
    X(parity, 3) \
    X(reserve, 4) \
    X(network, 5) \
    X(send, 6)

typedef enum tmu_opcode {
    TMU_OPCODE_POST = 1, /* Receive: takes the oldest matching unexpected message or is queued (R4, R5). */
    TMU_OPCODE_ARRIVE = 2, /* Message: takes the oldest matching posted receive or is queued (R3, R6). */
    TMU_OPCODE_PROBE = 3, /* Reports the oldest matching unexpected message, changes nothing (R8). */
    TMU_OPCODE_CLAIM = 4, /* Removes the oldest matching unexpected message for the caller (R9). */
    TMU_OPCODE_CANCEL = 5, /* Removes the posted receive with the given receive id (R10). */
    TMU_OPCODE_FLUSH = 6, /* Removes every entry of the endpoint that the key selects (R14). */
    TMU_OPCODE_INSPECT = 7, /* Privileged: reads the entry at a position of a queue's table, oldest first. */
    TMU_OPCODE_SEND = 8, /* Sends a message to a peer over the card's network (W4). */
} tmu_opcode_t;

/* X(name, number): all of tmu_opcode_t */
#define TMU_OPCODE_TABLE(X) \
    X(post, 1) \
    X(arrive, 2) \
    X(probe, 3) \
    X(claim, 4) \
    X(cancel, 5) \
    X(flush, 6) \
    X(inspect, 7) \
    X(send, 8)

typedef enum tmu_status {
    TMU_STATUS_MATCHED = 1, /* Matched; the other side's entry is consumed. */
    TMU_STATUS_QUEUED = 2, /* No match; appended to the queue. */
    TMU_STATUS_FOUND = 3, /* Probe: a message is there and stays. */
    TMU_STATUS_NONE = 4, /* Probe or claim: no matching message. */
    TMU_STATUS_CANCELLED = 5, /* Cancel: the receive was queued and is removed. */
    TMU_STATUS_LATE = 6, /* Cancel: no such receive is queued; nothing changed. */
    TMU_STATUS_REMOVED = 7, /* Flush: one removed entry; more completions of this command follow. */
    TMU_STATUS_FLUSHED = 8, /* Flush: done; counts of removed entries. */
    TMU_STATUS_REFUSED_QUOTA = 9, /* Post: quota or table used up; nothing changed. */
    TMU_STATUS_REFUSED_ENDPOINT = 10, /* The unit has no such endpoint; nothing changed. */
    TMU_STATUS_STALLED = 11, /* Arrive: quota or table used up; nothing changed, offer it again later. */
    TMU_STATUS_MALFORMED = 12, /* Unknown opcode or a field that must be zero is not; nothing changed. */
    TMU_STATUS_REFUSED_PRIVILEGE = 13, /* Needs the privileged page; nothing changed. */
    TMU_STATUS_ENTRY = 14, /* Inspect: the entry at that position. */
    TMU_STATUS_EMPTY = 15, /* Inspect: beyond the table's last position. */
    TMU_STATUS_VACANT = 16, /* Inspect: no entry at that position; there may be later ones. */
    TMU_STATUS_SPILL_FAILED = 17, /* Memory beyond the tables has failed: no answer is known until a reset. */
    TMU_STATUS_TABLE_FAULT = 18, /* A stored word has lost a bit: no answer of the endpoint until a reset. */
    TMU_STATUS_SENT = 19, /* Send: the target has the message, and its buffer is the caller's (W4). */
    TMU_STATUS_UNDELIVERED = 20, /* Send: the target refused it, or was given up (W7). */
    TMU_STATUS_REFUSED_PEER = 21, /* Send: no such peer of the endpoint; nothing changed (W8). */
    TMU_STATUS_REFUSED_MEMORY = 22, /* Bytes that the endpoint has not registered; nothing changed (W8). */
} tmu_status_t;

/* X(name, number): all of tmu_status_t */
#define TMU_STATUS_TABLE(X) \
    X(matched, 1) \
    X(queued, 2) \
    X(found, 3) \
    X(none, 4) \
    X(cancelled, 5) \
    X(late, 6) \
    X(removed, 7) \
    X(flushed, 8) \
    X(refused_quota, 9) \
    X(refused_endpoint, 10) \
    X(stalled, 11) \
    X(malformed, 12) \
    X(refused_privilege, 13) \
    X(entry, 14) \
    X(empty, 15) \
    X(vacant, 16) \
    X(spill_failed, 17) \
    X(table_fault, 18) \
    X(sent, 19) \
    X(undelivered, 20) \
    X(refused_peer, 21) \
    X(refused_memory, 22)

typedef enum tmu_fault {
    TMU_FAULT_POSTED_LANES = 1, /* Lanes of the array of receives. */
    TMU_FAULT_UNEXPECTED_LANES = 2, /* Lanes of the array of messages. */
    TMU_FAULT_POSTED_STORE = 3, /* Whole receives. */
    TMU_FAULT_UNEXPECTED_STORE = 4, /* Whole messages. */
    TMU_FAULT_POSTED_SLOTS = 5, /* Free slots for receives: one is lost, no answer. */
    TMU_FAULT_UNEXPECTED_SLOTS = 6, /* Free slots for messages: one is lost, no answer. */
    TMU_FAULT_POSTED_FILTERS = 7, /* Filter ids of receives: made up for. */
    TMU_FAULT_UNEXPECTED_FILTERS = 8, /* Filter ids of messages: made up for. */
    TMU_FAULT_POST_TALLIES = 9, /* What posts have done at endpoints. */
    TMU_FAULT_ARRIVAL_TALLIES = 10, /* What arrivals have done at endpoints. */
    TMU_FAULT_POSTED_QUOTAS = 11, /* Quotas of receives. */
    TMU_FAULT_UNEXPECTED_QUOTAS = 12, /* Quotas of messages. */
    TMU_FAULT_MARKS = 13, /* Which endpoints have something in memory. */
    TMU_FAULT_CHUNK_LINKS = 14, /* The chunk behind a chunk: memory has failed. */
    TMU_FAULT_CHUNK_LIVES = 15, /* The live entries of a chunk: memory has failed. */
    TMU_FAULT_FREE_CHUNKS = 16, /* Free chunks: one is lost, no answer. */
    TMU_FAULT_LISTS = 17, /* Queues in memory, by endpoint: memory has failed. */
    TMU_FAULT_ANSWERED = 18, /* Commands that memory has answered, by endpoint: memory has failed. */
    TMU_FAULT_WORDS = 19, /* Words in memory that stand for entries: made up for. */
    TMU_FAULT_ENTRIES = 20, /* Entries in memory. */
    TMU_FAULT_WORD_TAGS = 21, /* Which chunks' words lie on chip: these are read from memory. */
} tmu_fault_t;

/* X(name, number): all of tmu_fault_t */
#define TMU_FAULT_TABLE(X) \
    X(posted_lanes, 1) \
    X(unexpected_lanes, 2) \
    X(posted_store, 3) \
    X(unexpected_store, 4) \
    X(posted_slots, 5) \
    X(unexpected_slots, 6) \
    X(posted_filters, 7) \
    X(unexpected_filters, 8) \
    X(post_tallies, 9) \
    X(arrival_tallies, 10) \
    X(posted_quotas, 11) \
    X(unexpected_quotas, 12) \
    X(marks, 13) \
    X(chunk_links, 14) \
    X(chunk_lives, 15) \
    X(free_chunks, 16) \
    X(lists, 17) \
    X(answered, 18) \
    X(words, 19) \
    X(entries, 20) \
    X(word_tags, 21)

#define TMU_DOORBELL_PAGE_BYTES 4096
#define TMU_DOORBELL_COMMAND_BYTES 64
#define TMU_DOORBELL_COMMAND_WINDOW_BYTES 2048
#define TMU_DOORBELL_CONSUMER_OFFSET 2048
#define TMU_DOORBELL_ASK_OFFSET 2052
#define TMU_DOORBELL_PICTURE_OFFSET 2056
#define TMU_DOORBELL_COUNTERS_OFFSET 3072
#define TMU_DOORBELL_COUNTER_BYTES 8
#define TMU_DOORBELL_PICTURE_CLOCKS 65536
#define TMU_RING_LOG2_MIN 4
#define TMU_RING_LOG2_MAX 16

#define TMU_SPILL_SEGMENT_BYTES 2097152
#define TMU_SPILL_CHUNK_BYTES 4096
#define TMU_SPILL_CHUNK_ENTRIES 60
#define TMU_SPILL_ENTRY_BYTES 64
#define TMU_SPILL_FIRST_ENTRY 256 /* bytes before it in a chunk */

#define TMU_FILTER_SOURCE_PIECE_BITS 10 /* of a filter id of 32 bits */
#define TMU_FILTER_LOW_PIECE_BITS 12 /* of a filter id of 32 bits */
#define TMU_FILTER_HIGH_PIECE_BITS 10 /* of a filter id of 32 bits */

#define TMU_COMMAND_OPCODE_WORD 0 /* What is asked. */
#define TMU_COMMAND_OPCODE_SHIFT 0
#define TMU_COMMAND_OPCODE_MASK 0xffull
#define TMU_COMMAND_RESERVED0_WORD 0 /* Must be 0. */
#define TMU_COMMAND_RESERVED0_SHIFT 8
#define TMU_COMMAND_RESERVED0_MASK 0xffffffull
#define TMU_COMMAND_ENDPOINT_WORD 0 /* Endpoint; used on the privileged page only. */
#define TMU_COMMAND_ENDPOINT_SHIFT 32
#define TMU_COMMAND_ENDPOINT_MASK 0xffffffffull
#define TMU_COMMAND_MATCH_WORD 1 /* Match bits (MPI: the tag in the lowest TAG_BITS, the context above). */
#define TMU_COMMAND_MATCH_SHIFT 0
#define TMU_COMMAND_MATCH_MASK 0xffffffffffffffffull
#define TMU_COMMAND_IGNORE_WORD 2 /* Match bits that are not compared (post, probe, claim, flush). */
#define TMU_COMMAND_IGNORE_SHIFT 0
#define TMU_COMMAND_IGNORE_MASK 0xffffffffffffffffull
#define TMU_COMMAND_SOURCE_WORD 3 /* Source. */
#define TMU_COMMAND_SOURCE_SHIFT 0
#define TMU_COMMAND_SOURCE_MASK 0xffffffffull
#define TMU_COMMAND_SOURCE_IGNORE_WORD 3 /* Source bits that are not compared. */
#define TMU_COMMAND_SOURCE_IGNORE_SHIFT 32
#define TMU_COMMAND_SOURCE_IGNORE_MASK 0xffffffffull
#define TMU_COMMAND_HANDLE_WORD 4 /* Caller's handle, returned unchanged (R15). */
#define TMU_COMMAND_HANDLE_SHIFT 0
#define TMU_COMMAND_HANDLE_MASK 0xffffffffffffffffull
#define TMU_COMMAND_ADDRESS_WORD 5 /* Buffer of a receive, address of a message; inspect: which entry. */
#define TMU_COMMAND_ADDRESS_SHIFT 0
#define TMU_COMMAND_ADDRESS_MASK 0xffffffffffffffffull
#define TMU_COMMAND_LENGTH_WORD 6 /* Bytes of the buffer or of the message. */
#define TMU_COMMAND_LENGTH_SHIFT 0
#define TMU_COMMAND_LENGTH_MASK 0xffffffffffffull
#define TMU_COMMAND_RESERVED6_WORD 6 /* Must be 0. */
#define TMU_COMMAND_RESERVED6_SHIFT 48
#define TMU_COMMAND_RESERVED6_MASK 0xffffull
#define TMU_COMMAND_RECEIVE_ID_WORD 7 /* Post: id of this receive; cancel: id of the target. */
#define TMU_COMMAND_RECEIVE_ID_SHIFT 0
#define TMU_COMMAND_RECEIVE_ID_MASK 0xffffffffull
#define TMU_COMMAND_RESERVED7_WORD 7 /* Must be 0. */
#define TMU_COMMAND_RESERVED7_SHIFT 32
#define TMU_COMMAND_RESERVED7_MASK 0xffffffffull
#define TMU_COMMAND_INSPECT_POSITION_WORD 5 /* Inspect: position, oldest is 0. */
#define TMU_COMMAND_INSPECT_POSITION_SHIFT 0
#define TMU_COMMAND_INSPECT_POSITION_MASK 0xffffffffull
#define TMU_COMMAND_INSPECT_QUEUE_WORD 5 /* Inspect: 0 posted, 1 unexpected. */
#define TMU_COMMAND_INSPECT_QUEUE_SHIFT 32
#define TMU_COMMAND_INSPECT_QUEUE_MASK 0x1ull
#define TMU_COMMAND_MEMORY_WORD 7 /* Card, post: registered memory that the buffer is in. */
#define TMU_COMMAND_MEMORY_SHIFT 32
#define TMU_COMMAND_MEMORY_MASK 0xffffull

#define TMU_COMPLETION_OPCODE_WORD 0 /* Opcode of the command. */
#define TMU_COMPLETION_OPCODE_SHIFT 0
#define TMU_COMPLETION_OPCODE_MASK 0xffull
#define TMU_COMPLETION_STATUS_WORD 0 /* The verdict. */
#define TMU_COMPLETION_STATUS_SHIFT 8
#define TMU_COMPLETION_STATUS_MASK 0xffull
#define TMU_COMPLETION_PHASE_WORD 0 /* 1 in the first lap of the ring, then alternating. */
#define TMU_COMPLETION_PHASE_SHIFT 16
#define TMU_COMPLETION_PHASE_MASK 0x1ull
#define TMU_COMPLETION_TRUNCATED_WORD 0 /* The message is longer than the receive (R12). */
#define TMU_COMPLETION_TRUNCATED_SHIFT 17
#define TMU_COMPLETION_TRUNCATED_MASK 0x1ull
#define TMU_COMPLETION_UNEXPECTED_WORD 0 /* Removed or inspected entry is a message, not a receive. */
#define TMU_COMPLETION_UNEXPECTED_SHIFT 18
#define TMU_COMPLETION_UNEXPECTED_MASK 0x1ull
#define TMU_COMPLETION_SERIAL_WORD 0 /* Serialisation number: verdicts of this endpoint so far (R7). */
#define TMU_COMPLETION_SERIAL_SHIFT 32
#define TMU_COMPLETION_SERIAL_MASK 0xffffffffull
#define TMU_COMPLETION_HANDLE_WORD 1 /* Handle of the command. */
#define TMU_COMPLETION_HANDLE_SHIFT 0
#define TMU_COMPLETION_HANDLE_MASK 0xffffffffffffffffull
#define TMU_COMPLETION_OTHER_WORD 2 /* Handle of the entry that was matched, found or removed. */
#define TMU_COMPLETION_OTHER_SHIFT 0
#define TMU_COMPLETION_OTHER_MASK 0xffffffffffffffffull
#define TMU_COMPLETION_MATCH_WORD 3 /* Match bits of the message or of the removed entry. */
#define TMU_COMPLETION_MATCH_SHIFT 0
#define TMU_COMPLETION_MATCH_MASK 0xffffffffffffffffull
#define TMU_COMPLETION_SOURCE_WORD 4 /* Source of the message or of the removed entry. */
#define TMU_COMPLETION_SOURCE_SHIFT 0
#define TMU_COMPLETION_SOURCE_MASK 0xffffffffull
#define TMU_COMPLETION_ENDPOINT_WORD 4 /* Endpoint. */
#define TMU_COMPLETION_ENDPOINT_SHIFT 32
#define TMU_COMPLETION_ENDPOINT_MASK 0xffffffffull
#define TMU_COMPLETION_MESSAGE_LENGTH_WORD 5 /* Bytes of the message. */
#define TMU_COMPLETION_MESSAGE_LENGTH_SHIFT 0
#define TMU_COMPLETION_MESSAGE_LENGTH_MASK 0xffffffffffffull
#define TMU_COMPLETION_HOST_LATENCY_WORD 5 /* Clocks from doorbell to completion write, saturating. */
#define TMU_COMPLETION_HOST_LATENCY_SHIFT 48
#define TMU_COMPLETION_HOST_LATENCY_MASK 0xffffull
#define TMU_COMPLETION_RECEIVE_LENGTH_WORD 6 /* Bytes of the receive's buffer. */
#define TMU_COMPLETION_RECEIVE_LENGTH_SHIFT 0
#define TMU_COMPLETION_RECEIVE_LENGTH_MASK 0xffffffffffffull
#define TMU_COMPLETION_UNIT_LATENCY_WORD 6 /* Clocks in the matching unit, saturating. */
#define TMU_COMPLETION_UNIT_LATENCY_SHIFT 48
#define TMU_COMPLETION_UNIT_LATENCY_MASK 0xffffull
#define TMU_COMPLETION_ADDRESS_WORD 7 /* The receive's buffer or the message's address. */
#define TMU_COMPLETION_ADDRESS_SHIFT 0
#define TMU_COMPLETION_ADDRESS_MASK 0xffffffffffffffffull
#define TMU_COMPLETION_REMOVED_POSTED_WORD 2 /* Flushed: receives removed. */
#define TMU_COMPLETION_REMOVED_POSTED_SHIFT 0
#define TMU_COMPLETION_REMOVED_POSTED_MASK 0xffffffffull
#define TMU_COMPLETION_REMOVED_UNEXPECTED_WORD 2 /* Flushed: messages removed. */
#define TMU_COMPLETION_REMOVED_UNEXPECTED_SHIFT 32
#define TMU_COMPLETION_REMOVED_UNEXPECTED_MASK 0xffffffffull
#define TMU_COMPLETION_ENTRY_IGNORE_WORD 6 /* Entry: ignored match bits. */
#define TMU_COMPLETION_ENTRY_IGNORE_SHIFT 0
#define TMU_COMPLETION_ENTRY_IGNORE_MASK 0xffffffffffffffffull
#define TMU_COMPLETION_ENTRY_SOURCE_IGNORE_WORD 0 /* Entry: ignored source bits. */
#define TMU_COMPLETION_ENTRY_SOURCE_IGNORE_SHIFT 32
#define TMU_COMPLETION_ENTRY_SOURCE_IGNORE_MASK 0xffffffffull
#define TMU_COMPLETION_PEER_WORD 2 /* Send: the peer. */
#define TMU_COMPLETION_PEER_SHIFT 0
#define TMU_COMPLETION_PEER_MASK 0xffffull
#define TMU_COMPLETION_CODE_WORD 2 /* Send: return code of the target's answer. */
#define TMU_COMPLETION_CODE_SHIFT 16
#define TMU_COMPLETION_CODE_MASK 0xffull
#define TMU_COMPLETION_GIVEN_UP_WORD 2 /* Undelivered: the peer did not answer. */
#define TMU_COMPLETION_GIVEN_UP_SHIFT 24
#define TMU_COMPLETION_GIVEN_UP_MASK 0x1ull

#define TMU_SPILL_ENTRY_PARITY_WORD 0 /* Makes the ones of the entry even, with those of its chunk's number and of its slot's. */
#define TMU_SPILL_ENTRY_PARITY_SHIFT 0
#define TMU_SPILL_ENTRY_PARITY_MASK 0x1ull
#define TMU_SPILL_ENTRY_ENDPOINT_WORD 0 /* Endpoint that it is queued at. */
#define TMU_SPILL_ENTRY_ENDPOINT_SHIFT 32
#define TMU_SPILL_ENTRY_ENDPOINT_MASK 0xffffffffull
#define TMU_SPILL_ENTRY_MATCH_WORD 1 /* Match bits (MPI: the tag in the lowest TAG_BITS, the context above). */
#define TMU_SPILL_ENTRY_MATCH_SHIFT 0
#define TMU_SPILL_ENTRY_MATCH_MASK 0xffffffffffffffffull
#define TMU_SPILL_ENTRY_IGNORE_WORD 2 /* Match bits that are not compared (post, probe, claim, flush). */
#define TMU_SPILL_ENTRY_IGNORE_SHIFT 0
#define TMU_SPILL_ENTRY_IGNORE_MASK 0xffffffffffffffffull
#define TMU_SPILL_ENTRY_SOURCE_WORD 3 /* Source. */
#define TMU_SPILL_ENTRY_SOURCE_SHIFT 0
#define TMU_SPILL_ENTRY_SOURCE_MASK 0xffffffffull
#define TMU_SPILL_ENTRY_SOURCE_IGNORE_WORD 3 /* Source bits that are not compared. */
#define TMU_SPILL_ENTRY_SOURCE_IGNORE_SHIFT 32
#define TMU_SPILL_ENTRY_SOURCE_IGNORE_MASK 0xffffffffull
#define TMU_SPILL_ENTRY_HANDLE_WORD 4 /* Handle of the receive or of the message. */
#define TMU_SPILL_ENTRY_HANDLE_SHIFT 0
#define TMU_SPILL_ENTRY_HANDLE_MASK 0xffffffffffffffffull
#define TMU_SPILL_ENTRY_ADDRESS_WORD 5 /* Buffer of a receive, address of a message. */
#define TMU_SPILL_ENTRY_ADDRESS_SHIFT 0
#define TMU_SPILL_ENTRY_ADDRESS_MASK 0xffffffffffffffffull
#define TMU_SPILL_ENTRY_LENGTH_WORD 6 /* Bytes of the buffer or of the message. */
#define TMU_SPILL_ENTRY_LENGTH_SHIFT 0
#define TMU_SPILL_ENTRY_LENGTH_MASK 0xffffffffffffull
#define TMU_SPILL_ENTRY_RECEIVE_ID_WORD 7 /* Id of a receive. */
#define TMU_SPILL_ENTRY_RECEIVE_ID_SHIFT 0
#define TMU_SPILL_ENTRY_RECEIVE_ID_MASK 0xffffffffull

#define TMU_SEND_INLINE_BYTES 24
#define TMU_SEND_PIECES_MOST 4
#define TMU_SEND_OPCODE_WORD 0 /* What is asked. */
#define TMU_SEND_OPCODE_SHIFT 0
#define TMU_SEND_OPCODE_MASK 0xffull
#define TMU_SEND_HEADER_WORD 0 /* The message has header data. */
#define TMU_SEND_HEADER_SHIFT 8
#define TMU_SEND_HEADER_MASK 0x1ull
#define TMU_SEND_PIECES_WORD 0 /* 0 inline, 1 at `address`, 2 to 4: a list lies at `address`. */
#define TMU_SEND_PIECES_SHIFT 9
#define TMU_SEND_PIECES_MASK 0x7ull
#define TMU_SEND_RESERVED0_WORD 0 /* Must be 0. */
#define TMU_SEND_RESERVED0_SHIFT 12
#define TMU_SEND_RESERVED0_MASK 0xfull
#define TMU_SEND_PEER_WORD 0 /* Index into the table of peers. */
#define TMU_SEND_PEER_SHIFT 16
#define TMU_SEND_PEER_MASK 0xffffull
#define TMU_SEND_ENDPOINT_WORD 0 /* Endpoint; used on the privileged page only. */
#define TMU_SEND_ENDPOINT_SHIFT 32
#define TMU_SEND_ENDPOINT_MASK 0xffffffffull
#define TMU_SEND_MATCH_WORD 1 /* Match bits. */
#define TMU_SEND_MATCH_SHIFT 0
#define TMU_SEND_MATCH_MASK 0xffffffffffffffffull
#define TMU_SEND_HEADER_DATA_WORD 2 /* Header data, told with the message. */
#define TMU_SEND_HEADER_DATA_SHIFT 0
#define TMU_SEND_HEADER_DATA_MASK 0xffffffffffffffffull
#define TMU_SEND_LENGTH_WORD 3 /* Bytes of the message. */
#define TMU_SEND_LENGTH_SHIFT 0
#define TMU_SEND_LENGTH_MASK 0xffffffffull
#define TMU_SEND_MEMORY_WORD 3 /* Registered memory that `address` is in. */
#define TMU_SEND_MEMORY_SHIFT 32
#define TMU_SEND_MEMORY_MASK 0xffffull
#define TMU_SEND_RESERVED3_WORD 3 /* Must be 0. */
#define TMU_SEND_RESERVED3_SHIFT 48
#define TMU_SEND_RESERVED3_MASK 0xffffull
#define TMU_SEND_HANDLE_WORD 4 /* Caller's handle, returned unchanged (R15). */
#define TMU_SEND_HANDLE_SHIFT 0
#define TMU_SEND_HANDLE_MASK 0xffffffffffffffffull
#define TMU_SEND_INLINE0_WORD 5 /* Bytes of the message, the first lowest. */
#define TMU_SEND_INLINE0_SHIFT 0
#define TMU_SEND_INLINE0_MASK 0xffffffffffffffffull
#define TMU_SEND_INLINE1_WORD 6 /* Bytes 8 to 15. */
#define TMU_SEND_INLINE1_SHIFT 0
#define TMU_SEND_INLINE1_MASK 0xffffffffffffffffull
#define TMU_SEND_INLINE2_WORD 7 /* Bytes 16 to 23. */
#define TMU_SEND_INLINE2_SHIFT 0
#define TMU_SEND_INLINE2_MASK 0xffffffffffffffffull
#define TMU_SEND_ADDRESS_WORD 5 /* The message, or its list of pieces; then the rest is 0. */
#define TMU_SEND_ADDRESS_SHIFT 0
#define TMU_SEND_ADDRESS_MASK 0xffffffffffffffffull
#define TMU_PIECE_ADDRESS_WORD 0 /* First byte of a piece. */
#define TMU_PIECE_ADDRESS_SHIFT 0
#define TMU_PIECE_ADDRESS_MASK 0xffffffffffffffffull
#define TMU_PIECE_LENGTH_WORD 1 /* Its bytes. */
#define TMU_PIECE_LENGTH_SHIFT 0
#define TMU_PIECE_LENGTH_MASK 0xffffffffull
#define TMU_PIECE_MEMORY_WORD 1 /* Registered memory that it is in. */
#define TMU_PIECE_MEMORY_SHIFT 32
#define TMU_PIECE_MEMORY_MASK 0xffffull
#define TMU_PIECE_RESERVED1_WORD 1 /* Must be 0. */
#define TMU_PIECE_RESERVED1_SHIFT 48
#define TMU_PIECE_RESERVED1_MASK 0xffffull
#define TMU_PIECE_ADDRESS1_WORD 2 /* First byte of a piece. */
#define TMU_PIECE_ADDRESS1_SHIFT 0
#define TMU_PIECE_ADDRESS1_MASK 0xffffffffffffffffull
#define TMU_PIECE_LENGTH1_WORD 3 /* Its bytes. */
#define TMU_PIECE_LENGTH1_SHIFT 0
#define TMU_PIECE_LENGTH1_MASK 0xffffffffull
#define TMU_PIECE_MEMORY1_WORD 3 /* Registered memory that it is in. */
#define TMU_PIECE_MEMORY1_SHIFT 32
#define TMU_PIECE_MEMORY1_MASK 0xffffull
#define TMU_PIECE_RESERVED3_WORD 3 /* Must be 0. */
#define TMU_PIECE_RESERVED3_SHIFT 48
#define TMU_PIECE_RESERVED3_MASK 0xffffull
#define TMU_PIECE_ADDRESS2_WORD 4 /* First byte of a piece. */
#define TMU_PIECE_ADDRESS2_SHIFT 0
#define TMU_PIECE_ADDRESS2_MASK 0xffffffffffffffffull
#define TMU_PIECE_LENGTH2_WORD 5 /* Its bytes. */
#define TMU_PIECE_LENGTH2_SHIFT 0
#define TMU_PIECE_LENGTH2_MASK 0xffffffffull
#define TMU_PIECE_MEMORY2_WORD 5 /* Registered memory that it is in. */
#define TMU_PIECE_MEMORY2_SHIFT 32
#define TMU_PIECE_MEMORY2_MASK 0xffffull
#define TMU_PIECE_RESERVED5_WORD 5 /* Must be 0. */
#define TMU_PIECE_RESERVED5_SHIFT 48
#define TMU_PIECE_RESERVED5_MASK 0xffffull
#define TMU_PIECE_ADDRESS3_WORD 6 /* First byte of a piece. */
#define TMU_PIECE_ADDRESS3_SHIFT 0
#define TMU_PIECE_ADDRESS3_MASK 0xffffffffffffffffull
#define TMU_PIECE_LENGTH3_WORD 7 /* Its bytes. */
#define TMU_PIECE_LENGTH3_SHIFT 0
#define TMU_PIECE_LENGTH3_MASK 0xffffffffull
#define TMU_PIECE_MEMORY3_WORD 7 /* Registered memory that it is in. */
#define TMU_PIECE_MEMORY3_SHIFT 32
#define TMU_PIECE_MEMORY3_MASK 0xffffull
#define TMU_PIECE_RESERVED7_WORD 7 /* Must be 0. */
#define TMU_PIECE_RESERVED7_SHIFT 48
#define TMU_PIECE_RESERVED7_MASK 0xffffull

/* X(value, mask, VALUE, MASK, type, kept, signal): for each field of the key the members of
 * structures, the names in records, the members' type, the bits that the unit of `info` keeps,
 * and the name in the hardware. */
#define TMU_KEY_TABLE(X) \
    X(match, ignore, MATCH, IGNORE, uint64_t, (info)->match_bits, bits) \
    X(source, source_ignore, SOURCE, SOURCE_IGNORE, uint32_t, (info)->source_bits, source)
/* Copies or compares a key, or its values alone, in structures with members of these names. */
#define TMU_KEY_COPY(to, from) \
    ((void)((to).match = (from).match), (void)((to).ignore = (from).ignore), (void)((to).source = (from).source), (void)((to).source_ignore = (from).source_ignore))
#define TMU_KEY_COPY_VALUES(to, from) \
    ((void)((to).match = (from).match), (void)((to).source = (from).source))
#define TMU_KEY_SAME_VALUES(a, b) \
    ((a).match == (b).match && (a).source == (b).source)

/* X(name, offset of the low word) */
#define TMU_COUNTER_TABLE(X) \
    X(clocks, 0x400) \
    X(posts, 0x408) \
    X(arrivals, 0x410) \
    X(probes, 0x418) \
    X(claims, 0x420) \
    X(cancels, 0x428) \
    X(flushes, 0x430) \
    X(inspects, 0x438) \
    X(post_matched, 0x440) \
    X(post_queued, 0x448) \
    X(post_refused, 0x450) \
    X(arrive_matched, 0x458) \
    X(arrive_queued, 0x460) \
    X(arrive_stalled, 0x468) \
    X(probe_found, 0x470) \
    X(claim_matched, 0x478) \
    X(cancelled, 0x480) \
    X(cancel_late, 0x488) \
    X(removed_posted, 0x490) \
    X(removed_unexpected, 0x498) \
    X(truncated, 0x4a0) \
    X(refused_endpoint, 0x4a8) \
    X(refused_privilege, 0x4b0) \
    X(malformed, 0x4b8) \
    X(posted_visited, 0x4c0) \
    X(unexpected_visited, 0x4c8) \
    X(filter_passes, 0x4d0) \
    X(filter_candidates, 0x4d8) \
    X(filter_false, 0x4e0) \
    X(lifted, 0x4e8) \
    X(long_clocks, 0x4f0) \
    X(posted_depth_max, 0x4f8) \
    X(unexpected_depth_max, 0x500) \
    X(busy_clocks, 0x508) \
    X(command_stall_clocks, 0x510) \
    X(completion_stall_clocks, 0x518) \
    X(first_accept, 0x520) \
    X(last_verdict, 0x528) \
    X(doorbell_errors, 0x530) \
    X(disabled_drops, 0x538) \
    X(completion_errors, 0x540) \
    X(register_errors, 0x548) \
    X(ring_overruns, 0x550) \
    X(queue_overruns, 0x558) \
    X(spill_deferred, 0x560) \
    X(spill_appended, 0x568) \
    X(spill_taken, 0x570) \
    X(spill_refilled, 0x578) \
    X(spill_false, 0x580) \
    X(spill_reads, 0x588) \
    X(spill_writes, 0x590) \
    X(spill_refused, 0x598) \
    X(spill_errors, 0x5a0) \
    X(table_faults, 0x5a8) \
    X(commands, 0x5b0) \
    X(completions, 0x5b8) \
    X(spill_read_stall_clocks, 0x5c0) \
    X(spill_write_stall_clocks, 0x5c8) \
    X(command_idle_1, 0x5d0) \
    X(command_idle_4, 0x5d8) \
    X(command_idle_16, 0x5e0) \
    X(command_idle_64, 0x5e8) \
    X(command_idle_256, 0x5f0) \
    X(completion_idle_1, 0x5f8) \
    X(completion_idle_4, 0x600) \
    X(completion_idle_16, 0x608) \
    X(completion_idle_64, 0x610) \
    X(completion_idle_256, 0x618) \
    X(spill_read_idle_1, 0x620) \
    X(spill_read_idle_4, 0x628) \
    X(spill_read_idle_16, 0x630) \
    X(spill_read_idle_64, 0x638) \
    X(spill_read_idle_256, 0x640) \
    X(spill_write_idle_1, 0x648) \
    X(spill_write_idle_4, 0x650) \
    X(spill_write_idle_16, 0x658) \
    X(spill_write_idle_64, 0x660) \
    X(spill_write_idle_256, 0x668)

#define TMU_PRESET_OWN 65535 /* number of a configuration of one's own */
/* X(name, least, most): parameters of a configuration */
#define TMU_PARAMETER_TABLE(X) \
    X(endpoints, 2, 4096) \
    X(posted_entries, 4, 1048576) \
    X(unexpected_entries, 4, 1048576) \
    X(lanes, 2, 256) \
    X(context_bits, 1, 32) \
    X(tag_bits, 2, 32) \
    X(source_bits, 1, 32) \
    X(handle_bits, 1, 64) \
    X(address_bits, 1, 64) \
    X(length_bits, 1, 48) \
    X(id_bits, 2, 31) \
    X(queues, 2, 4096) \
    X(command_slots, 4, 32768) \
    X(spill_segments, 0, 128)
/* X(name, number, the values of these parameters) */
#define TMU_PRESET_TABLE(X) \
    X("nic", 0, 2048, 16384, 16384, 128, 32, 32, 32, 64, 64, 48, 20, 2048, 4096, 64) \
    X("tiny", 1, 4, 64, 64, 16, 32, 32, 32, 64, 64, 48, 20, 64, 512, 4) \
    X("formal", 2, 2, 4, 4, 2, 1, 2, 2, 4, 4, 3, 4, 2, 8, 1) \
    X("ecp5", 3, 16, 64, 64, 16, 32, 32, 32, 64, 64, 48, 20, 15, 128, 0) \
    X("max", 4, 4096, 65536, 65536, 128, 32, 32, 32, 64, 64, 48, 20, 4096, 8192, 128) \
    X("many", 5, 256, 128, 128, 32, 32, 32, 32, 64, 64, 48, 20, 256, 1024, 4) \
    X("small", 6, 64, 256, 256, 32, 32, 32, 32, 64, 64, 48, 20, 64, 512, 4)

/* clang-format on */
#endif
