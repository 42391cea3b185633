// SPDX-License-Identifier: Apache-2.0
// Proof of the walk through a write: W2 for every address, length and number of beats, by induction.
//
// `x` is any byte of memory, picked once by the solver.
`default_nettype none

module steps_proof (
    input wire clock
);
  reg [1:0] age = 0;
  wire reset = age < 2;
  always @(posedge clock) if (reset) age <= age + 2'd1;
  `include "device.svh"
  (* anyconst *) wire [6:0] x;

  // The write that is under way.
  wire takes = io_command_valid && io_command_ready;
  reg [6:0] base;
  reg [3:0] size;
  reg [2:0] beats;
  reg message, completes;
  always @(posedge clock)
    if (takes) begin
      base <= io_command_bits_address;
      size <= io_command_bits_bytes;
      beats <= io_command_bits_beats;
      message <= io_command_bits_message;
      completes <= io_command_bits_completes;
    end
  wire [7:0] stop = base + size;
  wire covers = x >= base && x < stop;
  always @(posedge clock) begin
    // A receive lies in the address space; a payload has its bytes.
    no_wrap : assume (io_command_bits_address + {4'd0, io_command_bits_bytes} <= 8'd128);
    has_beats : assume (io_command_bits_bytes <= {io_command_bits_beats, 2'd0});
  end

  // Progress of the command.
  wire writes = io_step_valid && io_step_bits_writes;
  wire hit = writes && io_step_bits_address[6:2] == x[6:2] && io_step_bits_strobe[x[1:0]];
  wire tells = io_entry_valid && io_entry_bits_completes;
  reg written, told;
  reg [2:0] taken;
  reg [1:0] rest;
  reg [6:0] next;
  wire [2:0] after = {2'd0, io_step_valid && io_step_bits_takes} + taken;
  always @(posedge clock) begin
    written <= !takes && (written || hit);
    told <= !takes && (told || tells);
    taken <= takes ? 3'd0 : after;
    if (writes) begin
      rest <= io_step_bits_begins ? io_step_bits_more : rest - 2'd1;
      next <= io_step_bits_address + 7'd4;
    end
  end
  // Its last step, or nothing of it is left.
  wire ends = io_step_valid && io_command_ready;

  always @(posedge clock)
    if (!reset) begin
      inside : assert (!hit || covers);
      once : assert (!hit || !written);
      complete : assert (!ends || !covers || written || hit);
      all_taken : assert (!ends || after == beats);
      page : assert (!writes || !io_step_bits_begins ||
                     {1'b0, io_step_bits_address[3:2]} + {1'b0, io_step_bits_more} <= 3'd3);
      aligned : assert (io_step_bits_address[1:0] == 0);
      follows : assert (!writes || io_step_bits_begins ||
                        (io_step_bits_address == next && rest != 0));
      whole : assert (!writes || io_step_bits_finishes ==
                      ((io_step_bits_begins ? io_step_bits_more : rest - 2'd1) == 0));
      nothing_empty : assert (!writes || io_step_bits_strobe != 0);
      each_burst : assert (!writes || io_entry_valid == io_step_bits_begins);
      as_burst : assert (!io_entry_valid || io_entry_bits_burst == writes);
      of_its_message : assert (!io_entry_valid || io_entry_bits_message == message);
      // W3: what completes is the last of the write, and comes once.
      told_once : assert (!tells || !told);
      told_last : assert (!io_entry_valid || !told);
      told_at_all : assert (!ends || completes == (told || tells));
      unaligned : cover (ends && written && base[1:0] != 0 && size > 8);
      dropped : cover (ends && size == 3 && beats == 3 && completes);
      empty : cover (ends && size == 0 && completes);
`ifndef LAW
      if (dut__busy) begin
        held_size : assert (stop <= 128 && size <= {beats, 2'd0});
        held_writes : assert (dut__writes <= total);
        held_index : assert (dut__index == base[6:2] + done[4:0]);
        held_shift : assert (dut__shift == base[1:0]);
        held_tail : assert (dut__tail == stop[1:0]);
        held_first : assert (!dut__first || (done == 0 && taken == 0));
        held_begun : assert (dut__first || done != 0 || total == 0);
        held_takes : assert ({1'b0, dut__takes} + taken == {1'b0, beats});
        held_uses : assert (dut__uses == (done < own ? own - done : 0));
        held_used : assert (taken == (dut__writes != 0 && done < own ? done : taken));
        held_message : assert (dut__message == message && dut__completes == completes);
        held_written : assert (written == (covers && {1'b0, x[6:2]} - base[6:2] < done));
        held_told : assert (told == (completes && !dut__first && dut__writes <= burst_left));
        held_rest : assert (dut__first || dut__writes == 0 || burst_left == 0 ||
                            (next == {dut__index, 2'd0} && rest == in_burst[1:0]));
      end
`endif
    end
`ifndef LAW
  // Beats of memory and of payload that a write touches, and those of memory that are done.
  wire [5:0] total = size == 0 ? 6'd0 : ({4'd0, base[1:0]} + size + 6'd3) >> 2;
  wire [5:0] own = ({2'd0, size} + 6'd3) >> 2;
  wire [5:0] done = total - dut__writes;
  // Beats from the next one to the page's last, and of these the burst's own.
  wire [5:0] to_page = 6'd4 - dut__index[1:0];
  wire [5:0] burst_left = dut__index[1:0] == 0 ? 6'd0 : to_page;
  wire [5:0] in_burst = dut__writes < to_page ? dut__writes : to_page;
`endif
endmodule
