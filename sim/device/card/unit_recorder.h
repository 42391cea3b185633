// SPDX-License-Identifier: Apache-2.0
// Record of a card's matching unit: a trace and its verdicts (unit_record.h), for nobody else sees
// every arrival.  unit_monitor.sv tells of commands and verdicts.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <unordered_map>

extern "C" {
#include "tmu_model.h"
#include "unit_record.h"
}

namespace device {

class UnitRecorder {
  public:
    struct Command {
        uint8_t opcode;
        uint32_t endpoint;
        tmu_model_key_t key;
        uint64_t handle;
        uint64_t length;
        uint32_t id;
    };

    // Writes STEM.trace and STEM.verdicts; a sentence in `error` where they cannot be made.
    UnitRecorder(const std::string &stem, std::string &error);
    ~UnitRecorder();
    UnitRecorder(const UnitRecorder &) = delete;
    UnitRecorder &operator=(const UnitRecorder &) = delete;

    // Ends what is written, unless the unit has decided nothing yet.
    void end() { unit_record_reset(record_); }
    // The same, and commands under way are gone.
    void reset();
    void command(unsigned port, const Command &command);
    void verdict(unsigned port, uint8_t status, uint64_t other, bool truncated);
    // Writes what is buffered; false when not all of it could be written.
    bool close();

  private:
    void write(const Command &command, tmu_model_verdict_t &verdict);

    unit_record_t *record_;
    uint64_t next_ = 0;
    std::deque<Command> waiting_[2]; // for their verdicts, by port
    // A receive's handle is the host's, and of 64 bits; the record numbers handles from 0.
    std::unordered_map<uint64_t, uint64_t> receives_;
};

// The recorder of the unit whose clock runs on this thread; null where nothing is recorded.
extern thread_local UnitRecorder *recorder;

} // namespace device
