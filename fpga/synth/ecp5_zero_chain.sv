// SPDX-License-Identifier: Apache-2.0
//
// The box of ecp5_zero.sv as a carry chain of 16 CCU2C, four tiles. A carry that is 1 at its start
// goes through them as long as the bits are 0, and comes out as the last sum. A bit takes one input
// of its LUT; what computes it may be that LUT instead (tools/opentmu/synth/carries.py).
//
// Only one of the two LUTs of a CCU2C has a bit: with both, a tile of four has up to 32 different
// nets at LUTs whose inputs the router may not swap, and no room for the flip-flops of its bits.
module TMU_ZERO16 (
    input  [15:0] A,
    output Y
);
    // A LUT that gives the carry on while its input A is 0; one that always does; one that shows it
    // as its sum. With C at 1 the first LUT of all is 0, and the one of its inputs A and B alone is
    // 1: a carry, whatever comes in. Inputs of no use are 1, which takes no wire.
    localparam [15:0] BIT = 16'h5555, PASSES = 16'hffff, SHOWS = 16'h0000, STARTS = 16'h000f;
    wire [16:0] carry;
    wire [15:0] sum;
    genvar i;
    generate
        for (i = 0; i < 16; i = i + 1) begin : chain
            // The last one has its bit first, for the carry is shown behind it.
            CCU2C #(
                .INIT0(i == 0 ? STARTS : i == 15 ? BIT : PASSES),
                .INIT1(i == 15 ? SHOWS : BIT),
                .INJECT1_0("NO"),
                .INJECT1_1("NO")
            ) cell_i (
                .CIN(carry[i]),
                .A0(i == 15 ? A[i] : 1'b1),
                .B0(1'b1),
                .C0(1'b1),
                .D0(1'b1),
                .A1(i == 15 ? 1'b1 : A[i]),
                .B1(1'b1),
                .C1(1'b1),
                .D1(1'b1),
                .S0(),
                .S1(sum[i]),
                .COUT(carry[i+1])
            );
        end
    endgenerate
    assign carry[0] = 1'bx;
    assign Y = sum[15];
endmodule
