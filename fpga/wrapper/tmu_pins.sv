// SPDX-License-Identifier: Apache-2.0
// Generated from hw/src/tmu/ShellWiring.scala by ./tmu generate. Do not edit.
//
// The unit behind six pins, for boards and place-and-route runs with few pins.
//
// Every input of the unit comes from a flip-flop, every output goes into one of `response`:
// nothing is optimised away, all timing paths of the unit are register to register, and none
// begins at a pin, which lies at the edge of the device.
//   shift  1: stimulus takes `serial_in` and response gives `serial_out`, one bit a clock,
//             highest bit of each first.
//   step   1: for one clock the unit sees the valid and ready bits of stimulus, and response
//             takes what the unit drives in it; otherwise they are all 0.
// Response moves two clocks after the pins say so, for a shift and for a step.
// The bits lie in the order of the two concatenations below.
// `shift` and `step` must not be 1 together: shift wins, and the step would be lost.
`default_nettype none
module tmu_pins #(
    parameter integer ADDRESS_BITS = 19
) (
    input  wire clk,
    input  wire rst_n,
    input  wire shift,
    input  wire step,
    input  wire serial_in,
    output wire serial_out
);
    localparam INPUTS = 1233 + 2 * ADDRESS_BITS;
    localparam OUTPUTS = 1991;
    wire [11:0] s_axil_awaddr;
    wire [2:0] s_axil_awprot;
    wire s_axil_awvalid;
    wire [31:0] s_axil_wdata;
    wire [3:0] s_axil_wstrb;
    wire s_axil_wvalid;
    wire s_axil_bready;
    wire [11:0] s_axil_araddr;
    wire [2:0] s_axil_arprot;
    wire s_axil_arvalid;
    wire s_axil_rready;
    wire [3:0] s_axi_awid;
    wire [ADDRESS_BITS-1:0] s_axi_awaddr;
    wire [7:0] s_axi_awlen;
    wire [2:0] s_axi_awsize;
    wire [1:0] s_axi_awburst;
    wire s_axi_awlock;
    wire [3:0] s_axi_awcache;
    wire [2:0] s_axi_awprot;
    wire s_axi_awvalid;
    wire [511:0] s_axi_wdata;
    wire [63:0] s_axi_wstrb;
    wire s_axi_wlast;
    wire s_axi_wvalid;
    wire s_axi_bready;
    wire [3:0] s_axi_arid;
    wire [ADDRESS_BITS-1:0] s_axi_araddr;
    wire [7:0] s_axi_arlen;
    wire [2:0] s_axi_arsize;
    wire [1:0] s_axi_arburst;
    wire s_axi_arlock;
    wire [3:0] s_axi_arcache;
    wire [2:0] s_axi_arprot;
    wire s_axi_arvalid;
    wire s_axi_rready;
    wire m_axi_awready;
    wire m_axi_wready;
    wire m_axi_bid;
    wire [1:0] m_axi_bresp;
    wire m_axi_bvalid;
    wire m_axi_mem_awready;
    wire m_axi_mem_wready;
    wire m_axi_mem_bid;
    wire [1:0] m_axi_mem_bresp;
    wire m_axi_mem_bvalid;
    wire m_axi_mem_arready;
    wire m_axi_mem_rid;
    wire [511:0] m_axi_mem_rdata;
    wire [1:0] m_axi_mem_rresp;
    wire m_axi_mem_rlast;
    wire m_axi_mem_rvalid;
    wire s_axil_awready;
    wire s_axil_wready;
    wire [1:0] s_axil_bresp;
    wire s_axil_bvalid;
    wire s_axil_arready;
    wire [31:0] s_axil_rdata;
    wire [1:0] s_axil_rresp;
    wire s_axil_rvalid;
    wire s_axi_awready;
    wire s_axi_wready;
    wire [3:0] s_axi_bid;
    wire [1:0] s_axi_bresp;
    wire s_axi_bvalid;
    wire s_axi_arready;
    wire [3:0] s_axi_rid;
    wire [511:0] s_axi_rdata;
    wire [1:0] s_axi_rresp;
    wire s_axi_rlast;
    wire s_axi_rvalid;
    wire m_axi_awid;
    wire [63:0] m_axi_awaddr;
    wire [7:0] m_axi_awlen;
    wire [2:0] m_axi_awsize;
    wire [1:0] m_axi_awburst;
    wire m_axi_awlock;
    wire [3:0] m_axi_awcache;
    wire [2:0] m_axi_awprot;
    wire m_axi_awvalid;
    wire [511:0] m_axi_wdata;
    wire [63:0] m_axi_wstrb;
    wire m_axi_wlast;
    wire m_axi_wvalid;
    wire m_axi_bready;
    wire m_axi_mem_awid;
    wire [63:0] m_axi_mem_awaddr;
    wire [7:0] m_axi_mem_awlen;
    wire [2:0] m_axi_mem_awsize;
    wire [1:0] m_axi_mem_awburst;
    wire m_axi_mem_awlock;
    wire [3:0] m_axi_mem_awcache;
    wire [2:0] m_axi_mem_awprot;
    wire m_axi_mem_awvalid;
    wire [511:0] m_axi_mem_wdata;
    wire [63:0] m_axi_mem_wstrb;
    wire m_axi_mem_wlast;
    wire m_axi_mem_wvalid;
    wire m_axi_mem_bready;
    wire m_axi_mem_arid;
    wire [63:0] m_axi_mem_araddr;
    wire [7:0] m_axi_mem_arlen;
    wire [2:0] m_axi_mem_arsize;
    wire [1:0] m_axi_mem_arburst;
    wire m_axi_mem_arlock;
    wire [3:0] m_axi_mem_arcache;
    wire [2:0] m_axi_mem_arprot;
    wire m_axi_mem_arvalid;
    wire m_axi_mem_rready;

    reg [INPUTS-1:0] stimulus;
    reg [OUTPUTS-1:0] response;

    // The pins a clock later, and what moves response when the unit has answered.
    reg reset_n, bit_in, shifts, steps, response_shifts, response_moves;
    always @(posedge clk) begin
        reset_n <= rst_n;
        bit_in <= serial_in;
        shifts <= shift;
        steps <= step & ~shift;
        response_shifts <= shifts;
        response_moves <= shifts | steps;
    end

    // Handshakes are shown for a step; the rest comes as it was shifted in.
    wire held_s_axil_awvalid;
    wire held_s_axil_wvalid;
    wire held_s_axil_bready;
    wire held_s_axil_arvalid;
    wire held_s_axil_rready;
    wire held_s_axi_awvalid;
    wire held_s_axi_wvalid;
    wire held_s_axi_bready;
    wire held_s_axi_arvalid;
    wire held_s_axi_rready;
    wire held_m_axi_awready;
    wire held_m_axi_wready;
    wire held_m_axi_bvalid;
    wire held_m_axi_mem_awready;
    wire held_m_axi_mem_wready;
    wire held_m_axi_mem_bvalid;
    wire held_m_axi_mem_arready;
    wire held_m_axi_mem_rvalid;
    assign {
        s_axil_awaddr, s_axil_awprot, held_s_axil_awvalid, s_axil_wdata, s_axil_wstrb,
        held_s_axil_wvalid, held_s_axil_bready, s_axil_araddr, s_axil_arprot, held_s_axil_arvalid,
        held_s_axil_rready, s_axi_awid, s_axi_awaddr, s_axi_awlen, s_axi_awsize, s_axi_awburst,
        s_axi_awlock, s_axi_awcache, s_axi_awprot, held_s_axi_awvalid, s_axi_wdata, s_axi_wstrb,
        s_axi_wlast, held_s_axi_wvalid, held_s_axi_bready, s_axi_arid, s_axi_araddr, s_axi_arlen,
        s_axi_arsize, s_axi_arburst, s_axi_arlock, s_axi_arcache, s_axi_arprot, held_s_axi_arvalid,
        held_s_axi_rready, held_m_axi_awready, held_m_axi_wready, m_axi_bid, m_axi_bresp,
        held_m_axi_bvalid, held_m_axi_mem_awready, held_m_axi_mem_wready, m_axi_mem_bid,
        m_axi_mem_bresp, held_m_axi_mem_bvalid, held_m_axi_mem_arready, m_axi_mem_rid,
        m_axi_mem_rdata, m_axi_mem_rresp, m_axi_mem_rlast, held_m_axi_mem_rvalid
    } = stimulus;
    localparam HANDSHAKES = 18;
    wire [HANDSHAKES-1:0] held = {
        held_s_axil_awvalid, held_s_axil_wvalid, held_s_axil_bready, held_s_axil_arvalid,
        held_s_axil_rready, held_s_axi_awvalid, held_s_axi_wvalid, held_s_axi_bready,
        held_s_axi_arvalid, held_s_axi_rready, held_m_axi_awready, held_m_axi_wready,
        held_m_axi_bvalid, held_m_axi_mem_awready, held_m_axi_mem_wready, held_m_axi_mem_bvalid,
        held_m_axi_mem_arready, held_m_axi_mem_rvalid
    };
    reg [HANDSHAKES-1:0] shown;
    always @(posedge clk) shown <= steps ? held : {HANDSHAKES{1'b0}};
    assign {
        s_axil_awvalid, s_axil_wvalid, s_axil_bready, s_axil_arvalid, s_axil_rready, s_axi_awvalid,
        s_axi_wvalid, s_axi_bready, s_axi_arvalid, s_axi_rready, m_axi_awready, m_axi_wready,
        m_axi_bvalid, m_axi_mem_awready, m_axi_mem_wready, m_axi_mem_bvalid, m_axi_mem_arready,
        m_axi_mem_rvalid
    } = shown;

    wire [OUTPUTS-1:0] driven = {
        s_axil_awready, s_axil_wready, s_axil_bresp, s_axil_bvalid, s_axil_arready, s_axil_rdata,
        s_axil_rresp, s_axil_rvalid, s_axi_awready, s_axi_wready, s_axi_bid, s_axi_bresp,
        s_axi_bvalid, s_axi_arready, s_axi_rid, s_axi_rdata, s_axi_rresp, s_axi_rlast, s_axi_rvalid,
        m_axi_awid, m_axi_awaddr, m_axi_awlen, m_axi_awsize, m_axi_awburst, m_axi_awlock,
        m_axi_awcache, m_axi_awprot, m_axi_awvalid, m_axi_wdata, m_axi_wstrb, m_axi_wlast,
        m_axi_wvalid, m_axi_bready, m_axi_mem_awid, m_axi_mem_awaddr, m_axi_mem_awlen,
        m_axi_mem_awsize, m_axi_mem_awburst, m_axi_mem_awlock, m_axi_mem_awcache, m_axi_mem_awprot,
        m_axi_mem_awvalid, m_axi_mem_wdata, m_axi_mem_wstrb, m_axi_mem_wlast, m_axi_mem_wvalid,
        m_axi_mem_bready, m_axi_mem_arid, m_axi_mem_araddr, m_axi_mem_arlen, m_axi_mem_arsize,
        m_axi_mem_arburst, m_axi_mem_arlock, m_axi_mem_arcache, m_axi_mem_arprot, m_axi_mem_arvalid,
        m_axi_mem_rready
    };

    // Register bit_in is shifted in behind the outputs: behind a constant, the constant
    // outputs at their end would be taken out one by one, each by a whole round of the
    // mapper.
    always @(posedge clk) begin
        if (shifts) stimulus <= {stimulus[INPUTS-2:0], bit_in};
        if (response_moves)
            response <= response_shifts ? {response[OUTPUTS-2:0], bit_in} : driven;
    end
    assign serial_out = response[OUTPUTS-1];

    // The read channel of m_axi carries nothing.
    /* verilator lint_off PINCONNECTEMPTY */
    tmu_wrapper #(
        .ADDRESS_BITS(ADDRESS_BITS)
    ) wrapper (
        .aclk(clk),
        .aresetn(reset_n),
        .s_axil_awaddr(s_axil_awaddr),
        .s_axil_awprot(s_axil_awprot),
        .s_axil_awvalid(s_axil_awvalid),
        .s_axil_awready(s_axil_awready),
        .s_axil_wdata(s_axil_wdata),
        .s_axil_wstrb(s_axil_wstrb),
        .s_axil_wvalid(s_axil_wvalid),
        .s_axil_wready(s_axil_wready),
        .s_axil_bresp(s_axil_bresp),
        .s_axil_bvalid(s_axil_bvalid),
        .s_axil_bready(s_axil_bready),
        .s_axil_araddr(s_axil_araddr),
        .s_axil_arprot(s_axil_arprot),
        .s_axil_arvalid(s_axil_arvalid),
        .s_axil_arready(s_axil_arready),
        .s_axil_rdata(s_axil_rdata),
        .s_axil_rresp(s_axil_rresp),
        .s_axil_rvalid(s_axil_rvalid),
        .s_axil_rready(s_axil_rready),
        .s_axi_awid(s_axi_awid),
        .s_axi_awaddr(s_axi_awaddr),
        .s_axi_awlen(s_axi_awlen),
        .s_axi_awsize(s_axi_awsize),
        .s_axi_awburst(s_axi_awburst),
        .s_axi_awlock(s_axi_awlock),
        .s_axi_awcache(s_axi_awcache),
        .s_axi_awprot(s_axi_awprot),
        .s_axi_awvalid(s_axi_awvalid),
        .s_axi_awready(s_axi_awready),
        .s_axi_wdata(s_axi_wdata),
        .s_axi_wstrb(s_axi_wstrb),
        .s_axi_wlast(s_axi_wlast),
        .s_axi_wvalid(s_axi_wvalid),
        .s_axi_wready(s_axi_wready),
        .s_axi_bid(s_axi_bid),
        .s_axi_bresp(s_axi_bresp),
        .s_axi_bvalid(s_axi_bvalid),
        .s_axi_bready(s_axi_bready),
        .s_axi_arid(s_axi_arid),
        .s_axi_araddr(s_axi_araddr),
        .s_axi_arlen(s_axi_arlen),
        .s_axi_arsize(s_axi_arsize),
        .s_axi_arburst(s_axi_arburst),
        .s_axi_arlock(s_axi_arlock),
        .s_axi_arcache(s_axi_arcache),
        .s_axi_arprot(s_axi_arprot),
        .s_axi_arvalid(s_axi_arvalid),
        .s_axi_arready(s_axi_arready),
        .s_axi_rid(s_axi_rid),
        .s_axi_rdata(s_axi_rdata),
        .s_axi_rresp(s_axi_rresp),
        .s_axi_rlast(s_axi_rlast),
        .s_axi_rvalid(s_axi_rvalid),
        .s_axi_rready(s_axi_rready),
        .m_axi_awid(m_axi_awid),
        .m_axi_awaddr(m_axi_awaddr),
        .m_axi_awlen(m_axi_awlen),
        .m_axi_awsize(m_axi_awsize),
        .m_axi_awburst(m_axi_awburst),
        .m_axi_awlock(m_axi_awlock),
        .m_axi_awcache(m_axi_awcache),
        .m_axi_awprot(m_axi_awprot),
        .m_axi_awvalid(m_axi_awvalid),
        .m_axi_awready(m_axi_awready),
        .m_axi_wdata(m_axi_wdata),
        .m_axi_wstrb(m_axi_wstrb),
        .m_axi_wlast(m_axi_wlast),
        .m_axi_wvalid(m_axi_wvalid),
        .m_axi_wready(m_axi_wready),
        .m_axi_bid(m_axi_bid),
        .m_axi_bresp(m_axi_bresp),
        .m_axi_bvalid(m_axi_bvalid),
        .m_axi_bready(m_axi_bready),
        .m_axi_arid(),
        .m_axi_araddr(),
        .m_axi_arlen(),
        .m_axi_arsize(),
        .m_axi_arburst(),
        .m_axi_arlock(),
        .m_axi_arcache(),
        .m_axi_arprot(),
        .m_axi_arvalid(),
        .m_axi_arready(1'b0),
        .m_axi_rid(1'b0),
        .m_axi_rdata(512'd0),
        .m_axi_rresp(2'd0),
        .m_axi_rlast(1'b0),
        .m_axi_rvalid(1'b0),
        .m_axi_rready(),
        .m_axi_mem_awid(m_axi_mem_awid),
        .m_axi_mem_awaddr(m_axi_mem_awaddr),
        .m_axi_mem_awlen(m_axi_mem_awlen),
        .m_axi_mem_awsize(m_axi_mem_awsize),
        .m_axi_mem_awburst(m_axi_mem_awburst),
        .m_axi_mem_awlock(m_axi_mem_awlock),
        .m_axi_mem_awcache(m_axi_mem_awcache),
        .m_axi_mem_awprot(m_axi_mem_awprot),
        .m_axi_mem_awvalid(m_axi_mem_awvalid),
        .m_axi_mem_awready(m_axi_mem_awready),
        .m_axi_mem_wdata(m_axi_mem_wdata),
        .m_axi_mem_wstrb(m_axi_mem_wstrb),
        .m_axi_mem_wlast(m_axi_mem_wlast),
        .m_axi_mem_wvalid(m_axi_mem_wvalid),
        .m_axi_mem_wready(m_axi_mem_wready),
        .m_axi_mem_bid(m_axi_mem_bid),
        .m_axi_mem_bresp(m_axi_mem_bresp),
        .m_axi_mem_bvalid(m_axi_mem_bvalid),
        .m_axi_mem_bready(m_axi_mem_bready),
        .m_axi_mem_arid(m_axi_mem_arid),
        .m_axi_mem_araddr(m_axi_mem_araddr),
        .m_axi_mem_arlen(m_axi_mem_arlen),
        .m_axi_mem_arsize(m_axi_mem_arsize),
        .m_axi_mem_arburst(m_axi_mem_arburst),
        .m_axi_mem_arlock(m_axi_mem_arlock),
        .m_axi_mem_arcache(m_axi_mem_arcache),
        .m_axi_mem_arprot(m_axi_mem_arprot),
        .m_axi_mem_arvalid(m_axi_mem_arvalid),
        .m_axi_mem_arready(m_axi_mem_arready),
        .m_axi_mem_rid(m_axi_mem_rid),
        .m_axi_mem_rdata(m_axi_mem_rdata),
        .m_axi_mem_rresp(m_axi_mem_rresp),
        .m_axi_mem_rlast(m_axi_mem_rlast),
        .m_axi_mem_rvalid(m_axi_mem_rvalid),
        .m_axi_mem_rready(m_axi_mem_rready)
    );
    /* verilator lint_on PINCONNECTEMPTY */
endmodule
`default_nettype wire
