// SPDX-License-Identifier: Apache-2.0
#include "network.h"

namespace device {

struct Network::State {};

Network::Network() = default;
Network::~Network() = default;

std::string Network::open(const Options &options) {
    return options.link.empty() && options.record.empty()
               ? ""
               : "link and record are options of a card, and this library is of a unit without a "
                 "network side";
}

void Network::reset() {}
void Network::software_reset() {}
void Network::enter() {}
void Network::drive(Top &, Pauses &) {}
void Network::sample(Top &) {}
bool Network::take_moved() { return false; }
std::string Network::problem() const { return ""; }
bool Network::is_busy() const { return false; }
std::string Network::close() { return ""; }

} // namespace device
