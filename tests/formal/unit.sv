// SPDX-License-Identifier: Apache-2.0
// Proof of the unit around its two arrays: the race between the queues, and what comes out.
//
// In place of each array stands a list that does what list.sv guarantees and nothing more, so
// that the proof of the arrays carries over; its duties are asserted here. Slots that were given
// back come out of their queue in any order, each once. Of the stores one slot is kept, the others
// hold anything.
//
// No memory is registered, so full tables refuse: nothing is deferred, and nothing injected.
//
// `receive` and `message` are any two slots of the two stores, picked once by the solver.
`default_nettype none

`include "stand_ins.svh"

module unit_proof (
    input wire clock
);
  `include "rule.svh"
  localparam POST = 8'd1, ARRIVE = 8'd2, PROBE = 8'd3, CANCEL = 8'd5, FLUSH = 8'd6, INSPECT = 8'd7;
  localparam MATCHED = 8'd1, QUEUED = 8'd2, CANCELLED = 8'd5, REFUSED = 8'd9, STALLED = 8'd11;
  // Reset is longer than a walk: what was on its way has gone.
  reg [2:0] age = 0;
  wire reset = age < 6;
  always @(posedge clock) if (reset) age <= age + 3'd1;
  `include "device.svh"
  `include "unit_names.svh"
  `include "unit_carried.svh"

  // Decoder's verdict about a command that searches nothing (R10, R13).
`define EARLY(x) \
    (x``_searches == (!x``_malformed && x``_endpoint < 2 && \
                      !(x``_opcode == CANCEL && x``_id == 15) && \
                      !(x``_opcode == INSPECT && (!x``_privileged || x``_position >= 4))) && \
     (x``_searches || x``_status == (x``_malformed ? 12 : \
                                     x``_opcode == INSPECT && !x``_privileged ? 13 : \
                                     x``_endpoint >= 2 ? 10 : x``_opcode == CANCEL ? 6 : 15)))

  // One entry is followed through list, queue of slots and store.
  (* anyconst *) wire [3:0] receive;
  (* anyconst *) wire [3:0] message;
  always @(posedge clock) begin
    same_r : assume (slot_r == receive && queue_slot_r == receive && kept_slot_r == receive);
    same_m : assume (slot_m == message && queue_slot_m == message && kept_slot_m == message);
    slots : assume (receive < 12 && message < 12);
    // Memory beyond the tables asks for nothing.
    not_registered : assume (!io_spill_registered);
    hosts : assume (!`INJECTED(io_post_bits) && !`INJECTED(io_arrival_bits));
    // Commands come by the stream of their queue (R3 to R10).
    posts :
    assume (io_post_bits_opcode != ARRIVE && io_post_bits_opcode != CANCEL &&
            (io_post_bits_opcode != INSPECT || io_post_bits_inspectUnexpected));
    told :
    assume (io_post_bits_flushes == (io_post_bits_opcode == FLUSH && !io_post_bits_malformed &&
            io_post_bits_endpoint < 2));
    early_p : assume (`EARLY(io_post_bits));
    early_a : assume (`EARLY(io_arrival_bits));
    arrivals :
    assume (io_arrival_bits_opcode == ARRIVE || io_arrival_bits_opcode == CANCEL ||
            io_arrival_bits_opcode == INSPECT);
  end

  // Caller's fields of a command: handle, address, length. Clock 4 is the end.
  reg [10:0] p1, p2, p3, p4, p5, p6, a1, a2, a3, a4, a5, a6;
  always @(posedge clock) begin
    p1 <= {io_post_bits_handle[3:0], io_post_bits_address, io_post_bits_length};
    {p2, p3, p4, p5, p6} <= {p1, p2, p3, p4, p5};
    a1 <= {io_arrival_bits_handle[3:0], io_arrival_bits_address, io_arrival_bits_length};
    {a2, a3, a4, a5, a6} <= {a1, a2, a3, a4, a5};
  end

  // Bodies of the law's entries, beside their keys.
  reg [10:0] body_r, body_m;
  reg found6_r, found6_m;
  reg [10:0] body6_r, body6_m;
  always @(posedge clock) begin
    if (enters_r) body_r <= p5;
    if (enters_m) body_m <= a5;
    found6_r <= found_r && !reset;
    found6_m <= found_m && !reset;
    body6_r <= body_r;
    body6_m <= body_m;
  end

  // Decisions at the end of a slot, one and two clocks later.
  reg pair5, pair6, append5_r, append6_r, append5_m, append6_m;
  always @(posedge clock) begin
    pair5 <= dut__decide__direct_takesPost && !reset;
    pair6 <= pair5;
    append5_r <= append_r && !reset;
    append6_r <= append5_r;
    append5_m <= append_m && !reset;
    append6_m <= append5_m;
  end
  reg full6_r, full6_m, full5_r, full5_m, quota5_r, quota6_r, quota5_m, quota6_m;
  always @(posedge clock) begin
    full5_r <= count_r == 4;
    full6_r <= full5_r;
    full5_m <= count_m - (found4_m && takes(op4_m)) == 4;
    full6_m <= full5_m;
    quota5_r <= !dut__decide___endpoints_io_room_0;
    quota6_r <= quota5_r;
    quota5_m <= !dut__decide___endpoints_io_room_1 || !dut__decide___endpoints_io_roomAfterTake;
    quota6_m <= quota5_m;
  end

  // Answers of the slot, two clocks after its end.
`define ANSWER(side, name) dut__answers__answers__io_enq_bits_``side``_``name
  wire post_answer = dut__answers__answers__io_enq_valid && `ANSWER(post, valid);
  wire arrival_answer = dut__answers__answers__io_enq_valid && `ANSWER(arrival, valid);
  wire [7:0] post_status = `ANSWER(post, bits_status);
  wire [7:0] arrival_status = `ANSWER(arrival, bits_status);
  wire post_is = post_answer && `ANSWER(post, bits_opcode) == POST;
  wire arrival_is = arrival_answer && `ANSWER(arrival, bits_opcode) == ARRIVE;
  wire [63:0] post_other = `ANSWER(post, bits_other);
  wire [63:0] arrival_other = `ANSWER(arrival, bits_other);

  // A receive matches a message (R1).
  wire [4:0] differ = (entry_r[13:9] ^ entry_m[13:9]) & ~entry_r[8:4];
  wire match = entry_r[14] == entry_m[14] && differ == 0;

  wire [3:0] post_id4 = dut__walk__post_body_command_id;
  wire [7:0] end_p = dut__walk__post_body_command_opcode;
  wire [7:0] end_a = dut__walk__arrival_body_command_opcode;

  // Question to a list, from the operation that the unit has at the same stage.
`define TAKES(op) (op != PROBE && op != INSPECT)
`define ASKED_M(k) {dut__walk__delay__``k``_post_valid && dut__walk__delay__``k``_post_bits_command_searches, \
    `TAKES(dut__walk__delay__``k``_post_bits_command_opcode), \
    dut__walk__delay__``k``_post_bits_command_opcode == INSPECT, 5'b0, \
    dut__walk__delay__``k``_post_bits_command_endpoint[0], \
    dut__walk__delay__``k``_post_bits_command_key_bits, \
    dut__walk__delay__``k``_post_bits_command_key_source, \
    dut__walk__delay__``k``_post_bits_command_ignore_bits, \
    dut__walk__delay__``k``_post_bits_command_ignore_source}
`define ASKED_R(k) {dut__walk__delay__``k``_arrival_valid && dut__walk__delay__``k``_arrival_bits_command_searches, \
    `TAKES(dut__walk__delay__``k``_arrival_bits_command_opcode), \
    dut__walk__delay__``k``_arrival_bits_command_opcode == INSPECT, \
    dut__walk__delay__``k``_arrival_bits_command_opcode == CANCEL, \
    dut__walk__delay__``k``_arrival_bits_command_endpoint[0], \
    dut__walk__delay__``k``_arrival_bits_command_key_bits, \
    dut__walk__delay__``k``_arrival_bits_command_key_source}
// Without what the unit gives an arrival's search and does not carry: id and ignored bits.
`define CARRIED(op) {op[18:15], op[10:5]}
// A table's entries, and what EntryCount has ready of them.
`define COUNT(table) \
  (table``__came == table``__went ? table``__counted : \
   table``__came ? table``__counted + 3'd1 : table``__counted - 3'd1)
`define READY(table) \
  (table``__free == (table``__counted != 4) && table``__twoFree == (table``__counted < 3))
// One that was allocated leaves the registers a clock later.
`define NEXT(store, slot) \
    ((store``__waiting != 0 && !store``__allocated && store``__waitingSlots_0 == slot) + \
     (store``__waiting > 1 && store``__waitingSlots_1 == slot) + \
     (store``__waiting > 2 && store``__waitingSlots_2 == slot))

  // Slots inside: on their way, decided, answered but not taken.
  wire [4:0] in_flight =
      (dut__walk__delay__k1_post_valid | dut__walk__delay__k1_arrival_valid) +
      (dut__walk__delay__k2_post_valid | dut__walk__delay__k2_arrival_valid) +
      (dut__walk__delay__k3_post_valid | dut__walk__delay__k3_arrival_valid) +
      (dut__walk__post_there | dut__walk__arrival_there) +
      dut__answers__silent_REG + dut__answers__silent_REG_1;
  wire [4:0] waiting = dut__answers__answers__count;
  // As counted: what came in the clock before is not in yet, what left then not out.
  wire [4:0] inside_now = dut__answers__inside_0 + dut__answers__came;

  always @(posedge clock) begin
`ifndef LAW
    // For the induction: no mark that is on its way says that something is in memory.
    cleared :
    assert (age == 0 || !reset ||
            (!dut__walk__post_there && !dut__walk__arrival_there &&
             !dut__decide__marks__late_0_defers && !dut__decide__marks__late_1_defers));
    carried1 : assert (age < 2 || (`PLAIN_MARK(carried_REG) && `PLAIN_MARK(carried_REG_3)));
    carried2 : assert (age < 3 || (`PLAIN_MARK(carried_REG_1) && `PLAIN_MARK(carried_REG_4)));
    carried3 : assert (age < 4 || (`PLAIN_MARK(carried_REG_2) && `PLAIN_MARK(carried_REG_5)));
    carried4 : assert (age < 5 || (`PLAIN_MARK(carried) && `PLAIN_MARK(carried_1)));
    // The lists carry the operations that the unit carries.
    asked1 : assert (age < 2 || (op1_m == `ASKED_M(k1) && `CARRIED(op1_r) == `ASKED_R(k1)));
    asked2 : assert (age < 3 || (op2_m == `ASKED_M(k2) && `CARRIED(op2_r) == `ASKED_R(k2)));
    asked3 : assert (age < 4 || (op3_m == `ASKED_M(k3) && `CARRIED(op3_r) == `ASKED_R(k3)));
    asked4_m :
    assert (age < 5 || op4_m == {dut__walk__post_there && dut__walk__post_body_command_searches, `TAKES(end_p),
            end_p == INSPECT, 5'b0, dut__walk__post_body_command_endpoint[0],
            dut__walk__post_body_command_key_bits, dut__walk__post_body_command_key_source,
            dut__walk__post_body_command_ignore_bits,
            dut__walk__post_body_command_ignore_source});
    asked4_r :
    assert (age < 5 || `CARRIED(op4_r) == {
            dut__walk__arrival_there && dut__walk__arrival_body_command_searches, `TAKES(end_a),
            end_a == INSPECT, end_a == CANCEL, dut__walk__arrival_body_command_endpoint[0],
            dut__walk__arrival_body_command_key_bits,
            dut__walk__arrival_body_command_key_source});
    pairs1_r :
    assert (age < 2 || {dut__walk__asking_byId, dut__walk__asking_id, dut__walk__asking_endpoint,
                        dut__walk__asking_key_bits, dut__walk__asking_key_source, dut__walk__asking_ignore_bits,
                        dut__walk__asking_ignore_source} == op1_r[15:0]);
    pairs1_m :
    assert (age < 2 || {dut__walk__posting_endpoint, dut__walk__posting_key_bits, dut__walk__posting_key_source,
                        dut__walk__posting_ignore_bits, dut__walk__posting_ignore_source,
                        dut__walk__posting_id} ==
                       {op1_m[10:0], dut__walk__delay__k1_post_bits_command_id});
    pairs2 :
    assert (age < 3 || dut__walk__pairs_r ==
            matches(op2_r, {op2_m[10:0], dut__walk__delay__k2_post_bits_command_id}));
    pairs3 :
    assert (age < 4 || dut__walk__pairs_r_1 ==
            matches(op3_r, {op3_m[10:0], dut__walk__delay__k3_post_bits_command_id}));
`endif
    if (!reset) begin
      // The race: what neither found the other must not both be queued, at any slot's end (R5, R6).
      never_apart : assert (!(live_r && live_m && match));
      // An arrival takes the post beside it only if no older receive matches (R3).
      pair_is_youngest :
      assert (!(pair5 && live_r && matches(op5_r, entry_r) && !byPosition(op5_r)));

      // Handles come back unchanged, from the entry that was found (R15).
      receive_back :
      assert (!found6_r || (arrival_answer && arrival_other == body6_r[10:7] &&
              `ANSWER(arrival, bits_address) == body6_r[6:3] &&
              `ANSWER(arrival, bits_receiveLength) == body6_r[2:0]));
      message_back :
      assert (!found6_m || (post_answer && post_other == body6_m[10:7] &&
              `ANSWER(post, bits_address) == body6_m[6:3] &&
              `ANSWER(post, bits_messageLength) == body6_m[2:0]));
      // A pair is in no list: the post says queued, and the arrival beside it names its handle.
      pair_back :
      assert (!pair6 || (arrival_answer && arrival_other == p6[10:7] && post_is &&
              post_status == QUEUED &&
              (arrival_status == MATCHED || arrival_status == CANCELLED)));

      pair_in_no_list : assert (!(pair5 && append5_r));

      // Without memory beyond the tables every command is answered here (R11).
      nothing_deferred : assert (!io_spill_deferred_valid && !io_spill_injected_valid);

      // Queued says that it is in the list, or was taken at once; and nothing else is (R5, R6).
      post_queued :
      assert ((post_is && post_status == QUEUED) == (append6_r || pair6));
      arrival_queued : assert ((arrival_is && arrival_status == QUEUED) == append6_m);
      // Refused or held back only when there is no room (R11).
      refused_full : assert (!(post_is && post_status == REFUSED) || full6_r || quota6_r);
      stalled_full : assert (!(arrival_is && arrival_status == STALLED) || full6_m || quota6_m);
      counts_r : assert (`COUNT(dut__decide__postedEntries) == count_r);
      counts_m : assert (`COUNT(dut__decide__unexpectedEntries) == count_m);
      sizes_r : assert (`READY(dut__decide__postedEntries));
      sizes_m : assert (`READY(dut__decide__unexpectedEntries));

      // No slot of a store is read while it is written.
      read_alone_r : assert (!(found_r && enters_r));
      read_alone_m : assert (!(found_m && enters_m));

`ifndef LAW
      // For the induction: each slot of a store is fresh, freed, about to be allocated, in the
      // list, or on its way.
      slot_once_r :
      assert ((dut__body__postedStore__fresh <= receive) + has_r + live_r + enters_r +
              `NEXT(dut__body__postedStore, receive) == 3'd1);
      slot_once_m :
      assert ((dut__body__unexpectedStore__fresh <= message) + has_m + live_m + enters_m +
              `NEXT(dut__body__unexpectedStore, message) == 3'd1);
      slots_all_r :
      assert (dut__body__postedStore__fresh <= 12 && 5'd12 - dut__body__postedStore__fresh + queue_count_r +
              dut__body__postedStore__waiting - dut__body__postedStore__allocated + count_r +
              dut__body__postedStore_io_release_valid_REG == 5'd12);
      slots_all_m :
      assert (dut__body__unexpectedStore__fresh <= 12 &&
              5'd12 - dut__body__unexpectedStore__fresh + queue_count_m + dut__body__unexpectedStore__waiting -
              dut__body__unexpectedStore__allocated + count_m + dut__body__unexpectedStore_io_release_valid_REG == 5'd12);
      registers_r :
      assert (dut__body__postedStore__waiting >= dut__body__postedStore__allocated &&
              (dut__body__postedStore__waiting > dut__body__postedStore__allocated || !dut__decide__endpoints__sweep__ready));
      registers_m :
      assert (dut__body__unexpectedStore__waiting >= dut__body__unexpectedStore__allocated &&
              (dut__body__unexpectedStore__waiting > dut__body__unexpectedStore__allocated || !dut__decide__endpoints__sweep__ready));
      inside :
      assert (inside_now == in_flight + waiting + dut__answers__left + dut__answers__inside_REG);
      inside_most : assert (inside_now <= 15 && (!dut__answers__io_room_REG || inside_now <= 14));
      // Sides of an answer come and go with it; a word of its length comes a clock later.
      beside :
      assert (dut__answers__sides__count == dut__answers__answers__count &&
              dut__answers__sides__stored == dut__answers__answers__stored &&
              dut__answers__sides__valid == dut__answers__answers__valid);
      lengths :
      assert (dut__answers__truncated__count + dut__answers__truncated_io_enq_valid_REG ==
              dut__answers__answers__count &&
              (!dut__answers__truncated_io_enq_valid_REG || dut__answers__answers__stored != 0));
      body1 : assert (`BODY_KEPT(k1, post, POST, p1) && `BODY_KEPT(k1, arrival, ARRIVE, a1));
      body2 : assert (`BODY_KEPT(k2, post, POST, p2) && `BODY_KEPT(k2, arrival, ARRIVE, a2));
      body3 : assert (`BODY_KEPT(k3, post, POST, p3) && `BODY_KEPT(k3, arrival, ARRIVE, a3));
      body4_p :
      assert (!(dut__walk__post_there && end_p == POST) ||
              `BODY(dut__walk__post_body_command) == p4);
      body4_a :
      assert (!(dut__walk__arrival_there && end_a == ARRIVE) ||
              `BODY(dut__walk__arrival_body_command) == a4);
      // No endpoint has something in memory, and no command came from there.
      marks_swept :
      assert (dut__decide__marks__sweep__ready == dut__decide__endpoints__sweep__ready &&
              dut__decide__marks__sweep__index == dut__decide__endpoints__sweep__index);
      marks_kept :
      assert (dut__decide__marks__sweep__ready ? mark_kept_0 == 0 && mark_kept_1 == 0 :
              !dut__decide__marks__sweep__index || (!mark_kept_0[0] && !mark_kept_1[0]));
      marks_late : assert (!dut__decide__marks__late_0_defers && !dut__decide__marks__late_1_defers);
      marks2 :
      assert (!(dut__walk__delay__k2_post_valid && dut__decide__marks__stored_r_word_spilling) &&
              !(dut__walk__delay__k2_arrival_valid && dut__decide__marks__stored_r_2_word_spilling));
      marks3 :
      assert (!(dut__walk__delay__k3_post_valid && dut__decide__marks__stored_r_1_word_spilling) &&
              !(dut__walk__delay__k3_arrival_valid && dut__decide__marks__stored_r_3_word_spilling));
      marks4 :
      assert (!(dut__walk__post_there && dut__decide__marks__stored_word_spilling) &&
              !(dut__walk__arrival_there && dut__decide__marks__stored_1_word_spilling));
      hosts1 : assert (`HOSTS(k1));
      hosts2 : assert (`HOSTS(k2));
      hosts3 : assert (`HOSTS(k3));
      hosts4 :
      assert (!(dut__walk__post_there &&
                `INJECTED(dut__walk__post_body_command)) &&
              !(dut__walk__arrival_there &&
                `INJECTED(dut__walk__arrival_body_command)));
      hosts_flush : assert (dut__accept__flush__state == 0 || !`INJECTED(dut__accept__flush__command));
      deferred5 :
      assert (!dut__answers__decides_0_defers && !dut__answers__decides_1_defers);
      deferred6 : assert (!dut__answers__outcomes_0_defers && !dut__answers__outcomes_1_defers);
      injected5 : assert (!dut__answers__injected_REG && !dut__answers__injected_REG_1);
      stream1 : assert (`STREAM(k1));
      stream2 : assert (`STREAM(k2));
      stream3 : assert (`STREAM(k3));
      flags1 : assert (`FLAGS_AT(k1));
      flags2 : assert (`FLAGS_AT(k2));
      flags3 : assert (`FLAGS_AT(k3));
      flags4 :
      assert ((!dut__walk__post_there || `FLAGS(dut__walk__post_body)) &&
              (!dut__walk__arrival_there || `FLAGS(dut__walk__arrival_body)));
      pairs4 :
      assert (!(dut__walk__post_there && dut__walk__arrival_there && end_p == POST) ||
              dut__walk__pairs == matches(op4_r, {op4_m[10:0], post_id4}));
      answers5 :
      assert (!(dut__answers__decides_0_answers || dut__answers__decides_1_answers) ||
              dut__answers__silent_REG);
      answers6 :
      assert (!(dut__answers__outcomes_0_answers || dut__answers__outcomes_1_answers) || dut__answers__silent_REG_1);
      // The status is made of what was decided a clock later.
`define QUEUED5(side) \
  (dut__answers__ops_``side``_command_searches ? \
   !dut__answers__decides_``side``_found && dut__answers__decides_``side``_room : \
   dut__answers__ops_``side``_command_status == QUEUED)
      queued5_p :
      assert ((dut__answers__decides_0_answers && `QUEUED5(0) &&
               dut__answers__ops_0_command_opcode == POST) == (append5_r || pair5));
      queued5_a :
      assert ((dut__answers__decides_1_answers && `QUEUED5(1) &&
               dut__answers__ops_1_command_opcode == ARRIVE) == append5_m);
      flushes : assert (dut__accept__flush__state == 0 || dut__accept__flush__command_opcode == FLUSH);
      by_stream_r :
      assert (!dut__walk__arrival_there || end_a == ARRIVE || end_a == CANCEL ||
              end_a == INSPECT || (end_a == FLUSH && !dut__walk__post_there));
      early4 :
      assert ((!dut__walk__post_there || `DECIDED_EARLY(dut__walk__post_body_command)) &&
              (!dut__walk__arrival_there || `DECIDED_EARLY(dut__walk__arrival_body_command)));
      // The endpoint table has been asked for the endpoint of each operation.
      asked_p :
      assert (`AT(k1, post, dut__decide__endpoints__at1_0) && `AT(k2, post, dut__decide__endpoints__at2_0) &&
              `AT(k3, post, dut__decide__endpoints__at3_0));
      asked_a :
      assert (`AT(k1, arrival, dut__decide__endpoints__at1_1) &&
              `AT(k2, arrival, dut__decide__endpoints__at2_1) &&
              `AT(k3, arrival, dut__decide__endpoints__at3_1));
      swept : assert (dut__decide__endpoints__sweep__ready || in_flight == 0);
      sweeps4 :
      assert ((!dut__walk__post_there || !dut__walk__post_body_sweeps || end_p == FLUSH) &&
              (!dut__walk__arrival_there || !dut__walk__arrival_body_sweeps ||
               end_a == FLUSH));
      by_stream_m : assert (!dut__walk__post_there || (end_p != ARRIVE && end_p != CANCEL));
      word_r : assert (!live_r || store_word_r[10:0] == body_r);
      word_m : assert (!live_m || store_word_m[10:0] == body_m);
`endif
    end
  end

  always @(posedge clock)
    if (!reset) begin
      both_live : cover (live_r && live_m && found6_r && found6_m);
      pairs : cover (pair6);
      refuses : cover (post_is && post_status == REFUSED && !quota6_r);
      stalls : cover (arrival_is && arrival_status == STALLED && !quota6_m);
    end
endmodule
