// SPDX-License-Identifier: Apache-2.0
//
// Invariants of the operations that the unit carries along, at every clock of their walk.

// Commands of memory beyond the tables, sent between the host's.
`define INJECTED(x) \
    (x``_spill_refills || x``_spill_releases || x``_spill_retries)
`define BODY(x) {x``_handle[3:0], x``_address, x``_length}
`define BODY_KEPT(k, side, op, body) \
    (!(dut__walk__delay__``k``_``side``_valid && \
       dut__walk__delay__``k``_``side``_bits_command_opcode == op) || \
     `BODY(dut__walk__delay__``k``_``side``_bits_command) == body)
`define DECIDED_EARLY(x) \
    (x``_searches || (x``_status != MATCHED && x``_status != QUEUED && x``_status != CANCELLED && \
                      x``_status != REFUSED && x``_status != STALLED))
`define AT(k, side, at) \
    (!dut__walk__delay__``k``_``side``_valid || \
     dut__walk__delay__``k``_``side``_bits_command_endpoint[0] == at)
`define TAKES_SERIAL(status) \
    (status != 7 && status != 10 && status != 12 && status != 13 && status != 14 && \
     status != 15 && status != 16)
`define FLAGS(x) \
    (x``_takes == `TAKES(x``_command_opcode) && \
     x``_appends == (x``_command_opcode == POST || x``_command_opcode == ARRIVE) && \
     x``_serial == (x``_command_searches ? x``_command_opcode != INSPECT && x``_command_opcode != FLUSH : \
                    `TAKES_SERIAL(x``_command_status)) && \
     (x``_command_opcode != FLUSH || !x``_command_searches || x``_sweeps))
`define FLAGS_AT(k) \
    (!dut__walk__delay__``k``_post_valid || `FLAGS(dut__walk__delay__``k``_post_bits)) && \
    (!dut__walk__delay__``k``_arrival_valid || `FLAGS(dut__walk__delay__``k``_arrival_bits))
`define STREAM(k) \
    (!dut__walk__delay__``k``_post_valid || `DECIDED_EARLY(dut__walk__delay__``k``_post_bits_command)) && \
    (!dut__walk__delay__``k``_arrival_valid || \
     `DECIDED_EARLY(dut__walk__delay__``k``_arrival_bits_command)) && \
    (!dut__walk__delay__``k``_arrival_valid || \
     dut__walk__delay__``k``_arrival_bits_command_opcode == ARRIVE || \
     dut__walk__delay__``k``_arrival_bits_command_opcode == CANCEL || \
     dut__walk__delay__``k``_arrival_bits_command_opcode == INSPECT || \
     (dut__walk__delay__``k``_arrival_bits_command_opcode == FLUSH && !dut__walk__delay__``k``_post_valid)) && \
    (!dut__walk__delay__``k``_post_valid || \
     ((!dut__walk__delay__``k``_post_bits_sweeps || dut__walk__delay__``k``_post_bits_command_opcode == FLUSH) && \
      dut__walk__delay__``k``_post_bits_command_opcode != ARRIVE && \
      dut__walk__delay__``k``_post_bits_command_opcode != CANCEL)) && \
    (!dut__walk__delay__``k``_arrival_valid || !dut__walk__delay__``k``_arrival_bits_sweeps || \
     dut__walk__delay__``k``_arrival_bits_command_opcode == FLUSH)

`define HOSTS(k) \
    (!(dut__walk__delay__``k``_post_valid && `INJECTED(dut__walk__delay__``k``_post_bits_command)) && \
     !(dut__walk__delay__``k``_arrival_valid && `INJECTED(dut__walk__delay__``k``_arrival_bits_command)))
`define PLAIN_MARK(of) (!dut__decide__marks__``of``_valid || !dut__decide__marks__``of``_bits_spilling)
