// SPDX-License-Identifier: Apache-2.0
#include "network.h"

#include "network_port.h"
#include "unit_recorder.h"

#include <unistd.h>

namespace device {

struct Network::State {
    Link link{nullptr, link_close};
    std::unique_ptr<NetworkPort> port;
    std::unique_ptr<UnitRecorder> recorder;
    pid_t process = getpid(); // a child of fork has its parent's link
    bool used = false;        // a frame has moved
};

Network::Network() : state_(std::make_unique<State>()) { reset(); }

Network::~Network() = default;

std::string Network::open(const Options &options) {
    if (!options.link.empty()) {
        char reason[LINK_ERROR_BYTES] = "";
        state_->link.reset(link_connect(options.link.c_str(), reason));
        if (!state_->link) {
            return std::string("link: ") + reason;
        }
    }
    std::string error;
    if (!options.record.empty()) {
        state_->recorder = std::make_unique<UnitRecorder>(options.record, error);
    }
    return error;
}

void Network::reset() {
    state_->port = std::make_unique<NetworkPort>(state_->link.get());
    if (state_->recorder) {
        state_->recorder->reset();
    }
}

void Network::software_reset() {
    if (state_->recorder) {
        state_->recorder->end();
    }
}

void Network::enter() { recorder = state_->recorder.get(); }

void Network::drive(Top &top, Pauses &pauses) { state_->port->drive(top, pauses); }

void Network::sample(Top &top) { state_->port->sample(top); }

bool Network::take_moved() {
    const bool moved = state_->port->take_moved();
    state_->used = state_->used || moved;
    return moved;
}

std::string Network::problem() const { return state_->port->problem(); }

bool Network::is_busy() const {
    return state_->link && state_->process == getpid() &&
           (state_->used || state_->port->has_moved());
}

std::string Network::close() {
    recorder = nullptr;
    return state_->recorder && !state_->recorder->close() ? "the record could not be written" : "";
}

} // namespace device
