// SPDX-License-Identifier: Apache-2.0
// Proof of what is written of a packet: W2 for every order and destination, by induction.
//
// The queue of orders gives any order in any clock; `x` is any byte of memory.
`default_nettype none

module destination_proof (
    input wire clock
);
  reg [1:0] age = 0;
  wire reset = age < 2;
  always @(posedge clock) if (reset) age <= age + 2'd1;
  `include "device.svh"
  (* hierconn *) wire [11:0] \dut.table_ext.word_0 ;
  (* hierconn *) wire [11:0] \dut.table_ext.word_1 ;
  wire [11:0] word_0 = \dut.table_ext.word_0 ;
  wire [11:0] word_1 = \dut.table_ext.word_1 ;
  (* anyconst *) wire [6:0] x;

  // Destination that the unit has given of each message.
  wire gives = io_destination_valid;
  wire to = io_destination_bits_message;
  reg [1:0] given = 0;
  reg [6:0] base_0, base_1;
  reg [4:0] room_0, room_1;

  // An order leaves the queue, with the destination of its message; then it is made a write.
  wire takes = dut__orders__io_deq_valid && dut__orders__io_deq_ready;
  wire of = dut__orders__io_deq_bits_message;
  wire belongs = dut__orders__io_deq_bits_belongs;
  wire last = dut__orders__io_deq_bits_last;
  reg [20:0] order;
  reg [6:0] base, base_2;
  reg [4:0] room, room_2;
  reg [20:0] order_2;
  reg has = 0, has_2 = 0;
  wire written = io_write_valid && io_write_ready;
  wire moves = has && (!has_2 || written);
  always @(posedge clock) begin
    if (gives && !to) {base_0, room_0} <= {io_destination_bits_address, io_destination_bits_room};
    if (gives && to) {base_1, room_1} <= {io_destination_bits_address, io_destination_bits_room};
    given <= reset ? 2'd0 : (given | (gives ? 2'd1 << to : 2'd0)) &
        ~(takes && belongs && last ? 2'd1 << of : 2'd0);
    if (takes) begin
      order <= {dut__orders__io_deq_bits_beats, belongs, of, dut__orders__io_deq_bits_offset,
                dut__orders__io_deq_bits_bytes, dut__orders__io_deq_bits_length, last,
                dut__orders__io_deq_bits_aborted};
      {base, room} <= of ? {base_1, room_1} : {base_0, room_0};
    end
    has <= !reset && (takes || (has && !moves));
    if (moves) {order_2, base_2, room_2} <= {order, base, room};
    has_2 <= !reset && (moves || (has_2 && !written));
  end
  always @(posedge clock) begin
    no_wrap : assume (io_destination_bits_address + {3'd0, io_destination_bits_room} <= 8'd128);
    fresh : assume (!io_destination_valid || !(given & (2'd1 << to)));
    has_beats : assume (dut__orders__io_deq_bits_bytes <= {dut__orders__io_deq_bits_beats, 2'd0});
  end

  // The bytes that a write means, and those that it may mean, each by itself.
  wire [2:0] beats;
  wire is_part, message, is_last, aborted;
  wire [4:0] offset, length;
  wire [3:0] bytes;
  assign {beats, is_part, message, offset, bytes, length, is_last, aborted} = order_2;
  wire [7:0] stop = io_write_bits_address + {4'd0, io_write_bits_bytes};
  wire writes_x = {1'b0, x} >= io_write_bits_address && x < stop;
  wire in_receive = x >= base_2 && x - base_2 < room_2;
  wire in_message = x >= base_2 && x - base_2 < length;
  wire in_packet = x >= base_2 && x - base_2 >= offset && x - base_2 < offset + bytes;
  wire may = is_part && in_receive && in_message && in_packet;

  always @(posedge clock)
    if (!reset) begin
      known : assert (!(takes && belongs) || given[of]);
      in_step : assert (!io_write_valid || has_2);
      inside : assert (!(io_write_valid && writes_x) || may);
      all : assert (!io_write_valid || !may || writes_x);
      same_beats : assert (!io_write_valid || io_write_bits_beats == beats);
      fits : assert (!io_write_valid || io_write_bits_bytes <= {io_write_bits_beats, 2'd0});
      no_wrap_later : assert (!io_write_valid || io_write_bits_bytes == 0 || stop <= 128);
      same_message : assert (!io_write_valid || !is_part || io_write_bits_message == message);
      completes : assert (!io_write_valid || io_write_bits_completes == (is_part && is_last));
      // With the write that completes, and only with it, its completion is put behind the others.
      beside : assert ((dut__endings__io_enq_valid && dut__endings__io_enq_ready) ==
                       (written && io_write_bits_completes));
      both_lengths : assert (!(written && io_write_bits_completes) ||
          (dut__endings__io_enq_bits_message == message &&
           dut__endings__io_enq_bits_length == length &&
           dut__endings__io_enq_bits_room == room_2 &&
           dut__endings__io_enq_bits_aborted == aborted));
      cut_by_room : cover (written && room_2 < length && io_write_bits_bytes != 0 &&
                           io_write_bits_bytes < bytes);
      cut_by_length : cover (written && length < room_2 && io_write_bits_bytes < bytes);
      dropped : cover (written && !is_part && io_write_bits_beats != 0);
`ifndef LAW
      held_known : assert (dut__known == given);
      held_table_0 : assert (!given[0] || word_0 == {base_0, room_0});
      held_table_1 : assert (!given[1] || word_1 == {base_1, room_1});
      held_rooms : assert ((!given[0] || base_0 + {3'd0, room_0} <= 8'd128) &&
                           (!given[1] || base_1 + {3'd0, room_1} <= 8'd128) &&
                           (!has || !order[17] || base + {3'd0, room} <= 8'd128) &&
                           (!has_2 || !is_part || base_2 + {3'd0, room_2} <= 8'd128));
      held_full : assert (dut__full == has && dut__writing == has_2);
      held_order : assert (!has || !order[17] ||
          (order[20:0] == {dut__held_beats, dut__held_belongs, dut__held_message, dut__held_offset,
                           dut__held_bytes, dut__held_length, dut__held_last, dut__held_aborted} &&
           dut__base == base && dut__room == room));
      held_drop : assert (!has || (order[20:17] == {dut__held_beats, dut__held_belongs}));
      held_bytes : assert (!has || order[10:7] <= {order[20:18], 2'd0});
      held_bytes_2 : assert (!has_2 || bytes <= {beats, 2'd0});
      held_write : assert (!has_2 ||
          (dut__write_beats == beats && dut__write_completes == (is_part && is_last) &&
           (!is_part || (dut__write_message == message && dut__ending_message == message &&
            dut__ending_length == length && dut__ending_room == room_2 &&
            dut__ending_aborted == aborted))));
      held_what : assert (!has_2 || (dut__write_bytes == (is_part ? wanted[3:0] : 4'd0) &&
                                     (!is_part || dut__write_address == base_2 + {2'd0, offset})));
      held_queues : assert (dut__orders__ready == (dut__orders__count != 2) &&
          dut__orders__valid == (dut__orders__count != 0) &&
          dut__endings__ready == (dut__endings__count != 3) &&
          dut__endings__valid == (dut__endings__count != 0));
      held_counts : assert (dut__orders__count <= 2);
`endif
    end
`ifndef LAW
  wire [4:0] usable = room_2 < length ? room_2 : length;
  wire [4:0] left = usable > offset ? usable - offset : 5'd0;
  wire [4:0] wanted = left < bytes ? left : {1'b0, bytes};
`endif
endmodule

// Destinations by message.
module table_2x12 (
    input wire R0_addr,
    input wire R0_en,
    R0_clk,
    output wire [11:0] R0_data,
    input wire W0_addr,
    input wire W0_en,
    W0_clk,
    input wire [11:0] W0_data
);
  reg [11:0] word_0, word_1;
  always @(posedge W0_clk) begin
    if (W0_en && !W0_addr) word_0 <= W0_data;
    if (W0_en && W0_addr) word_1 <= W0_data;
  end
  assign R0_data = R0_addr ? word_1 : word_0;
endmodule

// The memory of the queue of orders: anything.
module memory_4x21 (
    input wire [1:0] R0_addr,
    input wire R0_en,
    R0_clk,
    output wire [20:0] R0_data,
    input wire [1:0] W0_addr,
    input wire W0_en,
    W0_clk,
    input wire [20:0] W0_data
);
  (* anyseq *)wire [20:0] any;
  assign R0_data = any;
endmodule
