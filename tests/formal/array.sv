// SPDX-License-Identifier: Apache-2.0
// Proof of one match array against list.sv, with two entries watched.
//
// `a` and `b` are any two slots; the solver picks them once for all clocks, so what holds for
// them holds for all pairs.
//
// Macro RECEIVES: the array of posted receives, with wildcards and ids. Macro LAW: without the
// assertions that only help the induction, so that a broken array fails in what matters. The file
// device.svh, written for the design, has the array's ports as wires, its instance `dut`, and
// every name below it as <instance>__<name>.
`default_nettype none

// Lane of an entry, and what operations on their way have to do with it.
module watch (
    input wire clock,
    input wire reset,
    input wire [3:0] slot,
    // The operations that are being settled in row 1, are at their ends, and were so a clock ago.
    input wire [18:0] op3,
    input wire [18:0] op4,
    input wire [18:0] op5,
    // Row 1 and the end still search.
    input wire open3,
    input wire open4,
    // Found so far, and the slot of it.
    input wire found3,
    input wire found4,
    input wire found5,
    input wire [3:0] slot3,
    input wire [3:0] slot4,
    input wire [3:0] slot5,
    // Lanes 0 to 3, oldest first, and what waits to enter lane 3.
    input wire [4:0] full,
    input wire [94:0] lanes,
    output wire live,
    // The lane in which it lies, one bit each.
    output wire [3:0] at,
    // Index 0 is row 1, 1 the end, 2 the clock after it.
    output wire [2:0] taken,
    output wire [2:0] found,
    output wire [2:0] hit,
    output wire enters
);
  `include "rule.svh"
  wire [14:0] entry;
  one_entry law (
      .clock(clock),
      .reset(reset),
      .slot(slot),
      .op5(op5),
      .found5(found5),
      .slot5(slot5),
      .append5(full[4]),
      .new_slot(lanes[4*19+:4]),
      .new_entry(lanes[4*19+4+:15]),
      .live(live),
      .entry(entry),
      .found(found[2]),
      .taken(taken[2]),
      .hit(hit[2]),
      .enters(enters)
  );
  assign found[1:0] = {found4 && slot4 == slot, found3 && slot3 == slot};
  assign taken[1:0] = found[1:0] & {takes(op4), takes(op3)};
  assign hit[1:0]   = {matches(op4, entry), matches(op3, entry)};

  function [3:0] lanes_of_slot(input [94:0] all);
    integer i;
    for (i = 0; i < 4; i = i + 1) lanes_of_slot[i] = full[i] && all[19*i+:4] == slot;
  endfunction
  assign at = lanes_of_slot(lanes);
  // The lane that holds it has another content.
  function changed(input [94:0] all);
    integer i;
    begin
      changed = 0;
      for (i = 0; i < 4; i = i + 1) if (at[i] && all[19*i+4+:15] != entry) changed = 1;
    end
  endfunction
  wire [6:0] where = {taken, at};

  always @(posedge clock) begin
    if (!reset) begin
      // No entry is lost or doubled: it lies in one lane, or one operation on its way has it.
      in_one_location : assert ((where & (where - 7'd1)) == 0);
      neither_lost_nor_invented : assert (live == (where != 0));
      lane_keeps_entry : assert (!changed(lanes));

`ifndef LAW
      // For the induction: what holds on the way.
      settled3 : assert (!(open3 && !byPosition(op3) && hit[0]) || at[1:0] == 0);
      settled4 : assert (!(open4 && !byPosition(op4) && hit[1]) || (at == 0 && !taken[0]));
      settled5 :
      assert (!(searches(op5) && !found5 && !byPosition(op5) && hit[2]) ||
              (at == 0 && taken[1:0] == 0));
      match3 : assert (!found[0] || byPosition(op3) || hit[0]);
      match4 : assert (!found[1] || byPosition(op4) || hit[1]);
      kept3 : assert (!found[0] || takes(op3) || at != 0);
      kept4 : assert (!found[1] || takes(op4) || at != 0 || taken[0]);
      kept5 : assert (!found[2] || takes(op5) || at != 0 || taken[1:0] != 0);
`endif
    end
  end
endmodule

module array_proof (
    input wire clock
);
  `include "rule.svh"
  reg reset = 1;
  always @(posedge clock) reset <= 0;
  (* anyconst *) wire [3:0] a;
  (* anyconst *) wire [3:0] b;
  `include "device.svh"

`ifdef RECEIVES
`define EXTRA(x) x``_ignore_bits, x``_ignore_source, x``_id
`define ID(x) x``_byId, x``_id
`else
`define EXTRA(x) 9'b0
`define ID(x) 5'b0
`endif
`define REST(x) {x``_takes, x``_byPosition, `ID(x), x``_endpoint, x``_key_bits, x``_key_source, \
    x``_ignore_bits, x``_ignore_source}
`define OPERATION(x) {x``_searches, `REST(x)}
`define ENTRY(x) {x``_endpoint, x``_key_bits, x``_key_source, `EXTRA(x), x``_slot}

  // The operations on their way: 1 compared in row 0, 2 settled there, 3 settled in row 1, 4 at
  // the end, 5 a clock later.
  reg [18:0] op1, op2, op3, op4, op5;
  always @(posedge clock) begin
    op1 <= `OPERATION(io_ask);
    op2 <= op1;
    op3 <= op2;
    op4 <= op3;
    op5 <= op4;
  end
  // The design carries the same ones.
  wire is1 = op1 == `OPERATION(dut__row0__asks);
  wire is2 = op2 == `OPERATION(dut__row1__asks);
  wire is3 = op3[17:0] == `REST(dut__endPassed);

  wire [4:0] full = {dut__arrives, dut__row1__valid, dut__row0__valid};
  wire [94:0] lanes = {
    `ENTRY(dut__incoming),
    `ENTRY(dut__row1__entries_1),
    `ENTRY(dut__row1__entries_0),
    `ENTRY(dut__row0__entries_1),
    `ENTRY(dut__row0__entries_0)
  };
  function [14:0] lane(input integer i);
    lane = lanes[19*i+4+:15];
  endfunction

  wire found3 = dut__row0__answerFound;
  reg before4;
  reg found5;
  reg appended;
  always @(posedge clock) begin
    before4  <= found3 && !reset;
    found5   <= io_found && !reset;
    appended <= io_append_valid && !reset;
  end
  wire found4 = before4 || dut__row1__answerFound;
  wire open4 = searches(op4) && !dut__foundInRows;
  wire [3:0] slot4 = dut__row1__answerFound ? dut__row1__answerLanes_0 : dut__row0__io_laneOut_REG_slot;

  wire live_a, live_b, enters_a, enters_b;
  wire [3:0] at_a, at_b;
  wire [2:0] taken_a, taken_b, found_a, found_b, hit_a, hit_b;
`define WATCH(x) \
  watch watch_``x ( \
      .clock(clock), .reset(reset), .slot(x), .op3(op3), .op4(op4), .op5(op5), \
      .open3(dut__row1__settleOpen), .open4(open4), .found3(found3), .found4(found4), \
      .found5(found5), .slot3(dut__row0__answerLanes_0), .slot4(slot4), .slot5(io_lane_slot), \
      .full(full), .lanes(lanes), .live(live_``x), .at(at_``x), .taken(taken_``x), \
      .found(found_``x), .hit(hit_``x), .enters(enters_``x) \
  );
  `WATCH(a)
  `WATCH(b)

  // a is older than b, where both are live.
  reg older;
  always @(posedge clock) begin
    if (enters_b) older <= 1;
    else if (enters_a) older <= 0;
  end

  wire [2:0] count;
  room room (
      .clock(clock),
      .reset(reset),
      .held(1'b1),
      .asked(`OPERATION(io_ask)),
      .op4(op4),
      .found4(io_found),
      .append(io_append_valid),
      .count(count)
  );
  wire [2:0] in_lanes = full[0] + full[1] + full[2] + full[3] + full[4];
  wire [2:0] in_flight = (found3 && takes(op3)) + (found4 && takes(op4));

  wire both_hit3 = hit_a[0] && hit_b[0] && !byPosition(op3);
  wire both_hit4 = hit_a[1] && hit_b[1] && !byPosition(op4);
  wire both_hit5 = hit_a[2] && hit_b[2] && !byPosition(op5);
  always @(posedge clock) begin
    two : assume (a != b);
    if (reset) begin
      // The last clock of a reset that is longer than a walk, and nobody has asked meanwhile.
      passed_by :
      assume (!searches(op1) && !searches(op2) && !searches(op3) && !searches(op4));
      begun : assume (is1 && is2 && is3);
    end else begin
      // The oldest match wins (R3, R4): with an older one live, a younger one is not the answer.
      oldest_wins : assert (!(live_a && live_b && older && both_hit5 && found_b[2]));
      // Shifting and closing holes keep the order.
      order_kept : assert (!older || at_a == 0 || at_b == 0 || at_a < at_b);
      nothing_beside : assert (count == in_lanes + in_flight);

`ifndef LAW
      // For the induction.
      older3 : assert (!(older && both_hit3 && found_b[0]) || at_a == 0);
      older4 : assert (!(older && both_hit4 && found_b[1]) || (at_a == 0 && !taken_a[0]));
      older5 :
      assert (!(older && both_hit5 && found_b[2]) || (at_a == 0 && taken_a[1:0] == 0));
      same1 : assert (is1);
      same2 : assert (is2);
      same3 : assert (is3);
      same_takes :
      assert ({dut__row0__settleTakes, dut__row1__settleTakes, dut__endTakes} ==
              {takes(op2), takes(op3), takes(op4)});
      same_searches : assert (dut__endSearches == searches(op3));
      open2 : assert (dut__row0__settleOpen == searches(op2));
      open3 : assert (dut__row1__settleOpen == (searches(op3) && !found3));
      in_rows4 : assert (dut__foundInRows == found4);
      incoming4 : assert (dut__searchesIncoming == (open4 && !byPosition(op4)));
      once4 : assert (!(before4 && dut__row1__answerFound));
      search3 : assert (!found3 || (searches(op3) && dut__row0__answerGroup));
      search4 : assert (!found4 || searches(op4));
      search5 : assert (!found5 || searches(op5));
      group4 : assert (!dut__row1__answerFound || dut__row1__answerGroup);
      compared2 :
      assert (byPosition(op2) || {dut__row0__settleHitAbove, dut__row0__settleHit} ==
              {matches(op2, lane(2)), matches(op2, lane(1)), matches(op2, lane(0))});
      compared3 :
      assert (byPosition(op3) || {dut__row1__settleHitAbove, dut__row1__settleHit} ==
              {matches(op3, lane(4)), matches(op3, lane(3)), matches(op3, lane(2))});
      compared4 : assert (byPosition(op4) || dut__hitsIncoming == matches(op4, lane(4)));
      full_moves : assert (!dut__row1__io_full || dut__row1__absorbs);
      arrives : assert ({dut__row0__pushArrives, dut__row1__pushArrives, full[4]} == {3{appended}});
`endif
    end
  end

  // The properties are not empty: these clocks exist.
  reg was_in_row1;
  always @(posedge clock) was_in_row1 <= at_a[2];
  always @(posedge clock)
    if (!reset) begin
      second_of_two : cover (live_a && live_b && older && both_hit5 && found_a[2]);
      youngest_leaves : cover (live_a && live_b && older && taken_b[2] && at_a[0]);
      taken_as_it_crosses : cover (taken_a[0] && was_in_row1);
      filled : cover (count == 4 && full[3:0] == 4'hf);
      reuses_hole : cover (full[3:0] == 4'b1011 && full[4] && at_a[3]);
    end
endmodule
