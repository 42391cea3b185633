// SPDX-License-Identifier: Apache-2.0
#include "network_port.h"

#include <algorithm>

namespace device {

namespace {
constexpr unsigned kLookClocks = 16; // the link is asked no more often than that
constexpr unsigned kFrameMin = 60;   // bytes, without the check sequence
} // namespace

// Takes the next frame, if there is one, and has those written that wait.
void NetworkPort::look() {
    wait_ = kLookClocks;
    if (link_waits(link_)) {
        (void)link_flush(link_);
    }
    switch (link_receive(link_, &frame_, &bytes_)) {
    case LINK_FRAME:
        taken_ = 0;
        moved_ = true;
        return;
    case LINK_BROKEN:
        problem_ = std::string("link: ") + link_error(link_);
        break;
    case LINK_CLOSED: // as when a cable is pulled: peers are silent
        link_ = nullptr;
        break;
    case LINK_NOTHING:
        break;
    }
    frame_ = nullptr;
}

void NetworkPort::drive(Top &top, Pauses &pauses) {
    if (frame_ == nullptr && link_ != nullptr && problem_.empty() && wait_-- == 0) {
        look();
    }
    if (frame_ != nullptr && !pauses.pause(kNetworkRx)) {
        offered_ = true;
    }
    top.s_axis_rx_tvalid = offered_;
    if (offered_) {
        const size_t bytes = std::min<size_t>(bytes_ - taken_, kBeatBytes);
        Beat beat{};
        std::copy_n(frame_ + taken_, bytes, beat.begin());
        set_beat(top.s_axis_rx_tdata, beat);
        top.s_axis_rx_tkeep = bytes == kBeatBytes ? ~uint64_t{0} : (uint64_t{1} << bytes) - 1;
        top.s_axis_rx_tlast = taken_ + bytes == bytes_;
        top.s_axis_rx_tuser = 0;
    }
    top.m_axis_tx_tready = !pauses.pause(kNetworkTx);
}

void NetworkPort::sample(const Top &top) {
    if (top.s_axis_rx_tvalid && top.s_axis_rx_tready) {
        offered_ = false;
        taken_ += kBeatBytes;
        if (taken_ >= bytes_) {
            frame_ = nullptr;
            wait_ = 0;
        }
    }
    if (top.m_axis_tx_tvalid && top.m_axis_tx_tready) {
        const Beat beat = beat_of(top.m_axis_tx_tdata);
        for (unsigned i = 0; i < kBeatBytes; ++i) {
            if (top.m_axis_tx_tkeep >> i & 1) {
                leaving_.push_back(beat[i]);
            }
        }
        if (top.m_axis_tx_tlast) {
            send();
        }
    }
}

void NetworkPort::send() {
    if (leaving_.size() < kFrameMin && problem_.empty()) {
        problem_ =
            "network: a frame of " + std::to_string(leaving_.size()) + " bytes left the card";
    }
    if (link_ != nullptr) {
        (void)link_send(link_, leaving_.data(), leaving_.size()); // or lost, as on a wire
    }
    moved_ = true;
    leaving_.clear();
}

bool NetworkPort::take_moved() {
    const bool moved = moved_;
    moved_ = false;
    return moved;
}

} // namespace device
