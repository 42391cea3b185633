// SPDX-License-Identifier: Apache-2.0
// Tells the device of each command that a card's matching unit takes, and of each verdict.
//
// A post that is taken in the same clock as an arrival is before it (R7); so is its verdict.
module TmuUnitMonitor (
    input logic clock,
    input logic reset,
    input logic post_taken,
    input logic [7:0] post_opcode,
    input logic [31:0] post_endpoint,
    input logic [63:0] post_match,
    input logic [31:0] post_source,
    input logic [63:0] post_match_ignore,
    input logic [31:0] post_source_ignore,
    input logic [63:0] post_handle,
    input logic [63:0] post_length,
    input logic [31:0] post_id,
    input logic arrival_taken,
    input logic [7:0] arrival_opcode,
    input logic [31:0] arrival_endpoint,
    input logic [63:0] arrival_match,
    input logic [31:0] arrival_source,
    input logic [63:0] arrival_handle,
    input logic [63:0] arrival_length,
    input logic post_told,
    input logic [7:0] post_status,
    input logic [63:0] post_other,
    input logic post_truncated,
    input logic arrival_told,
    input logic [7:0] arrival_status,
    input logic [63:0] arrival_other,
    input logic arrival_truncated
);
  import "DPI-C" function void tmu_monitor_command(
      input int port, input int opcode, input int endpoint, input longint match, input int source,
      input longint match_ignore, input int source_ignore, input longint handle,
      input longint length, input int id);
  import "DPI-C" function void tmu_monitor_verdict(
      input int port, input int status, input longint other, input int truncated);

  always @(posedge clock) begin
    if (!reset) begin
      if (post_told) tmu_monitor_verdict(0, int'(post_status), post_other, int'(post_truncated));
      if (arrival_told) begin
        tmu_monitor_verdict(1, int'(arrival_status), arrival_other, int'(arrival_truncated));
      end
      if (post_taken) begin
        tmu_monitor_command(0, int'(post_opcode), post_endpoint, post_match, post_source,
                            post_match_ignore, post_source_ignore, post_handle, post_length,
                            post_id);
      end
      if (arrival_taken) begin
        tmu_monitor_command(1, int'(arrival_opcode), arrival_endpoint, arrival_match,
                            arrival_source, '0, '0, arrival_handle, arrival_length, '0);
      end
    end
  end
endmodule

bind MatchUnit TmuUnitMonitor monitor (
    .clock(clock),
    .reset(reset),
    .post_taken(io_post_valid && io_post_ready),
    .post_opcode(io_post_bits_opcode),
    .post_endpoint(io_post_bits_endpoint),
    .post_match(io_post_bits_key_bits),
    .post_source(io_post_bits_key_source),
    .post_match_ignore(io_post_bits_ignore_bits),
    .post_source_ignore(io_post_bits_ignore_source),
    .post_handle(io_post_bits_handle),
    .post_length(64'(io_post_bits_length)),
    .post_id(32'(io_post_bits_id)),
    .arrival_taken(io_arrival_valid && io_arrival_ready),
    .arrival_opcode(io_arrival_bits_opcode),
    .arrival_endpoint(io_arrival_bits_endpoint),
    .arrival_match(io_arrival_bits_key_bits),
    .arrival_source(io_arrival_bits_key_source),
    .arrival_handle(io_arrival_bits_handle),
    .arrival_length(64'(io_arrival_bits_length)),
    .post_told(io_verdicts_valid && io_verdicts_ready && io_verdicts_bits_post_valid),
    .post_status(io_verdicts_bits_post_bits_status),
    .post_other(io_verdicts_bits_post_bits_other),
    .post_truncated(io_verdicts_bits_post_bits_truncated),
    .arrival_told(io_verdicts_valid && io_verdicts_ready && io_verdicts_bits_arrival_valid),
    .arrival_status(io_verdicts_bits_arrival_bits_status),
    .arrival_other(io_verdicts_bits_arrival_bits_other),
    .arrival_truncated(io_verdicts_bits_arrival_bits_truncated)
);
