// SPDX-License-Identifier: Apache-2.0
// Proof of the table of connections: W1 for every sequence of packets, by induction.
//
// Any number N of any connection is watched: of that which the initiator K began with S. It is
// delivered at most once before all other numbers were. When the connection is closed, no copy of a
// packet opens it again in quarantine, so N is not delivered again for at least so long.
//
// Names of initiators are only compared and copied, so a few bits of them stand for all.
`default_nettype none

module pdc_proof (
    input wire clock
);
  reg [1:0] age = 0;
  wire reset = age < 2;
  always @(posedge clock) if (reset) age <= age + 2'd1;
  `include "device.svh"
  localparam [4:0] QUARANTINE = 6;
  localparam [1:0] PERIOD = 2;
  (* anyconst *) wire [272:0] K;
  (* anyconst *) wire [31:0] S;
  (* anyconst *) wire [31:0] N;

  // The packet that is decided, as it goes on, and the table before it.
  wire decides = dut__outs__io_enq_valid;
  wire [272:0] key = {dut__record_internet_ipv6, dut__record_internet_source,
                      dut__record_internet_destination, dut__record_pds_spdcid};
  wire syn = dut__record_pds_flags[2] && dut__record_pds_kind != 5'd11;
  wire [31:0] start = dut__record_pds_psn - {20'd0, dut__record_pds_dpdcid[11:0]};
  wire [272:0] key_0 = {dut__table_0_key_ipv6, dut__table_0_key_source,
                        dut__table_0_key_destination, dut__table_0_key_spdcid};
  wire [272:0] key_1 = {dut__table_1_key_ipv6, dut__table_1_key_source,
                        dut__table_1_key_destination, dut__table_1_key_spdcid};
  localparam [272:0] FEW = {1'b1, 128'd1, 128'd1, 16'd3};
  always @(*) begin
    few_arrive : assume (!({io_record_bits_internet_ipv6, io_record_bits_internet_source,
                            io_record_bits_internet_destination,
                            io_record_bits_pds_spdcid} & ~FEW));
    few_wait : assume (!(key & ~FEW));
    few_known : assume (!(key_0 & ~FEW) && !(key_1 & ~FEW));
    few_watched : assume (!(K & ~FEW));
  end

  wire same_0 = key_0 == K && dut__table_0_start == S;
  wire same_1 = key_1 == K && dut__table_1_start == S;
  wire open_0 = dut__table_0_live && same_0;
  wire open_1 = dut__table_1_live && same_1;
  wire of_watched = key == K && (syn ? start == S : open_0 || open_1);
  wire delivers = decides && dut__outs__io_enq_bits_deliver && of_watched &&
                  dut__record_pds_psn == N;
  wire closes = decides && dut__outs__io_enq_bits_closes && of_watched;

  // N was delivered; the connection is closed since then, for so long; else it has come to N again,
  // one by one, over all other numbers.
  reg had = 0;
  reg closed;
  reg [4:0] since;
  reg around;
  reg [31:0] last_0, last_1;
  reg was_0 = 0, was_1 = 0;
  wire [31:0] expected = open_0 ? dut__table_0_expected : dut__table_1_expected;
  wire comes = (open_0 || open_1) && expected == N;
  always @(posedge clock) begin
    had <= !reset && (had || delivers);
    if (delivers) closed <= 1'b0;
    else if (closes) closed <= 1'b1;
    since <= closes ? 5'd0 : since == 5'd31 ? since : since + 5'd1;
    around <= !delivers && (around || comes);
    {was_0, last_0} <= {!reset && open_0, dut__table_0_expected};
    {was_1, last_1} <= {!reset && open_1, dut__table_1_expected};
  end

  always @(posedge clock)
    if (!reset) begin
      once : assert (!(delivers && had) || (closed ? since >= QUARANTINE : around));
      by_one_0 : assert (!(was_0 && open_0) || dut__table_0_expected == last_0 ||
                         dut__table_0_expected == last_0 + 32'd1);
      by_one_1 : assert (!(was_1 && open_1) || dut__table_1_expected == last_1 ||
                         dut__table_1_expected == last_1 + 32'd1);
      seen : cover (had && !closed && decides && syn && start == S && key == K &&
                    !dut__outs__io_enq_bits_deliver && dut__record_pds_psn == N);
      belated : cover (had && closed && decides && syn && start == S && key == K &&
                       !dut__outs__io_enq_bits_deliver && dut__record_pds_psn == N);
`ifndef LAW
      period : assert (dut__elapsed < PERIOD);
      one_state : assert (!(dut__table_0_live && dut__table_0_closed) &&
                          !(dut__table_1_live && dut__table_1_closed));
      one_live : assert (!(dut__table_0_live && dut__table_1_live && key_0 == key_1));
      one_used : assert (!(used_0 && used_1 && key_0 == key_1 &&
                           dut__table_0_start == dut__table_1_start));
      by_key : assert (!dut__busy || dut__byKey == {dut__table_1_live && key_1 == key,
                                                    dut__table_0_live && key_0 == key});
      by_name : assert (!dut__busy ||
          dut__byName == {dut__table_1_live && name == {dut__table_1_generation, 1'b1},
                          dut__table_0_live && name == {dut__table_0_generation, 1'b0}});
      late : assert (!dut__busy || dut__belated ||
                     !(dut__table_0_closed && key_0 == key && dut__table_0_start == start) &&
                     !(dut__table_1_closed && key_1 == key && dut__table_1_start == start));
      free : assert (!dut__busy || !(dut__free & {used_1, used_0}));
      numbers : assert (!had || closed || around ||
                        (open_0 || open_1) && (expected != N || !dut__busy));
      remembered : assert (!had || !closed || since > QUARANTINE ||
                           stays_0 || stays_1);
      queues : assert (dut__outs__count <= 3 && dut__answers__count <= 3 &&
                       dut__outs__ready == (dut__outs__count != 3) &&
                       dut__outs__valid == (dut__outs__count != 0) &&
                       dut__answers__ready == (dut__answers__count != 3) &&
                       dut__answers__valid == (dut__answers__count != 0));
`endif
    end
`ifndef LAW
  wire [15:0] name = dut__record_pds_dpdcid;
  wire used_0 = dut__table_0_live || dut__table_0_closed;
  wire used_1 = dut__table_1_live || dut__table_1_closed;
  // Clocks for which a closed connection of that age has been so at least.
  wire [4:0] least_0 = dut__table_0_age == 0 ? 5'd0
      : ({3'd0, dut__table_0_age} - 5'd1) * PERIOD + 5'd1 + {3'd0, dut__elapsed};
  wire [4:0] least_1 = dut__table_1_age == 0 ? 5'd0
      : ({3'd0, dut__table_1_age} - 5'd1) * PERIOD + 5'd1 + {3'd0, dut__elapsed};
  wire stays_0 = dut__table_0_closed && same_0 && since >= least_0;
  wire stays_1 = dut__table_1_closed && same_1 && since >= least_1;
`endif
endmodule
