// SPDX-License-Identifier: Apache-2.0
// Generated from hw/src/tmu/ShellWiring.scala by ./tmu generate. Do not edit.
//
// Wrapper for an FPGA shell: the unit with the conventional clock and reset of AXI.
//
// Everything is in the one clock `aclk`; `aresetn` is active low and may change at any time.
// Two flip-flops that its fall clears take it over and a third passes it on, so that the
// unit's synchronous reset changes only at clock edges.
// Until the unit has left reset no handshake is offered or taken: a master that starts in
// the first clock after `aresetn` rises waits, and no transfer is lost.
// Commands count from STATUS.READY on; earlier ones are taken and dropped, as pages have no
// rings.
//
// Through m_axi the unit only writes; the read channel is tied off for shells that connect
// whole AXI4 masters, and whatever comes back on it is ignored.  Through m_axi_mem it writes
// and reads.
//
// ADDRESS_BITS is 12 (a doorbell page) + ceil(log2(queues + 1)) of the preset.
`default_nettype none
module tmu_wrapper #(
    parameter integer ADDRESS_BITS = 19
) (
    input  wire                      aclk,
    input  wire                      aresetn,
    // Registers.
    input  wire [11:0]               s_axil_awaddr,
    input  wire [2:0]                s_axil_awprot,
    input  wire                      s_axil_awvalid,
    output wire                      s_axil_awready,
    input  wire [31:0]               s_axil_wdata,
    input  wire [3:0]                s_axil_wstrb,
    input  wire                      s_axil_wvalid,
    output wire                      s_axil_wready,
    output wire [1:0]                s_axil_bresp,
    output wire                      s_axil_bvalid,
    input  wire                      s_axil_bready,
    input  wire [11:0]               s_axil_araddr,
    input  wire [2:0]                s_axil_arprot,
    input  wire                      s_axil_arvalid,
    output wire                      s_axil_arready,
    output wire [31:0]               s_axil_rdata,
    output wire [1:0]                s_axil_rresp,
    output wire                      s_axil_rvalid,
    input  wire                      s_axil_rready,
    // Doorbell pages.
    input  wire [3:0]                s_axi_awid,
    input  wire [ADDRESS_BITS-1:0]   s_axi_awaddr,
    input  wire [7:0]                s_axi_awlen,
    input  wire [2:0]                s_axi_awsize,
    input  wire [1:0]                s_axi_awburst,
    input  wire                      s_axi_awlock,
    input  wire [3:0]                s_axi_awcache,
    input  wire [2:0]                s_axi_awprot,
    input  wire                      s_axi_awvalid,
    output wire                      s_axi_awready,
    input  wire [511:0]              s_axi_wdata,
    input  wire [63:0]               s_axi_wstrb,
    input  wire                      s_axi_wlast,
    input  wire                      s_axi_wvalid,
    output wire                      s_axi_wready,
    output wire [3:0]                s_axi_bid,
    output wire [1:0]                s_axi_bresp,
    output wire                      s_axi_bvalid,
    input  wire                      s_axi_bready,
    input  wire [3:0]                s_axi_arid,
    input  wire [ADDRESS_BITS-1:0]   s_axi_araddr,
    input  wire [7:0]                s_axi_arlen,
    input  wire [2:0]                s_axi_arsize,
    input  wire [1:0]                s_axi_arburst,
    input  wire                      s_axi_arlock,
    input  wire [3:0]                s_axi_arcache,
    input  wire [2:0]                s_axi_arprot,
    input  wire                      s_axi_arvalid,
    output wire                      s_axi_arready,
    output wire [3:0]                s_axi_rid,
    output wire [511:0]              s_axi_rdata,
    output wire [1:0]                s_axi_rresp,
    output wire                      s_axi_rlast,
    output wire                      s_axi_rvalid,
    input  wire                      s_axi_rready,
    // Completions into host memory.
    output wire                      m_axi_awid,
    output wire [63:0]               m_axi_awaddr,
    output wire [7:0]                m_axi_awlen,
    output wire [2:0]                m_axi_awsize,
    output wire [1:0]                m_axi_awburst,
    output wire                      m_axi_awlock,
    output wire [3:0]                m_axi_awcache,
    output wire [2:0]                m_axi_awprot,
    output wire                      m_axi_awvalid,
    input  wire                      m_axi_awready,
    output wire [511:0]              m_axi_wdata,
    output wire [63:0]               m_axi_wstrb,
    output wire                      m_axi_wlast,
    output wire                      m_axi_wvalid,
    input  wire                      m_axi_wready,
    input  wire                      m_axi_bid,
    input  wire [1:0]                m_axi_bresp,
    input  wire                      m_axi_bvalid,
    output wire                      m_axi_bready,
    output wire                      m_axi_arid,
    output wire [63:0]               m_axi_araddr,
    output wire [7:0]                m_axi_arlen,
    output wire [2:0]                m_axi_arsize,
    output wire [1:0]                m_axi_arburst,
    output wire                      m_axi_arlock,
    output wire [3:0]                m_axi_arcache,
    output wire [2:0]                m_axi_arprot,
    output wire                      m_axi_arvalid,
    input  wire                      m_axi_arready,
    input  wire                      m_axi_rid,
    input  wire [511:0]              m_axi_rdata,
    input  wire [1:0]                m_axi_rresp,
    input  wire                      m_axi_rlast,
    input  wire                      m_axi_rvalid,
    output wire                      m_axi_rready,
    // Queues that continue in memory.
    output wire                      m_axi_mem_awid,
    output wire [63:0]               m_axi_mem_awaddr,
    output wire [7:0]                m_axi_mem_awlen,
    output wire [2:0]                m_axi_mem_awsize,
    output wire [1:0]                m_axi_mem_awburst,
    output wire                      m_axi_mem_awlock,
    output wire [3:0]                m_axi_mem_awcache,
    output wire [2:0]                m_axi_mem_awprot,
    output wire                      m_axi_mem_awvalid,
    input  wire                      m_axi_mem_awready,
    output wire [511:0]              m_axi_mem_wdata,
    output wire [63:0]               m_axi_mem_wstrb,
    output wire                      m_axi_mem_wlast,
    output wire                      m_axi_mem_wvalid,
    input  wire                      m_axi_mem_wready,
    input  wire                      m_axi_mem_bid,
    input  wire [1:0]                m_axi_mem_bresp,
    input  wire                      m_axi_mem_bvalid,
    output wire                      m_axi_mem_bready,
    output wire                      m_axi_mem_arid,
    output wire [63:0]               m_axi_mem_araddr,
    output wire [7:0]                m_axi_mem_arlen,
    output wire [2:0]                m_axi_mem_arsize,
    output wire [1:0]                m_axi_mem_arburst,
    output wire                      m_axi_mem_arlock,
    output wire [3:0]                m_axi_mem_arcache,
    output wire [2:0]                m_axi_mem_arprot,
    output wire                      m_axi_mem_arvalid,
    input  wire                      m_axi_mem_arready,
    input  wire                      m_axi_mem_rid,
    input  wire [511:0]              m_axi_mem_rdata,
    input  wire [1:0]                m_axi_mem_rresp,
    input  wire                      m_axi_mem_rlast,
    input  wire                      m_axi_mem_rvalid,
    output wire                      m_axi_mem_rready
);

    // A pulse of any length gives the unit two clocks of reset or more.
    (* ASYNC_REG = "TRUE" *) reg [1:0] released;
    initial released = 2'b00;
    always @(posedge aclk or negedge aresetn)
        if (!aresetn) released <= 2'b00;
        else released <= {released[0], 1'b1};
    // 1 from power-up on, so that the unit sees no clock before its first reset.
    reg reset;
    initial reset = 1'b1;
    always @(posedge aclk) reset <= ~released[1];

    // aresetn itself is part of it: valid falls with it, as AXI asks, before the clock edge.
    wire run = aresetn & released[1] & ~reset;

    wire unit_s_axil_awvalid;
    wire unit_s_axil_awready;
    wire unit_s_axil_wvalid;
    wire unit_s_axil_wready;
    wire unit_s_axil_bvalid;
    wire unit_s_axil_bready;
    wire unit_s_axil_arvalid;
    wire unit_s_axil_arready;
    wire unit_s_axil_rvalid;
    wire unit_s_axil_rready;
    wire unit_s_axi_awvalid;
    wire unit_s_axi_awready;
    wire unit_s_axi_wvalid;
    wire unit_s_axi_wready;
    wire unit_s_axi_bvalid;
    wire unit_s_axi_bready;
    wire unit_s_axi_arvalid;
    wire unit_s_axi_arready;
    wire unit_s_axi_rvalid;
    wire unit_s_axi_rready;
    wire unit_m_axi_awvalid;
    wire unit_m_axi_awready;
    wire unit_m_axi_wvalid;
    wire unit_m_axi_wready;
    wire unit_m_axi_bvalid;
    wire unit_m_axi_bready;
    wire unit_m_axi_mem_awvalid;
    wire unit_m_axi_mem_awready;
    wire unit_m_axi_mem_wvalid;
    wire unit_m_axi_mem_wready;
    wire unit_m_axi_mem_bvalid;
    wire unit_m_axi_mem_bready;
    wire unit_m_axi_mem_arvalid;
    wire unit_m_axi_mem_arready;
    wire unit_m_axi_mem_rvalid;
    wire unit_m_axi_mem_rready;

    assign unit_s_axil_awvalid = s_axil_awvalid & run;
    assign s_axil_awready = unit_s_axil_awready & run;
    assign unit_s_axil_wvalid = s_axil_wvalid & run;
    assign s_axil_wready = unit_s_axil_wready & run;
    assign s_axil_bvalid = unit_s_axil_bvalid & run;
    assign unit_s_axil_bready = s_axil_bready & run;
    assign unit_s_axil_arvalid = s_axil_arvalid & run;
    assign s_axil_arready = unit_s_axil_arready & run;
    assign s_axil_rvalid = unit_s_axil_rvalid & run;
    assign unit_s_axil_rready = s_axil_rready & run;
    assign unit_s_axi_awvalid = s_axi_awvalid & run;
    assign s_axi_awready = unit_s_axi_awready & run;
    assign unit_s_axi_wvalid = s_axi_wvalid & run;
    assign s_axi_wready = unit_s_axi_wready & run;
    assign s_axi_bvalid = unit_s_axi_bvalid & run;
    assign unit_s_axi_bready = s_axi_bready & run;
    assign unit_s_axi_arvalid = s_axi_arvalid & run;
    assign s_axi_arready = unit_s_axi_arready & run;
    assign s_axi_rvalid = unit_s_axi_rvalid & run;
    assign unit_s_axi_rready = s_axi_rready & run;
    assign m_axi_awvalid = unit_m_axi_awvalid & run;
    assign unit_m_axi_awready = m_axi_awready & run;
    assign m_axi_wvalid = unit_m_axi_wvalid & run;
    assign unit_m_axi_wready = m_axi_wready & run;
    assign unit_m_axi_bvalid = m_axi_bvalid & run;
    assign m_axi_bready = unit_m_axi_bready & run;
    assign m_axi_mem_awvalid = unit_m_axi_mem_awvalid & run;
    assign unit_m_axi_mem_awready = m_axi_mem_awready & run;
    assign m_axi_mem_wvalid = unit_m_axi_mem_wvalid & run;
    assign unit_m_axi_mem_wready = m_axi_mem_wready & run;
    assign unit_m_axi_mem_bvalid = m_axi_mem_bvalid & run;
    assign m_axi_mem_bready = unit_m_axi_mem_bready & run;
    assign m_axi_mem_arvalid = unit_m_axi_mem_arvalid & run;
    assign unit_m_axi_mem_arready = m_axi_mem_arready & run;
    assign unit_m_axi_mem_rvalid = m_axi_mem_rvalid & run;
    assign m_axi_mem_rready = unit_m_axi_mem_rready & run;

    assign m_axi_arid = 1'b0;
    assign m_axi_araddr = 64'd0;
    assign m_axi_arlen = 8'd0;
    assign m_axi_arsize = 3'd6;
    assign m_axi_arburst = 2'b01;
    assign m_axi_arlock = 1'b0;
    assign m_axi_arcache = 4'd0;
    assign m_axi_arprot = 3'd0;
    assign m_axi_arvalid = 1'b0;
    assign m_axi_rready = 1'b1;
    // Named so that lint knows: nothing is read through the master.
    wire unused = &{
        1'b0, m_axi_arready, m_axi_rid, m_axi_rdata, m_axi_rresp, m_axi_rlast, m_axi_rvalid
    };

    TmuTop unit (
        .clock(aclk),
        .reset(reset),
        .s_axil_awaddr(s_axil_awaddr),
        .s_axil_awprot(s_axil_awprot),
        .s_axil_awvalid(unit_s_axil_awvalid),
        .s_axil_awready(unit_s_axil_awready),
        .s_axil_wdata(s_axil_wdata),
        .s_axil_wstrb(s_axil_wstrb),
        .s_axil_wvalid(unit_s_axil_wvalid),
        .s_axil_wready(unit_s_axil_wready),
        .s_axil_bresp(s_axil_bresp),
        .s_axil_bvalid(unit_s_axil_bvalid),
        .s_axil_bready(unit_s_axil_bready),
        .s_axil_araddr(s_axil_araddr),
        .s_axil_arprot(s_axil_arprot),
        .s_axil_arvalid(unit_s_axil_arvalid),
        .s_axil_arready(unit_s_axil_arready),
        .s_axil_rdata(s_axil_rdata),
        .s_axil_rresp(s_axil_rresp),
        .s_axil_rvalid(unit_s_axil_rvalid),
        .s_axil_rready(unit_s_axil_rready),
        .s_axi_awid(s_axi_awid),
        .s_axi_awaddr(s_axi_awaddr),
        .s_axi_awlen(s_axi_awlen),
        .s_axi_awsize(s_axi_awsize),
        .s_axi_awburst(s_axi_awburst),
        .s_axi_awlock(s_axi_awlock),
        .s_axi_awcache(s_axi_awcache),
        .s_axi_awprot(s_axi_awprot),
        .s_axi_awvalid(unit_s_axi_awvalid),
        .s_axi_awready(unit_s_axi_awready),
        .s_axi_wdata(s_axi_wdata),
        .s_axi_wstrb(s_axi_wstrb),
        .s_axi_wlast(s_axi_wlast),
        .s_axi_wvalid(unit_s_axi_wvalid),
        .s_axi_wready(unit_s_axi_wready),
        .s_axi_bid(s_axi_bid),
        .s_axi_bresp(s_axi_bresp),
        .s_axi_bvalid(unit_s_axi_bvalid),
        .s_axi_bready(unit_s_axi_bready),
        .s_axi_arid(s_axi_arid),
        .s_axi_araddr(s_axi_araddr),
        .s_axi_arlen(s_axi_arlen),
        .s_axi_arsize(s_axi_arsize),
        .s_axi_arburst(s_axi_arburst),
        .s_axi_arlock(s_axi_arlock),
        .s_axi_arcache(s_axi_arcache),
        .s_axi_arprot(s_axi_arprot),
        .s_axi_arvalid(unit_s_axi_arvalid),
        .s_axi_arready(unit_s_axi_arready),
        .s_axi_rid(s_axi_rid),
        .s_axi_rdata(s_axi_rdata),
        .s_axi_rresp(s_axi_rresp),
        .s_axi_rlast(s_axi_rlast),
        .s_axi_rvalid(unit_s_axi_rvalid),
        .s_axi_rready(unit_s_axi_rready),
        .m_axi_awid(m_axi_awid),
        .m_axi_awaddr(m_axi_awaddr),
        .m_axi_awlen(m_axi_awlen),
        .m_axi_awsize(m_axi_awsize),
        .m_axi_awburst(m_axi_awburst),
        .m_axi_awlock(m_axi_awlock),
        .m_axi_awcache(m_axi_awcache),
        .m_axi_awprot(m_axi_awprot),
        .m_axi_awvalid(unit_m_axi_awvalid),
        .m_axi_awready(unit_m_axi_awready),
        .m_axi_wdata(m_axi_wdata),
        .m_axi_wstrb(m_axi_wstrb),
        .m_axi_wlast(m_axi_wlast),
        .m_axi_wvalid(unit_m_axi_wvalid),
        .m_axi_wready(unit_m_axi_wready),
        .m_axi_bid(m_axi_bid),
        .m_axi_bresp(m_axi_bresp),
        .m_axi_bvalid(unit_m_axi_bvalid),
        .m_axi_bready(unit_m_axi_bready),
        .m_axi_mem_awid(m_axi_mem_awid),
        .m_axi_mem_awaddr(m_axi_mem_awaddr),
        .m_axi_mem_awlen(m_axi_mem_awlen),
        .m_axi_mem_awsize(m_axi_mem_awsize),
        .m_axi_mem_awburst(m_axi_mem_awburst),
        .m_axi_mem_awlock(m_axi_mem_awlock),
        .m_axi_mem_awcache(m_axi_mem_awcache),
        .m_axi_mem_awprot(m_axi_mem_awprot),
        .m_axi_mem_awvalid(unit_m_axi_mem_awvalid),
        .m_axi_mem_awready(unit_m_axi_mem_awready),
        .m_axi_mem_wdata(m_axi_mem_wdata),
        .m_axi_mem_wstrb(m_axi_mem_wstrb),
        .m_axi_mem_wlast(m_axi_mem_wlast),
        .m_axi_mem_wvalid(unit_m_axi_mem_wvalid),
        .m_axi_mem_wready(unit_m_axi_mem_wready),
        .m_axi_mem_bid(m_axi_mem_bid),
        .m_axi_mem_bresp(m_axi_mem_bresp),
        .m_axi_mem_bvalid(unit_m_axi_mem_bvalid),
        .m_axi_mem_bready(unit_m_axi_mem_bready),
        .m_axi_mem_arid(m_axi_mem_arid),
        .m_axi_mem_araddr(m_axi_mem_araddr),
        .m_axi_mem_arlen(m_axi_mem_arlen),
        .m_axi_mem_arsize(m_axi_mem_arsize),
        .m_axi_mem_arburst(m_axi_mem_arburst),
        .m_axi_mem_arlock(m_axi_mem_arlock),
        .m_axi_mem_arcache(m_axi_mem_arcache),
        .m_axi_mem_arprot(m_axi_mem_arprot),
        .m_axi_mem_arvalid(unit_m_axi_mem_arvalid),
        .m_axi_mem_arready(unit_m_axi_mem_arready),
        .m_axi_mem_rid(m_axi_mem_rid),
        .m_axi_mem_rdata(m_axi_mem_rdata),
        .m_axi_mem_rresp(m_axi_mem_rresp),
        .m_axi_mem_rlast(m_axi_mem_rlast),
        .m_axi_mem_rvalid(unit_m_axi_mem_rvalid),
        .m_axi_mem_rready(unit_m_axi_mem_rready)
    );
endmodule
`default_nettype wire
