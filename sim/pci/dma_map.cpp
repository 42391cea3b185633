// SPDX-License-Identifier: Apache-2.0
#include "dma_map.h"

#include <cerrno>
#include <csignal>
#include <iterator>
#include <mutex>
#include <sys/mman.h>
#include <sys/stat.h>

namespace vfu {

namespace {

volatile std::sig_atomic_t memory_gone = 0;

// A client may shrink a file that it has mapped; the access that finds its end raises this signal.
void replace_page(int signal, siginfo_t *info, void *) {
    auto *page = reinterpret_cast<uint8_t *>(reinterpret_cast<uintptr_t>(info->si_addr) /
                                             DmaMap::kPageBytes * DmaMap::kPageBytes);
    memory_gone = 1;
    if (::mmap(page, DmaMap::kPageBytes, PROT_READ | PROT_WRITE,
               MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED) {
        (void)::signal(signal, SIG_DFL); // the access is repeated, and ends the process
    }
}

void catch_lost_memory() {
    static std::once_flag once;
    std::call_once(once, [] {
        struct sigaction action {};
        action.sa_sigaction = replace_page;
        action.sa_flags = SA_SIGINFO;
        (void)::sigaction(SIGBUS, &action, nullptr);
    });
}

// nullptr if the file does not reach that far or cannot be mapped so.
void *map_file(const vfu_dma_map_t &request, int file) {
    struct stat status {};
    if (::fstat(file, &status) != 0 || status.st_size < 0 ||
        static_cast<uint64_t>(status.st_size) < request.offset ||
        static_cast<uint64_t>(status.st_size) - request.offset < request.size) {
        return nullptr;
    }
    const int protection = ((request.flags & VFU_MAY_READ) != 0 ? PROT_READ : 0) |
                           ((request.flags & VFU_MAY_WRITE) != 0 ? PROT_WRITE : 0);
    void *memory = ::mmap(nullptr, request.size, protection, MAP_SHARED, file,
                          static_cast<off_t>(request.offset));
    return memory == MAP_FAILED ? nullptr : memory;
}

} // namespace

int DmaMap::map(const vfu_dma_map_t &request, const Descriptor &file) {
    constexpr uint32_t kKnown = VFU_MAY_READ | VFU_MAY_WRITE;
    if (request.argsz < sizeof request || (request.flags & ~kKnown) != 0 || request.size == 0 ||
        request.size % kPageBytes != 0 || request.address % kPageBytes != 0 ||
        request.offset % kPageBytes != 0 ||
        request.address + (request.size - 1) < request.address) {
        return EINVAL;
    }
    const auto next = ranges_.lower_bound(request.address);
    if (next != ranges_.end() && next->first - request.address < request.size) {
        return EEXIST;
    }
    if (next != ranges_.begin() &&
        request.address - std::prev(next)->first < std::prev(next)->second.bytes) {
        return EEXIST;
    }
    if (ranges_.size() >= kMapsMax) {
        return ENOSPC;
    }
    catch_lost_memory();
    Range range{request.size, nullptr, request.flags};
    if (file) {
        range.memory = map_file(request, file.number());
        if (range.memory == nullptr) {
            return EINVAL;
        }
    }
    ranges_[request.address] = range;
    return allowed_ ? enter(request.address, range) : 0;
}

int DmaMap::enter(uint64_t address, const Range &range) {
    if (range.memory == nullptr || range.access == 0) {
        return 0;
    }
    return unit_.map(range.memory, range.bytes, address, range.access) ? 0 : EEXIST;
}

DmaMap::Ranges::iterator DmaMap::leave(Ranges::iterator range) {
    unit_.unmap(range->first);
    if (range->second.memory != nullptr) {
        (void)::munmap(range->second.memory, range->second.bytes);
    }
    return ranges_.erase(range);
}

int DmaMap::unmap(const vfu_dma_unmap_t &request, uint64_t &bytes) {
    const bool all = request.flags == VFU_UNMAP_ALL;
    if (request.argsz < sizeof request || (!all && request.flags != 0)) {
        return EINVAL;
    }
    const uint64_t last = all ? UINT64_MAX : request.address + (request.size - 1);
    if (all ? request.address != 0 || request.size != 0
            : request.size == 0 || last < request.address) {
        return EINVAL;
    }
    const auto first = ranges_.lower_bound(request.address);
    const auto end = ranges_.upper_bound(last);
    const auto ends = [](Ranges::iterator one) { return one->first + (one->second.bytes - 1); };
    if ((first != ranges_.begin() && ends(std::prev(first)) >= request.address) ||
        (first != end && ends(std::prev(end)) > last)) {
        return EINVAL;
    }
    bytes = 0;
    for (auto one = first; one != end; one = leave(one)) {
        bytes += one->second.bytes;
    }
    return 0;
}

void DmaMap::clear() {
    for (auto one = ranges_.begin(); one != ranges_.end();) {
        one = leave(one);
    }
}

void DmaMap::allow(bool allowed) {
    if (allowed == allowed_) {
        return;
    }
    allowed_ = allowed;
    for (const auto &[address, range] : ranges_) {
        if (allowed) {
            (void)enter(address, range); // ranges do not overlap
        } else {
            unit_.unmap(address);
        }
    }
}

bool DmaMap::taken_back() {
    const bool gone = memory_gone != 0;
    memory_gone = 0;
    return gone;
}

} // namespace vfu
