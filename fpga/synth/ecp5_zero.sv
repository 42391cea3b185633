// SPDX-License-Identifier: Apache-2.0
//
// Whether a word of 16 bits is zero, as a box for ABC9: what a lane's comparator ends in. The delay
// in ps is that of the carry chain in ecp5_zero_chain.sv, as Yosys has it for a CCU2C.
(* abc9_box, blackbox *)
module TMU_ZERO16 (
    input  [15:0] A,
    output Y
);
    specify
        (A *> Y) = 1450;
    endspecify
endmodule
