// SPDX-License-Identifier: Apache-2.0
// Proof of the ledger of writes: W3 for every order of bursts, completions and answers, by
// induction.
//
// One burst is watched, in a slot of the queue that the solver picks; of the queue's memory that
// slot alone is kept, the others hold anything. Whoever completes a message gives it no further
// burst before the completion has left; so no completion of it lies before the watched burst.
`default_nettype none

module ledger_proof (
    input wire clock
);
  reg [1:0] age = 0;
  wire reset = age < 2;
  always @(posedge clock) if (reset) age <= age + 2'd1;
  `include "device.svh"
  (* hierconn *) wire [1:0] \dut.queue.memory_ext.slot ;
  wire [1:0] slot = \dut.queue.memory_ext.slot ;
  (* hierconn *) wire [2:0] \dut.queue.memory_ext.kept ;
  wire [2:0] kept = \dut.queue.memory_ext.kept ;
  (* anyseq *) wire picks;

  // The watched burst: whether it is in the queue, its message, and whether it completes it.
  wire enters = io_entry_valid && io_entry_ready;
  wire watches = picks && !watched && enters && dut__queue__behind == slot && io_entry_bits_burst;
  wire leaves = dut__queue__io_deq_valid && dut__queue__io_deq_ready;
  wire at_head = watched && dut__queue__oldest == slot;
  reg watched = 0;
  reg message, completes;
  always @(posedge clock) begin
    watched <= !reset && (watches || (watched && !(leaves && at_head)));
    if (watches) {message, completes} <= {io_entry_bits_message, io_entry_bits_completes};
  end
  wire head_completes = dut__queue__io_deq_bits_completes;
  wire head_message = dut__queue__io_deq_bits_message;
  always @(posedge clock) begin
    none_before : assume (!watched || at_head || !head_completes || head_message != message);
    answers : assume (!io_answer_valid || dut__queue__io_deq_valid);
  end

  wire answered = io_answer_valid && io_answer_ready;
  always @(posedge clock)
    if (!reset) begin
      // Nothing completes the message of a burst that memory has not answered, but its own answer.
      not_before : assert (!(io_complete_valid && watched && io_complete_bits_message == message) ||
                           (at_head && answered == io_complete_ready && io_answer_valid));
      // The burst is not forgotten: it leaves with an answer, and with its completion.
      with_answer : assert (!(watched && at_head && leaves) || answered);
      with_completion : assert (!(watched && at_head && leaves && completes) ||
                                (io_complete_valid && io_complete_ready));
      // An answer stands for one entry, an error is told at once where it completes.
      one_each : assert (!answered || leaves);
      told : assert (!(at_head && completes && answered && io_answer_bits) ||
                     io_complete_bits_failed);
      seen : cover (watched && at_head && leaves && completes && io_answer_bits);
      passed : cover (watched && !at_head && leaves && head_completes);
`ifndef LAW
      in_queue : assert (!watched ||
                         (index < dut__queue__count && kept == {1'b1, completes, message}));
      count : assert (dut__queue__count <= 3 &&
                      dut__queue__behind == dut__queue__oldest + dut__queue__count[1:0]);
      known : assert (dut__queue__ready == (dut__queue__count != 3) &&
                      dut__queue__valid == (dut__queue__count != 0));
`endif
    end
`ifndef LAW
  wire [1:0] index = slot - dut__queue__oldest;
`endif
endmodule

// The queue's memory: one slot of it.
module memory_4x3 (
    input wire [1:0] R0_addr,
    input wire R0_en,
    R0_clk,
    output wire [2:0] R0_data,
    input wire [1:0] W0_addr,
    input wire W0_en,
    W0_clk,
    input wire [2:0] W0_data
);
  (* anyconst *)wire [1:0] slot;
  (* anyseq *)wire [2:0] other;
  reg [2:0] kept;
  always @(posedge W0_clk) if (W0_en && W0_addr == slot) kept <= W0_data;
  assign R0_data = R0_addr == slot ? kept : other;
endmodule
