// SPDX-License-Identifier: Apache-2.0
#include "axi_agents.h"

namespace device {

void DoorbellAgent::drive(Top &top, Pauses &pauses) {
    const bool any = !waiting_.empty();
    if (any && !address_taken_ && !pauses.pause(kAw)) {
        address_offered_ = true;
    }
    if (any && !data_taken_ && !pauses.pause(kW)) {
        data_offered_ = true;
    }
    top.s_axi_awvalid = address_offered_;
    top.s_axi_wvalid = data_offered_;
    if (any) {
        const Write &write = waiting_.front();
        const unsigned lane = static_cast<unsigned>(write.address % 64);
        top.s_axi_awaddr = static_cast<uint32_t>(write.address);
        top.s_axi_awsize = write.size == 64 ? 6 : 2;
        top.s_axi_wstrb = write.size == 64 ? ~0ull : 0xfull << lane;
        for (unsigned i = 0; i < 16; ++i) {
            top.s_axi_wdata[i] = 0;
        }
        for (unsigned i = 0; i < write.size / 4; ++i) {
            top.s_axi_wdata[(lane / 4 + i) % 16] = write.data[i];
        }
    }
    top.s_axi_awid = 0;
    top.s_axi_awlen = 0;
    top.s_axi_awburst = 1;
    top.s_axi_wlast = 1;
    top.s_axi_bready = !pauses.pause(kB);
    if (read_ == Read::kWaits && !any && unanswered_ == 0 && !pauses.pause(kAr)) {
        read_ = Read::kOffered;
    }
    top.s_axi_arvalid = read_ == Read::kOffered;
    top.s_axi_araddr = static_cast<uint32_t>(read_address_);
    top.s_axi_arid = 0;
    top.s_axi_arlen = 0;
    top.s_axi_arsize = 3;
    top.s_axi_arburst = 1;
    top.s_axi_rready = read_ == Read::kTaken && !pauses.pause(kR);
}

void DoorbellAgent::read(uint64_t address) {
    read_address_ = address;
    read_ = Read::kWaits;
}

bool DoorbellAgent::answered(uint64_t &value, int &response) const {
    value = read_value_;
    response = read_response_;
    return read_ == Read::kAnswered;
}

void DoorbellAgent::sample(Top &top) {
    if (top.s_axi_awvalid && top.s_axi_awready) {
        address_taken_ = true;
        address_offered_ = false;
    }
    if (top.s_axi_wvalid && top.s_axi_wready) {
        data_taken_ = true;
        data_offered_ = false;
    }
    if (address_taken_ && data_taken_) {
        waiting_.pop_front();
        address_taken_ = data_taken_ = false;
        ++unanswered_;
    }
    if (top.s_axi_bvalid && top.s_axi_bready) {
        --unanswered_;
    }
    if (top.s_axi_arvalid && top.s_axi_arready) {
        read_ = Read::kTaken;
    }
    if (top.s_axi_rvalid && top.s_axi_rready) {
        const unsigned word = static_cast<unsigned>(read_address_ % 64) / 4;
        read_value_ = uint64_t{top.s_axi_rdata[word + 1]} << 32 | top.s_axi_rdata[word];
        read_response_ = top.s_axi_rresp;
        read_ = Read::kAnswered;
    }
}

// The ports to memory have the same signals under two names.
#define DRIVE_WRITES(port)                                                                         \
    do {                                                                                           \
        top.port##_awready = pins_.awready;                                                        \
        top.port##_wready = pins_.wready;                                                          \
        top.port##_bid = pins_.bid;                                                                \
        top.port##_bresp = pins_.bresp;                                                            \
        top.port##_bvalid = pins_.bvalid;                                                          \
    } while (false)
#define DRIVE_READS(port)                                                                          \
    do {                                                                                           \
        top.port##_arready = pins_.arready;                                                        \
        top.port##_rid = pins_.rid;                                                                \
        top.port##_rresp = pins_.rresp;                                                            \
        top.port##_rlast = pins_.rlast;                                                            \
        top.port##_rvalid = pins_.rvalid;                                                          \
        set_beat(top.port##_rdata, pins_.rdata);                                                   \
    } while (false)
#define SAMPLE_WRITES(port)                                                                        \
    do {                                                                                           \
        pins_.awid = top.port##_awid;                                                              \
        pins_.awaddr = top.port##_awaddr;                                                          \
        pins_.awlen = top.port##_awlen;                                                            \
        pins_.awsize = top.port##_awsize;                                                          \
        pins_.awburst = top.port##_awburst;                                                        \
        pins_.awvalid = top.port##_awvalid;                                                        \
        pins_.wdata = beat_of(top.port##_wdata);                                                   \
        pins_.wstrb = top.port##_wstrb;                                                            \
        pins_.wlast = top.port##_wlast;                                                            \
        pins_.wvalid = top.port##_wvalid;                                                          \
        pins_.bready = top.port##_bready;                                                          \
    } while (false)
#define SAMPLE_READS(port)                                                                         \
    do {                                                                                           \
        pins_.arid = top.port##_arid;                                                              \
        pins_.araddr = top.port##_araddr;                                                          \
        pins_.arlen = top.port##_arlen;                                                            \
        pins_.arsize = top.port##_arsize;                                                          \
        pins_.arburst = top.port##_arburst;                                                        \
        pins_.arvalid = top.port##_arvalid;                                                        \
        pins_.rready = top.port##_rready;                                                          \
    } while (false)

void HostAgent::drive(Top &top, Pauses &pauses) {
    memory_.drive(pins_, pauses);
    DRIVE_WRITES(m_axi);
#if TMU_SIM_CARD
    DRIVE_READS(m_axi);
#endif
}

void HostAgent::sample(Top &top, Pauses &pauses) {
    SAMPLE_WRITES(m_axi);
#if TMU_SIM_CARD
    SAMPLE_READS(m_axi);
#endif
    memory_.sample(pins_, pauses);
}

void SpillAgent::drive(Top &top, Pauses &pauses) {
    memory_.drive(pins_, pauses);
    DRIVE_WRITES(m_axi_mem);
    DRIVE_READS(m_axi_mem);
}

void SpillAgent::sample(Top &top, Pauses &pauses) {
    SAMPLE_WRITES(m_axi_mem);
    SAMPLE_READS(m_axi_mem);
    memory_.sample(pins_, pauses);
}

} // namespace device
