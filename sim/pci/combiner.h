// SPDX-License-Identifier: Apache-2.0
// Commands that come in pieces: a virtual machine passes a write of 64 bytes on as eight of 8, as a
// processor without such writes would fill a write-combining buffer.
#pragma once

#include <array>
#include <cstdint>
#include <map>

namespace vfu {

class Combiner {
  public:
    static constexpr unsigned kCommandBytes = 64;
    using Command = std::array<uint8_t, kCommandBytes>;

    // Takes a piece of 4 or 8 bytes at a multiple of its size; the command, if this was what it
    // lacked, otherwise nullptr.  One command of a page is put together at a time: a piece of
    // another one, or one that is there already, starts anew, and what had come is lost.
    const Command *add(uint64_t offset, const uint8_t *data, unsigned size);
    void clear() { commands_.clear(); }

    // The page is configured: what had come of a command was its last owner's, and is lost (R13).
    void forget(uint32_t page);

    uint64_t lost() const { return lost_; }

  private:
    struct Partial {
        uint64_t offset = 0; // of the command
        uint16_t have = 0;   // a bit for each 4 bytes
        Command data{};
    };
    std::map<uint64_t, Partial> commands_; // by page
    uint64_t lost_ = 0;
};

} // namespace vfu
