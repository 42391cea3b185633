// SPDX-License-Identifier: Apache-2.0
// Proof that a step of the card's parser neither loses a frame nor makes one, whatever bytes and
// lengths come (W6): for each last beat that comes one leaves, one or two clocks later, so the
// parser, which has nothing else that waits, hangs on nothing. And each frame leaves with its
// bytes but those that are dropped.
`default_nettype none

module drop_proof (
    input wire clock
);
  reg [2:0] age = 0;
  wire reset = age < 2;
  always @(posedge clock) if (reset) age <= age + 3'd1;
  `include "device.svh"

  function [15:0] dropped(input [1:0] choice);
    dropped = choice == 0 ? 14 : choice == 1 ? 18 : 22;
  endfunction

  // Frames come in order: full beats but the last.
  wire comes = io_in_valid;
  wire first = io_in_bits_beat_first;
  wire last = io_in_bits_beat_last;
  wire [15:0] bytes = io_in_bits_beat_bytes;
  reg open = 0;
  reg [15:0] before = 0;
  reg [1:0] frame_choice = 0;
  always @(posedge clock) begin
    if (reset) assume (!comes);
    if (comes) begin
      assume (first == !open);
      assume (last ? bytes <= 64 : bytes == 64);
      assume (!first || io_choice < 3);
      assume (before < 16'h4000);
    end
  end
  wire [15:0] came = first ? bytes : before + bytes;
  wire [1:0] choice = first ? io_choice : frame_choice;
  wire [15:0] drop = dropped(choice);
  always @(posedge clock)
    if (reset) open <= 0;
    else if (comes) begin
      open <= !last;
      before <= came;
      frame_choice <= choice;
    end

  // Bytes that have to leave, and when: at once if those of the last beat fit into the one before.
  wire fits = !first && bytes <= drop;
  reg soon = 0;
  reg later = 0;
  reg later_still = 0;
  reg [15:0] due = 0;
  reg [15:0] due_still = 0;
  always @(posedge clock) begin
    soon <= !reset && comes && last && fits;
    later <= !reset && comes && last && !fits;
    later_still <= !reset && later;
    if (comes && last) due <= came > drop ? came - drop : 0;
    due_still <= due;
  end

  // Bytes that have left of the frame that leaves.
  wire leaves = io_out_valid;
  wire [15:0] out_bytes = io_out_bits_beat_bytes;
  reg [15:0] left = 0;
  reg out_open = 0;
  wire [15:0] left_now = !leaves ? left : io_out_bits_beat_last ? 0 : left + out_bytes;
  always @(posedge clock) begin
    left <= reset ? 0 : left_now;
    if (reset) out_open <= 0;
    else if (leaves) out_open <= !io_out_bits_beat_last;
  end

  wire [15:0] held_bytes = dut__held_beat_bytes;
  wire [15:0] held_drop = dropped(dut__choice);
  wire held_last = dut__waits && dut__held_beat_last;
  always @(posedge clock)
    if (!reset) begin
      one_last : assert ((leaves && io_out_bits_beat_last) == (soon || later_still));
      not_both : assert (!(soon && later_still));
      one_first : assert (!leaves || io_out_bits_beat_first == !out_open);
      full : assert (!leaves || io_out_bits_beat_last || out_bytes == 64);
      all_bytes : assert (!(leaves && io_out_bits_beat_last) ||
                          left + out_bytes == (soon ? due : due_still));
`ifndef LAW
      // For the induction: what the device holds is what has come and not left.
      held_open : assert ((dut__waits && !dut__held_beat_last) == open);
      held_ends : assert (held_last == later);
      held_full : assert (!open || (held_bytes == 64 && before[5:0] == 0 && before >= 64));
      held_size : assert (!held_last || held_bytes <= 64);
      same_choice : assert (!dut__waits || (dut__choice == frame_choice && frame_choice < 3));
      open_left : assert (!open || left_now == before - 64);
      ends_left :
      assert (!held_last ||
              left_now + (held_bytes > held_drop ? held_bytes - held_drop : 0) == due);
      none_left : assert (open || held_last || left_now == 0);
      held_first : assert (!dut__waits || dut__held_beat_first == (left_now == 0));
      out_begins : assert (out_open == (left != 0));
      still : assert (!later_still || soon == 0);
`endif
      filled_up : cover (leaves && io_out_bits_beat_last && out_open && out_bytes == 42);
      empty : cover (leaves && out_bytes == 0);
    end
endmodule
