// SPDX-License-Identifier: Apache-2.0
#include "axi_agents.h"

#include <cstring>

namespace device {

namespace {
// Accepted writes that wait for their answer before an agent stops accepting.
constexpr size_t kDepthMax = 16;

Beat beat_of(const VlWide<16> &words) {
    Beat beat;
    for (unsigned i = 0; i < 16; ++i) {
        const uint32_t word = words[i];
        std::memcpy(beat.data() + 4 * i, &word, 4);
    }
    return beat;
}
} // namespace

void DoorbellAgent::drive(VTmuTop &top, Pauses &pauses) {
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

void DoorbellAgent::sample(VTmuTop &top) {
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

void MemoryAgent::drive(VTmuTop &top, Pauses &pauses) {
    top.m_axi_awready = addresses_.size() < kDepthMax && !pauses.pause(kMemoryAw);
    top.m_axi_wready = beats_.size() < kDepthMax && !pauses.pause(kMemoryW);
    if (!answers_.empty() && !pauses.pause(kMemoryB)) {
        answer_offered_ = true;
    }
    top.m_axi_bvalid = answer_offered_;
    top.m_axi_bresp = answers_.empty() ? kOkay : answers_.front();
    top.m_axi_bid = 0;
}

bool MemoryAgent::sample(VTmuTop &top) {
    if (top.m_axi_bvalid && top.m_axi_bready) {
        answers_.pop_front();
        answer_offered_ = false;
    }
    if (top.m_axi_awvalid && top.m_axi_awready) {
        addresses_.push_back(top.m_axi_awaddr);
    }
    if (top.m_axi_wvalid && top.m_axi_wready) {
        beats_.push_back(Data{beat_of(top.m_axi_wdata), top.m_axi_wstrb});
    }
    bool wrote = false;
    while (!addresses_.empty() && !beats_.empty()) {
        const bool stored =
            memory_.write(addresses_.front(), beats_.front().data, beats_.front().strobes);
        answers_.push_back(stored ? kOkay : kDecodeError);
        wrote = wrote || stored;
        if (listener_) {
            listener_(addresses_.front(), stored);
        }
        addresses_.pop_front();
        beats_.pop_front();
    }
    return wrote;
}

void SpillAgent::drive(VTmuTop &top, Pauses &pauses) {
    memory_.drive(pins_, pauses);
    top.m_axi_mem_awready = pins_.awready;
    top.m_axi_mem_wready = pins_.wready;
    top.m_axi_mem_bid = pins_.bid;
    top.m_axi_mem_bresp = pins_.bresp;
    top.m_axi_mem_bvalid = pins_.bvalid;
    top.m_axi_mem_arready = pins_.arready;
    top.m_axi_mem_rid = pins_.rid;
    top.m_axi_mem_rresp = pins_.rresp;
    top.m_axi_mem_rlast = pins_.rlast;
    top.m_axi_mem_rvalid = pins_.rvalid;
    for (unsigned i = 0; i < 16; ++i) {
        uint32_t word = 0;
        std::memcpy(&word, pins_.rdata.data() + 4 * i, 4);
        top.m_axi_mem_rdata[i] = word;
    }
}

void SpillAgent::sample(VTmuTop &top, Pauses &pauses) {
    pins_.awid = top.m_axi_mem_awid;
    pins_.awaddr = top.m_axi_mem_awaddr;
    pins_.awlen = top.m_axi_mem_awlen;
    pins_.awsize = top.m_axi_mem_awsize;
    pins_.awburst = top.m_axi_mem_awburst;
    pins_.awvalid = top.m_axi_mem_awvalid;
    pins_.wdata = beat_of(top.m_axi_mem_wdata);
    pins_.wstrb = top.m_axi_mem_wstrb;
    pins_.wlast = top.m_axi_mem_wlast;
    pins_.wvalid = top.m_axi_mem_wvalid;
    pins_.bready = top.m_axi_mem_bready;
    pins_.arid = top.m_axi_mem_arid;
    pins_.araddr = top.m_axi_mem_araddr;
    pins_.arlen = top.m_axi_mem_arlen;
    pins_.arsize = top.m_axi_mem_arsize;
    pins_.arburst = top.m_axi_mem_arburst;
    pins_.arvalid = top.m_axi_mem_arvalid;
    pins_.rready = top.m_axi_mem_rready;
    memory_.sample(pins_, pauses);
}

} // namespace device
