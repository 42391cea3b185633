// SPDX-License-Identifier: Apache-2.0
// Proof that the unit's delay gives each slot back unchanged three clocks later, which is how
// unit.sv sees it. Outputs are compared while their operation is there.
`default_nettype none

module delay_proof (
    input wire clock
);
  reg [2:0] age = 0;
  wire reset = age < 2;
  always @(posedge clock) if (reset) age <= age + 3'd1;
  `include "device.svh"
  `include "same.svh"
  always @(posedge clock)
    if (!reset) begin
      same_post : assert (io_out_post_valid == law_io_out_post_valid);
      same_arrival : assert (io_out_arrival_valid == law_io_out_arrival_valid);
      post_unchanged : assert (!io_out_post_valid || same_post_bits);
      arrival_unchanged : assert (!io_out_arrival_valid || same_arrival_bits);
      back : cover (io_out_post_valid && io_out_arrival_valid);
    end
endmodule
