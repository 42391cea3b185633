/* SPDX-License-Identifier: Apache-2.0
 *
 * The public header compiles alone in C11; that this file builds is the test. */
#include "tmu/tmu_net.h"

_Static_assert(TMU_OK == 0, "a result of 0 is success");

/* Sizes that programs of libtmu.so.1 were compiled with.  A structure that crosses the library's
 * edge without its size stays as it is: another needs a new SONAME (tmu_abi in CMakeLists.txt). */
#define STAYS(type, bytes) _Static_assert(sizeof(type) == (bytes), #type " is another interface")
STAYS(tmu_key_t, 24);
STAYS(tmu_receive_t, 48);
STAYS(tmu_message_t, 40);
STAYS(tmu_completion_t, 80);
STAYS(tmu_entry_t, 64);
STAYS(tmu_depth_t, 8);
STAYS(tmu_counter_t, 16);
STAYS(tmu_filter_windows_t, 24);
STAYS(tmu_filter_sample_t, 160);
STAYS(tmu_net_name_t, 8);
STAYS(tmu_net_peer_t, 16);
STAYS(tmu_net_memory_t, 32);
STAYS(tmu_net_piece_t, 16);
STAYS(tmu_net_send_t, 64);
STAYS(tmu_net_sent_t, 8);

/* One that crosses it with its size grows at its end alone: the last field of the first release of
 * that name stays where it is. */
#define GROWS(type, last, at)                                                                      \
    _Static_assert(offsetof(type, last) == (at), #type "." #last " has moved")
GROWS(tmu_info_t, spill_segments, 84);
GROWS(tmu_flow_stats_t, held_max, 24);
GROWS(tmu_fault_stats_t, flipped, 4);
GROWS(tmu_spill_stats_t, chunks_free, 8);
GROWS(tmu_queue_attr_t, commands_log2, 8);
GROWS(tmu_net_attr_t, attempts, 16);
GROWS(tmu_net_counts_t, link_full, 60);
