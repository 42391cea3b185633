// SPDX-License-Identifier: Apache-2.0
// Stand-ins of arrays, queues of slots and stores in unit.sv.

// A list in place of an array: answers are free but for the guarantees.
module any_list (
    input wire clock,
    input wire reset,
    input wire [18:0] ask,
    input wire append,
    input wire [14:0] new_entry,
    input wire [3:0] new_slot,
    output wire found4,
    output wire [3:0] slot5,
    // For the checker.
    output wire live,
    output wire [14:0] entry,
    output wire found,
    output wire taken,
    output wire enters,
    output wire [2:0] count,
    output reg  [18:0] op4,
    output reg  [18:0] op5
);
  (* anyconst *) wire [3:0] slot;
  (* anyseq *) wire any_found;
  (* anyseq *) wire [3:0] any_slot;
  assign found4 = any_found;
  assign slot5  = any_slot;
  reg [18:0] op1, op2, op3;
  reg found5, append5;
  reg [14:0] entry5;
  reg [3:0] new_slot5;
  wire hit;
  reg held = 0;
  always @(posedge clock) held <= reset;
  always @(posedge clock) begin
    op1 <= ask;
    op2 <= op1;
    op3 <= op2;
    op4 <= op3;
    op5 <= op4;
    found5 <= found4 && !reset;
    append5 <= append && !reset;
    entry5 <= new_entry;
    new_slot5 <= new_slot;
  end
  one_entry law (
      .clock(clock),
      .reset(reset),
      .slot(slot),
      .op5(op5),
      .found5(found5),
      .slot5(slot5),
      .append5(append5),
      .new_slot(new_slot5),
      .new_entry(entry5),
      .live(live),
      .entry(entry),
      .found(found),
      .taken(taken),
      .hit(hit),
      .enters(enters)
  );
  room room (
      .clock(clock),
      .reset(reset),
      .held(held),
      .asked(ask),
      .op4(op4),
      .found4(found4),
      .append(append),
      .count(count)
  );
endmodule

`define ASK \
    input wire clock, input wire reset, \
    input wire io_ask_searches, input wire io_ask_takes, input wire io_ask_byPosition, \
    input wire [1:0] io_ask_position, input wire io_ask_endpoint, \
    input wire [2:0] io_ask_key_bits, input wire [1:0] io_ask_key_source, \
    input wire [2:0] io_ask_ignore_bits, input wire [1:0] io_ask_ignore_source, \
    output wire io_found, output wire [3:0] io_lane_slot, \
    output wire io_suspect_compared, output wire io_suspect_found, \
    output wire [20:0] io_fault_view_seen, \
    input wire io_append_valid, input wire io_append_bits_endpoint, \
    input wire [2:0] io_append_bits_key_bits, input wire [1:0] io_append_bits_key_source, \
    input wire [3:0] io_append_bits_slot
`define LIST(id, extra) \
    any_list list ( \
      .clock(clock), .reset(reset), \
      .ask({io_ask_searches, io_ask_takes, io_ask_byPosition, id, io_ask_endpoint, \
            io_ask_key_bits, io_ask_key_source, io_ask_ignore_bits, io_ask_ignore_source}), \
      .append(io_append_valid), \
      .new_entry({io_append_bits_endpoint, io_append_bits_key_bits, \
                  io_append_bits_key_source, extra}), \
      .new_slot(io_append_bits_slot), .found4(io_found), .slot5(io_lane_slot) \
    ); \
    assign io_suspect_compared = 0; \
    assign io_suspect_found = 0; \
    assign io_fault_view_seen = 0;
`define ID {io_ask_byId, io_ask_id}
`define WILD {io_append_bits_ignore_bits, io_append_bits_ignore_source, io_append_bits_id}

module MatchArrayPosted (
    `ASK,
    input wire io_ask_byId,
    input wire [3:0] io_ask_id,
    input wire [2:0] io_append_bits_ignore_bits,
    input wire [1:0] io_append_bits_ignore_source,
    input wire [3:0] io_append_bits_id
);
  `LIST(`ID, `WILD)
endmodule

module MatchArrayUnexpected (
    `ASK
);
  `LIST(5'b0, 9'b0)
endmodule

// The slots that were given back, of which one is watched.
module Queue12_Checked (
    input wire clock,
    input wire reset,
    output wire io_enq_ready,
    input wire io_enq_valid,
    input wire [3:0] io_enq_bits_word,
    input wire io_deq_ready,
    output wire io_deq_valid,
    output wire [3:0] io_deq_bits_word
);
  (* anyconst *) wire [3:0] slot;
  (* anyseq *) wire [3:0] any_slot;
  reg [3:0] count;
  reg has;
  wire in = io_enq_valid && io_enq_ready;
  wire out = io_deq_valid && io_deq_ready;
  assign io_enq_ready = count != 12;
  assign io_deq_valid = count != 0;
  assign io_deq_bits_word  = any_slot;
  always @(posedge clock) begin
    if (reset) {count, has} <= 0;
    else begin
      count <= count + in - out;
      has   <= (has && !(out && io_deq_bits_word == slot)) || (in && io_enq_bits_word == slot);
      once : assert (!(in && has && io_enq_bits_word == slot));
      came_in : assume (!(io_deq_valid && io_deq_bits_word == slot) || has);
    end
    real_slots : assume (io_deq_bits_word < 12);
  end
endmodule

// A store's memory of which one slot is kept.
`define STORE(name, width) \
  module name ( \
      input wire [3:0] R0_addr, input wire R0_en, input wire R0_clk, \
      output wire [width-1:0] R0_data, input wire [3:0] W0_addr, input wire W0_en, \
      input wire W0_clk, input wire [width-1:0] W0_data \
  ); \
    (* anyconst *) wire [3:0] kept_slot; \
    (* anyseq *) wire [width-1:0] other; \
    reg [width-1:0] word; \
    always @(posedge W0_clk) if (W0_en && W0_addr == kept_slot) word <= W0_data; \
    assign R0_data = R0_addr == kept_slot ? word : other; \
  endmodule
`STORE(block_12x22, 22)
`STORE(block_12x17, 17)

// Whether each endpoint has something in memory; the rest of its mark is anything.
module copies_2x10 (
    input wire R0_addr,
    input wire R0_en,
    input wire R0_clk,
    output wire [9:0] R0_data,
    input wire W0_addr,
    input wire W0_en,
    input wire W0_clk,
    input wire [9:0] W0_data
);
  (* anyseq *) wire [8:0] deferrals;
  reg [1:0] kept;
  reg at;
  always @(posedge R0_clk) at <= R0_addr;
  always @(posedge W0_clk) if (W0_en) kept[W0_addr] <= W0_data[9];
  assign R0_data = {kept[at], deferrals};
endmodule
