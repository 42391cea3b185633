// SPDX-License-Identifier: Apache-2.0
// Guarantees and duties of a match array: an ordered list, of which one slot is watched.
//
// Both proofs read this file. In the proof of an array its guarantees are asserted and its duties
// assumed; in the proof of the unit (macro UNIT) a list with exactly these guarantees stands in
// the array's stead, and the duties are asserted.
//
// The law's list changes at the end of an operation: the operation first, then what the other
// stream appends in the same clock (R7). The slot of a hit is known one clock later, so the list
// lags by one clock: in each clock it takes in the operation and the append of the clock before.
`default_nettype none
`ifdef UNIT
`define GUARANTEE assume
`define DUTY assert
`else
`define GUARANTEE assert
`define DUTY assume
`endif

// The entry with one slot; the slot is any, so what holds for it holds for every entry.
module one_entry (
    input wire clock,
    input wire reset,
    input wire [3:0] slot,
    // The operation that was at its end a clock ago, and its answer.
    input wire [18:0] op5,
    input wire found5,
    input wire [3:0] slot5,
    // The append of the clock before.
    input wire append5,
    input wire [3:0] new_slot,
    input wire [14:0] new_entry,
    // The law has such an entry; what it holds.
    output reg live,
    output reg [14:0] entry,
    output wire found,
    output wire taken,
    output wire hit,
    output wire enters
);
  `include "rule.svh"
  assign found = found5 && slot5 == slot;
  assign taken = found && takes(op5);
  assign hit = matches(op5, entry);
  assign enters = append5 && new_slot == slot;
  always @(posedge clock) begin
    if (reset) live <= 0;
    else live <= (live && !taken) || enters;
    if (enters) entry <= new_entry;
    if (!reset) begin
      // A slot that an entry has is not allocated again.
      own_slot : `DUTY(!(enters && live && !taken));
      // Exactly once: what is found is there, and matches (R3, R4, R9, R10, R15).
      found_is_live : `GUARANTEE(!found || live);
      found_matches : `GUARANTEE(!found || byPosition(op5) || hit);
      // An entry that matches is not missed, whatever moves meanwhile.
      match_is_found : `GUARANTEE(!(searches(op5) && !byPosition(op5) && live && hit) || found5);
    end
  end
endmodule

// Count of the law's entries, without this clock's operation and append.
module room (
    input wire clock,
    input wire reset,
    // Reset was there in the clock before.
    input wire held,
    input wire [18:0] asked,
    input wire [18:0] op4,
    input wire found4,
    input wire append,
    output reg [2:0] count
);
  `include "rule.svh"
  wire takes4 = found4 && takes(op4);
  wire [2:0] left = count - {2'b0, takes4};
  always @(posedge clock) begin
    if (reset) count <= 0;
    else count <= left + {2'b0, append};
    // Reset lasts for more than a clock, and nobody asks meanwhile.
    quiet : `DUTY(!(reset && held && (searches(asked) || append)));
    if (!reset) begin
      // No append beyond the last lane (R11).
      has_room : `DUTY(!append || left < 4);
      // An inspect takes nothing.
      inspects : `DUTY(!(byPosition(asked) && takes(asked)));
      // Follows from has_room. To assume it would hide a broken duty: the clock after would not be.
      within : assert (count <= 4);
      counted : `GUARANTEE(!takes4 || count != 0);
      searched : `GUARANTEE(!found4 || searches(op4));
    end
  end
endmodule
