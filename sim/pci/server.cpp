// SPDX-License-Identifier: Apache-2.0
#include "server.h"

#include <cerrno>
#include <cinttypes>
#include <cstring>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <vector>

namespace vfu {

namespace {

constexpr int kBacklog = 16;
constexpr size_t kOthersMax = 16;

sockaddr_un address_of(const std::string &path) {
    sockaddr_un address{};
    if (path.empty() || path.size() >= sizeof address.sun_path) {
        throw SocketFailure("--socket: found a path of " + std::to_string(path.size()) +
                            " characters, expected 1 to " +
                            std::to_string(sizeof address.sun_path - 1));
    }
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, path.c_str(), path.size());
    return address;
}

Descriptor new_socket() {
    Descriptor made(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    if (!made) {
        throw SocketFailure(std::string("no socket: ") + std::strerror(errno));
    }
    return made;
}

// A socket that nobody listens at any more was left behind by a process that was killed.
void remove_stale(const sockaddr_un &address) {
    const Descriptor probe = new_socket();
    const auto *general = reinterpret_cast<const sockaddr *>(&address);
    if (::connect(probe.number(), general, sizeof address) == 0) {
        throw SocketFailure(std::string(address.sun_path) +
                            ": found another device that listens there");
    }
    if (errno == ECONNREFUSED) {
        (void)::unlink(address.sun_path);
    }
}

} // namespace

Server::Server(Device &device, const std::string &path, std::FILE *messages)
    : device_(device), path_(path), messages_(messages) {
    const sockaddr_un address = address_of(path);
    remove_stale(address);
    listener_ = new_socket();
    if (::bind(listener_.number(), reinterpret_cast<const sockaddr *>(&address), sizeof address) !=
            0 ||
        ::listen(listener_.number(), kBacklog) != 0) {
        throw SocketFailure(path + ": no socket can be made there: " + std::strerror(errno));
    }
}

Server::~Server() { (void)::unlink(path_.c_str()); }

void Server::say(const std::string &text) const {
    if (messages_ != nullptr) {
        (void)std::fprintf(messages_, "tmu-device: %s\n", text.c_str());
    }
}

void Server::accept() {
    Descriptor socket(::accept4(listener_.number(), nullptr, nullptr, SOCK_CLOEXEC));
    if (!socket) {
        return; // it went away before
    }
    // Those that wait have said nothing yet: the one that has been silent longest makes room.
    if (others_.size() == kOthersMax) {
        others_.pop_front();
    }
    others_.emplace_back(std::move(socket));
}

void Server::drop(const std::string &problem) {
    if (problem.empty()) {
        return; // it closed the connection
    }
    ++counts_.dropped;
    say("the client " + problem + "; it was dropped");
}

void Server::end_session(const std::string &problem) {
    drop(problem);
    session_.reset();
    device_.release();
}

// A connection gets the unit by its first message, if the unit is free, and is told if it is not:
// one that says nothing keeps nobody from it.
void Server::hear_others() {
    for (auto other = others_.begin(); other != others_.end();) {
        Message message;
        const Channel::Outcome outcome = other->receive(message);
        if (outcome == Channel::Outcome::kNothing) {
            ++other;
            continue;
        }
        if (outcome == Channel::Outcome::kEnd) {
            drop(other->problem());
        } else if (session_) {
            ++counts_.turned_away;
            (void)other->refuse(message.header, EBUSY);
        } else {
            session_.emplace(std::move(*other), device_, session_counts_);
            if (!session_->handle(message)) {
                end_session(session_->problem());
            }
        }
        other = others_.erase(other);
    }
}

void Server::poll(int wake, bool &woken) {
    std::vector<pollfd> sockets{{wake, POLLIN, 0}, {listener_.number(), POLLIN, 0}};
    if (session_) {
        sockets.push_back({session_->number(), POLLIN, 0});
    }
    for (const auto &other : others_) {
        sockets.push_back({other.number(), POLLIN, 0});
    }
    counts_.naps += device_.busy() ? 0 : 1;
    if (::poll(sockets.data(), sockets.size(), device_.busy() ? 0 : -1) <= 0) {
        return;
    }
    woken = sockets[0].revents != 0;
    // A client that is gone makes room before the next one is looked at; what it still wanted does
    // not count, as the unit is reset.
    if (session_ && (sockets[2].revents & POLLHUP) != 0) {
        end_session("");
    } else if (session_ && sockets[2].revents != 0 && !session_->serve()) {
        end_session(session_->problem());
    }
    if (sockets[1].revents != 0) {
        accept();
    }
    hear_others();
}

void Server::serve(int wake) {
    bool woken = false;
    while (!woken) {
        poll(wake, woken);
        if (DmaMap::taken_back() && session_) {
            end_session("took memory back that it had mapped for the unit");
        }
        if (device_.busy()) {
            device_.step();
        }
    }
}

void Server::report(std::FILE *file) const {
    const DeviceCounts &device = device_.counts();
    const struct {
        const char *name;
        uint64_t value;
    } figures[] = {
        {"clients", session_counts_.clients},
        {"clients_turned_away", counts_.turned_away},
        {"clients_dropped", counts_.dropped},
        {"messages", session_counts_.messages},
        {"messages_posted", session_counts_.posted},
        {"messages_refused", session_counts_.refused},
        {"register_reads", device.register_reads},
        {"register_writes", device.register_writes},
        {"register_errors", device.register_errors},
        {"page_reads", device.page_reads},
        {"page_reads_empty", device.page_reads_empty},
        {"commands", device.commands},
        {"commands_incomplete", device_.lost_pieces()},
        {"completions", device.completions},
        {"completions_refused", device.completions_refused},
        {"interrupts", device_.interrupts().raised()},
        {"resets", device.resets},
        {"clocks", device_.clock()},
        {"clocks_on_demand", device.clocks_on_demand},
        {"naps", counts_.naps},
    };
    (void)std::fprintf(file, "{\"preset\": \"%s\"", device_.preset());
    for (const auto &one : figures) {
        (void)std::fprintf(file, ", \"%s\": %" PRIu64, one.name, one.value);
    }
    (void)std::fputs("}\n", file);
    (void)std::fflush(file);
}

} // namespace vfu
