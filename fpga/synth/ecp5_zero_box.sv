// SPDX-License-Identifier: Apache-2.0
//
// A word that is compared with zero goes into boxes of ecp5_zero.sv, 16 bits each; a word of other
// than 32 or 64 bits, the widths of a key's parts, is left alone.
(* techmap_celltype = "$logic_not" *)
module zero_box (
    A,
    Y
);
    parameter A_SIGNED = 0;
    parameter A_WIDTH = 0;
    parameter Y_WIDTH = 0;
    input [A_WIDTH-1:0] A;
    output [Y_WIDTH-1:0] Y;

    wire _TECHMAP_FAIL_ = (A_WIDTH != 32 && A_WIDTH != 64) || Y_WIDTH != 1;
    localparam BOXES = A_WIDTH / 16;
    wire [BOXES-1:0] zero;
    genvar i;
    generate
        for (i = 0; i < BOXES; i = i + 1) begin : part
            TMU_ZERO16 box (.A(A[16*i+:16]), .Y(zero[i]));
        end
    endgenerate
    assign Y = &zero;
endmodule
