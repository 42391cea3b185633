// SPDX-License-Identifier: Apache-2.0
#include "session.h"

#include "json.h"
#include "tmu/tmu_pci.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace vfu {

namespace {

// Messages between two steps of the unit: about as many commands as it takes in a step.
constexpr unsigned kMessagesMax = 16;

// The fixed part of a message, if that is all there is or, with `open`, if something may follow.
template <class Part> bool part_of(const Message &message, Part &part, bool open = false) {
    if (message.payload.size() < sizeof part || (!open && message.payload.size() > sizeof part)) {
        return false;
    }
    std::memcpy(&part, message.payload.data(), sizeof part);
    return true;
}

} // namespace

template <class Part> void Session::answer(const Part &part) {
    const auto *bytes = reinterpret_cast<const uint8_t *>(&part);
    answer_.insert(answer_.end(), bytes, bytes + sizeof part);
}

bool Session::serve() {
    for (unsigned i = 0; i < kMessagesMax && !over_; ++i) {
        Message message;
        const Channel::Outcome outcome = channel_.receive(message);
        if (outcome == Channel::Outcome::kNothing) {
            return true;
        }
        if (outcome == Channel::Outcome::kEnd) {
            problem_ = channel_.problem();
            return false;
        }
        if (!handle(message)) {
            return false;
        }
    }
    return !over_;
}

bool Session::handle(Message &message) {
    ++counts_.messages;
    counts_.posted += (message.header.flags & VFU_NO_REPLY) != 0 ? 1 : 0;
    answer_.clear();
    const int error = dispatch(message);
    counts_.refused += error != 0 ? 1 : 0;
    const bool sent = error != 0 ? channel_.refuse(message.header, error)
                                 : channel_.reply(message.header, answer_.data(), answer_.size());
    if (!sent) {
        problem_ = channel_.problem();
    }
    return sent && !over_;
}

int Session::dispatch(Message &message) {
    if (!agreed_ && message.header.command != VFU_VERSION) {
        return EINVAL;
    }
    switch (message.header.command) {
    case VFU_VERSION:
        return version(message);
    case VFU_DMA_MAP:
        return dma_map(message);
    case VFU_DMA_UNMAP:
        return dma_unmap(message);
    case VFU_DEVICE_GET_INFO:
        return device_info(message);
    case VFU_DEVICE_GET_REGION_INFO:
        return region_info(message);
    case VFU_DEVICE_GET_IRQ_INFO:
        return irq_info(message);
    case VFU_DEVICE_SET_IRQS:
        return set_irqs(message);
    case VFU_REGION_READ:
        return region_read(message);
    case VFU_REGION_WRITE:
        return region_write(message);
    case VFU_REGION_WRITE_MULTI:
        return region_write_multi(message);
    case VFU_DEVICE_RESET:
        return reset(message);
    default:
        return ENOTSUP;
    }
}

// Capabilities of both sides, a subset of the client's.
int Session::capabilities(const Message &message, std::string &offered) {
    const auto *text = reinterpret_cast<const char *>(message.payload.data());
    const size_t bytes = message.payload.size() - sizeof(vfu_version_t);
    JsonNumbers numbers;
    if (bytes > 0 && (message.payload.back() != 0 ||
                      !json_read({text + sizeof(vfu_version_t), bytes - 1}, numbers))) {
        return EINVAL;
    }
    const auto offer = [&](const std::string &name, const std::string &value) {
        if (numbers.count("capabilities." + name) != 0) {
            offered += (offered.empty() ? "\"" : ",\"") + name + "\":" + value;
        }
    };
    offer("max_msg_fds", std::to_string(kDescriptorsMax));
    offer("max_data_xfer_size", std::to_string(kTransferMax));
    offer("max_dma_maps", std::to_string(DmaMap::kMapsMax));
    offer("pgsizes", std::to_string(DmaMap::kPageBytes));
    if (numbers["capabilities.write_multiple"] == 1) {
        offer("write_multiple", "true");
    }
    offered = "{\"capabilities\":{" + offered + "}}";
    return 0;
}

int Session::version(Message &message) {
    vfu_version_t asked{};
    if (agreed_ || !part_of(message, asked, true)) {
        return EINVAL;
    }
    if (asked.major != VFU_MAJOR) {
        problem_ = "asked for version " + std::to_string(asked.major) + "." +
                   std::to_string(asked.minor) + " of the protocol, expected " +
                   std::to_string(VFU_MAJOR) + ".x";
        over_ = true;
        return EPROTONOSUPPORT;
    }
    std::string offered;
    const int error = capabilities(message, offered);
    if (error != 0) {
        return error;
    }
    const auto minor = static_cast<uint16_t>(std::min<unsigned>(asked.minor, VFU_MINOR));
    answer(vfu_version_t{VFU_MAJOR, minor});
    answer_.insert(answer_.end(), offered.c_str(), offered.c_str() + offered.size() + 1);
    agreed_ = true;
    ++counts_.clients;
    return 0;
}

int Session::dma_map(Message &message) {
    vfu_dma_map_t request{};
    if (!part_of(message, request) || message.descriptors.size() > 1) {
        return EINVAL;
    }
    const Descriptor none;
    return device_.dma().map(request,
                             message.descriptors.empty() ? none : message.descriptors.front());
}

int Session::dma_unmap(Message &message) {
    vfu_dma_unmap_t request{};
    if (!part_of(message, request)) {
        return EINVAL;
    }
    const int error = device_.dma().unmap(request, request.size);
    answer(request);
    return error;
}

int Session::device_info(Message &message) {
    vfu_device_info_t request{};
    if (!part_of(message, request) || request.argsz < sizeof request) {
        return EINVAL;
    }
    answer(vfu_device_info_t{sizeof request, VFU_DEVICE_HAS_RESET | VFU_DEVICE_IS_PCI,
                             VFU_REGION_TIME + 1, VFU_PCI_IRQS});
    return 0;
}

int Session::region_info(Message &message) {
    vfu_region_info_t request{};
    if (!part_of(message, request) || request.argsz < sizeof request ||
        request.index > VFU_REGION_TIME) {
        return EINVAL;
    }
    vfu_region_info_t info{};
    info.argsz = sizeof info;
    info.index = request.index;
    info.flags = device_.region_flags(request.index);
    info.size = device_.region_bytes(request.index);
    if (request.index != VFU_REGION_TIME) {
        answer(info);
        return 0;
    }
    info.argsz += sizeof(vfu_region_type_t);
    info.flags |= VFU_REGION_HAS_CAPABILITIES;
    const bool fits = request.argsz >= info.argsz;
    info.capability_offset = fits ? sizeof info : 0;
    answer(info);
    if (fits) {
        answer(vfu_region_type_t{VFU_CAPABILITY_TYPE, 1, 0, VFU_REGION_OF_VENDOR | TMU_PCI_VENDOR,
                                 VFU_TIME_SUBTYPE});
    }
    return 0;
}

int Session::irq_info(Message &message) {
    vfu_irq_info_t request{};
    if (!part_of(message, request) || request.argsz < sizeof request ||
        request.index >= VFU_PCI_IRQS) {
        return EINVAL;
    }
    const uint32_t count = request.index == VFU_IRQ_MSIX ? device_.interrupts().vectors() : 0;
    answer(vfu_irq_info_t{sizeof request, VFU_IRQ_BY_EVENTFD, request.index, count});
    return 0;
}

int Session::set_irqs(Message &message) {
    vfu_irq_set_t request{};
    if (!part_of(message, request, true) || request.argsz < sizeof request) {
        return EINVAL;
    }
    return device_.interrupts().set(request, message);
}

int Session::region_read(Message &message) {
    vfu_access_t request{};
    if (!part_of(message, request) || request.count > kTransferMax) {
        return EINVAL;
    }
    answer(request);
    answer_.resize(sizeof request + request.count);
    return device_.read(request.region, request.offset, request.count,
                        answer_.data() + sizeof request);
}

int Session::region_write(Message &message) {
    vfu_access_t request{};
    if (!part_of(message, request, true) ||
        message.payload.size() != sizeof request + uint64_t{request.count}) {
        return EINVAL;
    }
    answer(request);
    return device_.write(request.region, request.offset, request.count,
                         message.payload.data() + sizeof request);
}

// The first write that fails ends it; those before it are made.
int Session::region_write_multi(Message &message) {
    vfu_write_multi_t request{};
    if (!part_of(message, request, true)) {
        return EINVAL;
    }
    const uint64_t bytes = message.payload.size() - sizeof request;
    if (bytes % sizeof(vfu_small_write_t) != 0 ||
        request.count != bytes / sizeof(vfu_small_write_t)) {
        return EINVAL;
    }
    for (uint64_t i = 0; i < request.count; ++i) {
        vfu_small_write_t one{};
        std::memcpy(&one, message.payload.data() + sizeof request + i * sizeof one, sizeof one);
        if (one.count > sizeof one.data) {
            return EINVAL;
        }
        const int error = device_.write(one.region, one.offset, one.count, one.data);
        if (error != 0) {
            return error;
        }
    }
    answer(request);
    return 0;
}

int Session::reset(Message &message) {
    if (!message.payload.empty()) {
        return EINVAL;
    }
    device_.reset();
    return 0;
}

} // namespace vfu
