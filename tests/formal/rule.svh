// SPDX-License-Identifier: Apache-2.0
// Rule R1 and the fields of an operation of an array, written independently of the design.
//
// Operation: searches, takes, byPosition, byId, id 4, endpoint, bits 3, source 2, ignored bits 3,
// ignored source 2. Entry: endpoint, bits 3, source 2, ignored bits 3, ignored source 2, id 4.
function searches(input [18:0] op);
  searches = op[18];
endfunction
function takes(input [18:0] op);
  takes = op[17];
endfunction
function byPosition(input [18:0] op);
  byPosition = op[16];
endfunction
function matches(input [18:0] op, input [14:0] entry);
  reg [4:0] differ;
  reg [4:0] ignored;
  begin
    differ = op[9:5] ^ entry[13:9];
    ignored = op[4:0] | entry[8:4];
    matches = op[10] == entry[14] && (op[15] ? op[14:11] == entry[3:0] : (differ & ~ignored) == 0);
  end
endfunction
