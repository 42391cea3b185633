// SPDX-License-Identifier: Apache-2.0
// The other end of a card's Ethernet ports: a link, whose frames come and go in real time.
#pragma once

#include "pauses.h"
#include "sim_top.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

extern "C" {
#include "link.h"
}

namespace device {

// A link outlives resets of the card.
using Link = std::unique_ptr<link_t, void (*)(link_t *)>;

class NetworkPort {
  public:
    // Without a link nothing comes, and what leaves is lost.
    explicit NetworkPort(link_t *link) : link_(link) {}

    void drive(Top &top, Pauses &pauses);
    void sample(const Top &top);

    // Whether a frame has come or gone since this was asked last.
    bool take_moved();
    bool has_moved() const { return moved_; }
    // Why no more frames come; empty while they may.
    const std::string &problem() const { return problem_; }

  private:
    void look();
    void send();

    link_t *link_;
    const uint8_t *frame_ = nullptr; // that is coming in, the link's until the next one
    size_t bytes_ = 0;
    size_t taken_ = 0;
    bool offered_ = false; // AXI: what is offered stays offered until it is taken
    unsigned wait_ = 0;    // clocks until the link is looked at again
    std::vector<uint8_t> leaving_;
    bool moved_ = false;
    std::string problem_;
};

} // namespace device
