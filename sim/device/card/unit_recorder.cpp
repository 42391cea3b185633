// SPDX-License-Identifier: Apache-2.0
#include "unit_recorder.h"

#include "tmu/tmu_regs.h"

extern "C" {
#include "tmu_model_unit.h"
}

namespace device {

thread_local UnitRecorder *recorder = nullptr;

namespace {

constexpr unsigned kErrorBytes = 512;

// The model's status for the unit's; false for refusals, which decide nothing.
bool decided(uint8_t status, tmu_model_status_t &found) {
    for (const tmu_model_status_t model :
         {TMU_MODEL_MATCHED, TMU_MODEL_QUEUED, TMU_MODEL_FOUND, TMU_MODEL_NONE, TMU_MODEL_CANCELLED,
          TMU_MODEL_LATE, TMU_MODEL_FLUSHED}) {
        if (tmu_model_unit_status(model) == status) {
            found = model;
            return true;
        }
    }
    return false;
}

} // namespace

UnitRecorder::UnitRecorder(const std::string &stem, std::string &error) {
    char reason[kErrorBytes] = "";
    record_ = unit_record_open(stem.c_str(), reason, sizeof reason);
    error = reason;
}

UnitRecorder::~UnitRecorder() { (void)close(); }

bool UnitRecorder::close() {
    const bool well = unit_record_close(record_);
    record_ = nullptr;
    return well;
}

void UnitRecorder::reset() {
    unit_record_reset(record_);
    for (auto &waiting : waiting_) {
        waiting.clear();
    }
}

void UnitRecorder::command(unsigned port, const Command &command) {
    waiting_[port].push_back(command);
}

void UnitRecorder::verdict(unsigned port, uint8_t status, uint64_t other, bool truncated) {
    if (waiting_[port].empty() || status == TMU_STATUS_REMOVED) {
        return; // of a flush that goes on
    }
    const Command command = waiting_[port].front();
    waiting_[port].pop_front();
    tmu_model_verdict_t verdict{};
    verdict.other = other;
    verdict.truncated = truncated;
    if (command.opcode != TMU_OPCODE_INSPECT && decided(status, verdict.status)) {
        write(command, verdict);
    }
}

void UnitRecorder::write(const Command &command, tmu_model_verdict_t &verdict) {
    switch (command.opcode) {
    case TMU_OPCODE_POST: {
        tmu_model_receive_t receive{};
        receive.endpoint = command.endpoint;
        receive.key = command.key;
        receive.handle = receives_[command.handle] = next_++;
        receive.receive_id = command.id;
        receive.length = command.length;
        unit_record_post(record_, &receive, &verdict);
        break;
    }
    case TMU_OPCODE_ARRIVE: {
        tmu_model_message_t message{};
        message.endpoint = command.endpoint;
        message.match = command.key.match;
        message.source = command.key.source;
        message.handle = command.handle;
        message.length = command.length;
        if (verdict.status == TMU_MODEL_MATCHED) {
            verdict.other = receives_[verdict.other];
        }
        unit_record_arrive(record_, &message, &verdict);
        break;
    }
    case TMU_OPCODE_CANCEL:
        if (verdict.status == TMU_MODEL_CANCELLED) {
            verdict.other = receives_[verdict.other];
        }
        unit_record_cancel(record_, command.endpoint, command.id, &verdict);
        break;
    default: {
        tmu_model_search_t search{};
        search.endpoint = command.endpoint;
        search.key = command.key;
        if (command.opcode == TMU_OPCODE_FLUSH) {
            verdict.removed_posted = static_cast<uint32_t>(verdict.other);
            verdict.removed_unexpected = verdict.other >> 32;
        }
        unit_record_search(record_, &search, command.opcode, &verdict);
        break;
    }
    }
}

} // namespace device

extern "C" void tmu_monitor_command(int port, int opcode, int endpoint, long long match, int source,
                                    long long match_ignore, int source_ignore, long long handle,
                                    long long length, int id) {
    if (device::recorder == nullptr) {
        return;
    }
    device::UnitRecorder::Command command{};
    command.opcode = static_cast<uint8_t>(opcode);
    command.endpoint = static_cast<uint32_t>(endpoint);
    command.key.match = static_cast<uint64_t>(match);
    command.key.source = static_cast<uint32_t>(source);
    command.key.ignore = static_cast<uint64_t>(match_ignore);
    command.key.source_ignore = static_cast<uint32_t>(source_ignore);
    command.handle = static_cast<uint64_t>(handle);
    command.length = static_cast<uint64_t>(length);
    command.id = static_cast<uint32_t>(id);
    device::recorder->command(static_cast<unsigned>(port), command);
}

extern "C" void tmu_monitor_verdict(int port, int status, long long other, int truncated) {
    if (device::recorder != nullptr) {
        device::recorder->verdict(static_cast<unsigned>(port), static_cast<uint8_t>(status),
                                  static_cast<uint64_t>(other), truncated != 0);
    }
}
