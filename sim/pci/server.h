// SPDX-License-Identifier: Apache-2.0
// A socket at which one client after the other has the unit.
#pragma once

#include "device.h"
#include "session.h"

#include <cstdio>
#include <list>
#include <optional>
#include <stdexcept>
#include <string>

namespace vfu {

// The socket cannot be had; the text says why.
struct SocketFailure : std::runtime_error {
    using std::runtime_error::runtime_error;
};

struct ServerCounts {
    uint64_t turned_away = 0; // while another one had the unit
    uint64_t dropped = 0;     // for what they did
    uint64_t naps = 0;        // times that there was nothing to do
};

class Server {
  public:
    // Remarks go to `messages`; nullptr is nowhere.
    Server(Device &device, const std::string &path, std::FILE *messages);
    ~Server();
    Server(const Server &) = delete;
    Server &operator=(const Server &) = delete;

    // Serves until `wake` can be read; what it says is the caller's business.
    void serve(int wake);

    // One line of JSON.
    void report(std::FILE *file) const;

  private:
    void accept();
    void drop(const std::string &problem);
    void end_session(const std::string &problem);
    void hear_others();
    void poll(int wake, bool &woken);
    void say(const std::string &text) const;

    Device &device_;
    std::string path_;
    std::FILE *messages_;
    Descriptor listener_;
    std::optional<Session> session_;
    std::list<Channel> others_; // whose first message is not there yet
    SessionCounts session_counts_;
    ServerCounts counts_;
};

} // namespace vfu
