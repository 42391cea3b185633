// SPDX-License-Identifier: Apache-2.0
// Proof of the steps of a connection that this card opens: W1 and W4 for every sequence of answers,
// timeouts and messages, by induction.
//
// One connection is watched; any step may come, with any answer. What memories say of a packet or
// message is free.
`default_nettype none

module initiator_proof (
    input wire clock
);
  reg [1:0] age = 0;
  wire reset = age < 2;
  always @(posedge clock) if (reset) age <= age + 2'd1;
  `include "device.svh"
  localparam [31:0] WINDOW = 4;
  localparam [2:0] ANSWER = 0, WALK = 1, LOSE = 2, TIMEOUT = 3, SEND = 4, ENQUEUE = 5, RETIRE = 6;
  localparam [1:0] IDLE = 0;

  // The connection: a step makes the next state of it.
  reg [1:0] state;
  reg [31:0] clear, cack, sent, next;
  reg losing, begun, close_sent, armed, paused;
  always @(posedge clock) begin
    {state, losing, begun, close_sent, armed, paused} <=
        reset ? 7'd0 : {io_step_entry_state, io_step_entry_losing, io_step_entry_begun,
                        io_step_entry_closeSent, io_step_entry_armed, io_step_entry_paused};
    clear <= reset ? ~32'd0 : io_step_entry_clear;
    cack <= reset ? ~32'd0 : io_step_entry_cack;
    sent <= reset ? 32'd0 : io_step_entry_sent;
    next <= reset ? 32'd0 : io_step_entry_next;
  end
  wire usable = state != IDLE && !losing;
  always @(*) begin
    kinds : assume (io_kind <= RETIRE);
    watched : assume (io_in_entry_state == state && io_in_entry_losing == losing &&
                      io_in_entry_begun == begun && io_in_entry_closeSent == close_sent &&
                      io_in_entry_armed == armed && io_in_entry_paused == paused &&
                      io_in_entry_clear == clear && io_in_entry_cack == cack &&
                      io_in_entry_sent == sent && io_in_entry_next == next);
    // As steps are chosen.
    of_usable : assume (!(io_kind == ANSWER || io_kind == WALK || io_kind == TIMEOUT) || usable);
    of_losing : assume (io_kind != LOSE || losing);
    runs_out : assume (io_kind != TIMEOUT || armed);
    not_both : assume (io_kind != RETIRE || usable);
  end

  wire [31:0] open = next - clear - 32'd1;
  wire opens = state == IDLE && io_step_entry_state != IDLE;
  wire ends = state != IDLE && io_step_entry_state == IDLE;
  wire again = io_step_packet_bits_pds_flags[4];
  wire request = io_step_packet_valid && io_step_packet_bits_pds_kind == 5'd3;
  wire [31:0] number = io_step_packet_bits_pds_psn;
  wire is_answered = io_in_answered || $signed(clear + 32'd1 - cack) <= 0;
  always @(posedge clock)
    if (!reset) begin
      // A number is used once: it is the next one, and the next one is another.
      one_number : assert (opens || io_step_entry_next == next + {31'd0, io_step_allots});
      uses : assert (!(request && !again) || io_step_allots && number == next);
      // A packet that is sent again was sent, has no answer, and is in the window.
      repeats : assert (!(request && again) || !io_step_allots && !io_in_answered &&
                        number - clear - 32'd1 < open && $signed(number - cack) > 0);
      window : assert (open <= WINDOW);
      // No packet is passed without an answer, and none is left out.
      answered : assert (opens || ends || io_step_entry_clear == clear ||
                         io_step_entry_clear == clear + 32'd1 && open != 0 && is_answered);
      whole : assert (!(io_kind == WALK && io_step_end_valid) ||
                      is_answered && open != 0 && io_in_record_last);
      // Only what was sent is acknowledged.
      beyond : assert (!io_step_answers || io_step_answeredNumber - clear - 32'd1 < open);
      // A packet without an answer waits for a timer that runs, and only it pauses.
      timed : assert (losing || (open == 0 ? !paused : armed));
      // A peer that is lost ends what has begun, and tells of nothing else.
      lost : assert (!(io_step_end_valid && io_step_end_bits_lost) ||
                     io_kind == LOSE && io_in_begun);
      sends : cover (request && !again && open == WINDOW - 1);
      resends : cover (request && again && sent == clear + 32'd2);
      passes : cover (io_kind == WALK && io_step_end_valid && open == 2);
      closes : cover (ends && io_kind == WALK);
      fails : cover (ends && io_kind == LOSE);
`ifndef LAW
      order : assert (cack - clear <= open && sent - clear - 32'd1 <= open);
      quiet : assert (state != IDLE || open == 0);
`endif
    end
endmodule
