// SPDX-License-Identifier: Apache-2.0
#include "interrupts.h"

#include <cerrno>
#include <fcntl.h>

namespace vfu {

int Interrupts::set(const vfu_irq_set_t &request, Message &message) {
    constexpr uint32_t kData = VFU_IRQ_DATA_NONE | VFU_IRQ_DATA_BOOL | VFU_IRQ_DATA_EVENTFD;
    const uint32_t data = request.flags & kData;
    if (request.index >= VFU_PCI_IRQS || (request.flags & ~kData) != VFU_IRQ_TRIGGER) {
        return EINVAL; // vectors cannot be masked here; the client does that with its eventfds
    }
    const unsigned vectors = request.index == VFU_IRQ_MSIX ? this->vectors() : 0;
    if (request.start > vectors || request.count > vectors - request.start) {
        return EINVAL;
    }
    const uint8_t *chosen = message.payload.data() + sizeof request;
    const size_t bytes = message.payload.size() - sizeof request;
    if (bytes != (data == VFU_IRQ_DATA_BOOL ? request.count : 0)) {
        return EINVAL;
    }
    if (data == VFU_IRQ_DATA_EVENTFD) {
        // As many as vectors, or none to let go of them.
        auto &sent = message.descriptors;
        if (!sent.empty() && sent.size() != request.count) {
            return EINVAL;
        }
        for (const auto &one : sent) { // whoever hands over something else must not stop the unit
            (void)::fcntl(one.number(), F_SETFL, ::fcntl(one.number(), F_GETFL) | O_NONBLOCK);
        }
        for (uint32_t i = 0; i < request.count; ++i) {
            eventfds_[request.start + i] = sent.empty() ? Descriptor() : std::move(sent[i]);
        }
        return 0;
    }
    if (data != VFU_IRQ_DATA_NONE && data != VFU_IRQ_DATA_BOOL) {
        return EINVAL;
    }
    if (data == VFU_IRQ_DATA_NONE && request.count == 0) {
        clear();
    }
    for (uint32_t i = 0; i < request.count; ++i) {
        if (data == VFU_IRQ_DATA_NONE || chosen[i] != 0) {
            raise(request.start + i);
        }
    }
    return 0;
}

void Interrupts::raise(uint32_t vector) {
    if (vector >= eventfds_.size() || !eventfds_[vector]) {
        return;
    }
    const uint64_t one = 1;
    // An eventfd whose count is full says already what there is to say.
    if (::write(eventfds_[vector].number(), &one, sizeof one) == sizeof one) {
        ++raised_;
    }
}

void Interrupts::clear() {
    for (auto &eventfd : eventfds_) {
        eventfd = Descriptor();
    }
}

} // namespace vfu
