// SPDX-License-Identifier: Apache-2.0
#include "axi_agents.h"

#include <cstring>

namespace device {

namespace {
// How many accepted writes wait for their answer before an agent stops accepting.
constexpr size_t kDepthMax = 16;
constexpr uint8_t kOkay = 0;
constexpr uint8_t kDecodeError = 3;
enum Channel : unsigned { kAw, kW, kB, kMemoryAw, kMemoryW, kMemoryB };
} // namespace

bool Pauses::pause(unsigned channel) {
    if (!enabled_)
        return false;
    if (left_[channel] == 0) {
        pausing_[channel] = !pausing_[channel];
        const uint64_t draw = random_();
        // Mostly short runs; one in 32 is long.
        left_[channel] = static_cast<uint16_t>(1 + draw % ((draw >> 32) % 32 == 0 ? 64 : 6));
    }
    --left_[channel];
    return pausing_[channel];
}

void DoorbellAgent::drive(VTmuTop &top, Pauses &pauses) {
    const bool any = !waiting_.empty();
    if (any && !address_taken_ && !pauses.pause(kAw))
        address_offered_ = true;
    if (any && !data_taken_ && !pauses.pause(kW))
        data_offered_ = true;
    top.s_axi_awvalid = address_offered_;
    top.s_axi_wvalid = data_offered_;
    if (any) {
        const Write &write = waiting_.front();
        const unsigned lane = static_cast<unsigned>(write.address % 64);
        top.s_axi_awaddr = static_cast<uint32_t>(write.address);
        top.s_axi_awsize = write.size == 64 ? 6 : 2;
        top.s_axi_wstrb = write.size == 64 ? ~0ull : 0xfull << lane;
        for (unsigned i = 0; i < 16; ++i)
            top.s_axi_wdata[i] = 0;
        for (unsigned i = 0; i < write.size / 4; ++i)
            top.s_axi_wdata[(lane / 4 + i) % 16] = write.data[i];
    }
    top.s_axi_awid = 0;
    top.s_axi_awlen = 0;
    top.s_axi_awburst = 1;
    top.s_axi_wlast = 1;
    top.s_axi_bready = !pauses.pause(kB);
    top.s_axi_arvalid = 0;
    top.s_axi_rready = 1;
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
    }
}

void MemoryAgent::add(uint64_t address, uint8_t *memory, size_t bytes) {
    regions_[address] = Region{memory, bytes};
}

void MemoryAgent::remove(const uint8_t *memory) {
    for (auto it = regions_.begin(); it != regions_.end(); ++it)
        if (it->second.memory == memory) {
            regions_.erase(it);
            return;
        }
}

bool MemoryAgent::store(uint64_t address, const VlWide<16> &data, uint64_t strobes) {
    auto it = regions_.upper_bound(address);
    if (it == regions_.begin())
        return false;
    --it;
    const uint64_t offset = address - it->first;
    if (offset + 64 > it->second.bytes)
        return false;
    uint8_t *target = it->second.memory + offset;
    uint8_t bytes[64];
    for (unsigned i = 0; i < 16; ++i) {
        const uint32_t word = data[i];
        std::memcpy(bytes + 4 * i, &word, 4);
    }
    for (unsigned i = 0; i < 64; ++i)
        if (strobes >> i & 1)
            target[i] = bytes[i];
    return true;
}

void MemoryAgent::drive(VTmuTop &top, Pauses &pauses) {
    top.m_axi_awready = addresses_.size() < kDepthMax && !pauses.pause(kMemoryAw);
    top.m_axi_wready = beats_.size() < kDepthMax && !pauses.pause(kMemoryW);
    if (!answers_.empty() && !pauses.pause(kMemoryB))
        answer_offered_ = true;
    top.m_axi_bvalid = answer_offered_;
    top.m_axi_bresp = answers_.empty() ? kOkay : answers_.front();
    top.m_axi_bid = 0;
}

bool MemoryAgent::sample(VTmuTop &top) {
    if (top.m_axi_bvalid && top.m_axi_bready) {
        answers_.pop_front();
        answer_offered_ = false;
    }
    if (top.m_axi_awvalid && top.m_axi_awready)
        addresses_.push_back(top.m_axi_awaddr);
    if (top.m_axi_wvalid && top.m_axi_wready)
        beats_.push_back(Beat{top.m_axi_wdata, top.m_axi_wstrb});
    bool wrote = false;
    while (!addresses_.empty() && !beats_.empty()) {
        const bool stored = store(addresses_.front(), beats_.front().data, beats_.front().strobes);
        answers_.push_back(stored ? kOkay : kDecodeError);
        wrote = wrote || stored;
        addresses_.pop_front();
        beats_.pop_front();
    }
    return wrote;
}

} // namespace device
