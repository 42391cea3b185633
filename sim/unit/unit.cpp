// SPDX-License-Identifier: Apache-2.0
#include "sim_print.h" // before Verilator's header, which it redirects

#include "unit.h"

#include "VMatchUnit.h"
#include "tmu/tmu_regs.h"
#include "verilated.h"

#include <type_traits>

namespace {

constexpr unsigned kResetClocks = 4;

// Messages of assertions of this program's only unit.
std::string printed;

// A port that nothing in the whole unit drives is not there.
template <class Module>
auto drive_windows(Module &m, const bench::Windows &w, int) -> decltype(m.io_windows_low, true) {
    m.io_windows_source = w.source;
    m.io_windows_low = w.low;
    m.io_windows_high = w.high;
    return true;
}

template <class Module> bool drive_windows(Module &, const bench::Windows &, long) { return false; }

template <class Module>
auto drive_reserves(Module *m, const bench::Limits &limits,
                    int) -> decltype(m->io_endpoint_bits_reservePosted, true) {
    if (m) {
        m->io_endpoint_bits_reservePosted = limits.reserve[0];
        m->io_endpoint_bits_reserveUnexpected = limits.reserve[1];
    }
    return true;
}

template <class Module> bool drive_reserves(Module *, const bench::Limits &, long) { return false; }

// Ports to memory, of a preset that takes any.
template <class Module>
auto registers_nothing(Module &m, int) -> decltype(m.io_spill_registered, void()) {
    m.io_spill_registered = 0;
}

template <class Module> void registers_nothing(Module &, long) {}

template <class Module>
auto asks_memory(const Module &m, int) -> decltype(m.io_spill_deferred_valid, true) {
    return m.io_spill_deferred_valid || m.io_spill_injected_valid;
}

template <class Module> bool asks_memory(const Module &, long) { return false; }

// The decoder's status for a command that searches nothing (R10, R13), or 0.
uint8_t early_status(const bench::Shape &shape, const bench::Command &c, bench::Port port) {
    if (const uint8_t refused = refusal(shape, c)) {
        return refused;
    }
    if (c.opcode == TMU_OPCODE_CANCEL && c.id == (1u << shape.id_bits) - 1) {
        return TMU_STATUS_LATE;
    }
    if (c.opcode == TMU_OPCODE_INSPECT && c.position >= shape.slots[port]) {
        return TMU_STATUS_EMPTY;
    }
    return 0;
}

} // namespace

namespace bench {

struct Unit::Top {
    explicit Top(uint64_t seed) : module(prepared(context, seed)) {}

    static VerilatedContext *prepared(VerilatedContext &context, uint64_t seed) {
        context.randReset(2);
        context.randSeed(static_cast<int>(1 + seed % 0x7ffffffe));
        context.fatalOnError(false);
        context.assertOn(true);
        return &context;
    }

    VerilatedContext context;
    VMatchUnit module;
};

Unit::Unit(const Shape &shape, uint64_t seed) : shape_(shape) {
    printed.clear();
    device::printed = &printed;
    top_ = std::make_unique<Top>(seed);
    // No memory is registered: what the tables do not take is refused here.
    registers_nothing(top_->module, 0);
    offer(kPost, nullptr);
    offer(kArrival, nullptr);
    withdraw_endpoint();
    set_windows(kDefaultWindows);
    accept_verdicts(false);
    top_->module.reset = 1;
    for (unsigned i = 0; i < kResetClocks; ++i) {
        settle();
        edge();
    }
    top_->module.reset = 0;
}

Unit::~Unit() { top_->module.final(); }

void Unit::offer(Port port, const Command *c) {
    VMatchUnit &m = top_->module;
    (port == kPost ? m.io_post_valid : m.io_arrival_valid) = c != nullptr;
    if (c == nullptr) {
        return;
    }
    const uint8_t early = early_status(shape_, *c, port);
    const bool flushes = c->opcode == TMU_OPCODE_FLUSH && early == 0;
// The ports have the same fields under two names.
#define DRIVE_KEY(P, value, mask, signal)                                                          \
    m.io_##P##_bits_key_##signal = c->value;                                                       \
    m.io_##P##_bits_ignore_##signal = c->mask;
#define DRIVE_post(value, mask, VALUE, MASK, type, kept, signal)                                   \
    DRIVE_KEY(post, value, mask, signal)
#define DRIVE_arrival(value, mask, VALUE, MASK, type, kept, signal)                                \
    DRIVE_KEY(arrival, value, mask, signal)
#define DRIVE(P)                                                                                   \
    do {                                                                                           \
        m.io_##P##_bits_opcode = c->opcode;                                                        \
        m.io_##P##_bits_malformed = c->malformed;                                                  \
        m.io_##P##_bits_privileged = c->privileged;                                                \
        m.io_##P##_bits_flushes = flushes;                                                         \
        m.io_##P##_bits_searches = early == 0;                                                     \
        m.io_##P##_bits_status = early;                                                            \
        m.io_##P##_bits_page = static_cast<std::decay_t<decltype(m.io_##P##_bits_page)>>(c->page); \
        m.io_##P##_bits_endpoint = c->endpoint;                                                    \
        TMU_KEY_TABLE(DRIVE_##P)                                                                   \
        m.io_##P##_bits_handle = c->handle;                                                        \
        m.io_##P##_bits_address = c->address;                                                      \
        m.io_##P##_bits_length = c->length;                                                        \
        m.io_##P##_bits_id = c->id;                                                                \
        m.io_##P##_bits_position = c->position;                                                    \
        m.io_##P##_bits_inspectUnexpected = c->inspect_unexpected;                                 \
        m.io_##P##_bits_stamp = c->stamp;                                                          \
        m.io_##P##_bits_spill_refills = 0;                                                         \
        m.io_##P##_bits_spill_releases = 0;                                                        \
        m.io_##P##_bits_spill_first = 0;                                                           \
        m.io_##P##_bits_spill_deferrals = 0;                                                       \
        m.io_##P##_bits_spill_retries = 0;                                                         \
        m.io_##P##_bits_spill_sure = 0;                                                            \
    } while (false)
    if (port == kPost) {
        DRIVE(post);
    } else {
        DRIVE(arrival);
    }
#undef DRIVE
#undef DRIVE_post
#undef DRIVE_arrival
#undef DRIVE_KEY
}

void Unit::accept_verdicts(bool ready) { top_->module.io_verdicts_ready = ready; }

bool Unit::has_reserves() { return drive_reserves(static_cast<VMatchUnit *>(nullptr), {}, 0); }

void Unit::offer_endpoint(uint32_t endpoint, const Limits &limits) {
    VMatchUnit &m = top_->module;
    m.io_endpoint_valid = 1;
    m.io_endpoint_bits_endpoint =
        static_cast<std::decay_t<decltype(m.io_endpoint_bits_endpoint)>>(endpoint);
    m.io_endpoint_bits_setQuota = 1;
    m.io_endpoint_bits_quotaPosted = limits.quota[0];
    m.io_endpoint_bits_quotaUnexpected = limits.quota[1];
    (void)drive_reserves(&m, limits, 0);
}

void Unit::withdraw_endpoint() { top_->module.io_endpoint_valid = 0; }

bool Unit::set_windows(const Windows &windows) { return drive_windows(top_->module, windows, 0); }

void Unit::settle() {
    top_->module.clock = 0;
    top_->module.eval();
}

bool Unit::ready(Port port) const {
    return port == kPost ? top_->module.io_post_ready : top_->module.io_arrival_ready;
}

bool Unit::endpoint_ready() const { return top_->module.io_endpoint_ready; }

bool Unit::verdicts_valid() const { return top_->module.io_verdicts_valid; }

bool Unit::verdict_valid(Port port) const {
    const VMatchUnit &m = top_->module;
    return port == kPost ? m.io_verdicts_bits_post_valid : m.io_verdicts_bits_arrival_valid;
}

Verdict Unit::verdict(Port port, uint32_t *latency_p) const {
    const VMatchUnit &m = top_->module;
    Verdict v;
#define SAMPLE_KEY(P, value, mask, signal)                                                         \
    v.value = m.io_verdicts_bits_##P##_bits_key_##signal;                                          \
    v.mask = m.io_verdicts_bits_##P##_bits_ignore_##signal;
#define SAMPLE_post(value, mask, VALUE, MASK, type, kept, signal)                                  \
    SAMPLE_KEY(post, value, mask, signal)
#define SAMPLE_arrival(value, mask, VALUE, MASK, type, kept, signal)                               \
    SAMPLE_KEY(arrival, value, mask, signal)
#define SAMPLE(P)                                                                                  \
    do {                                                                                           \
        v.opcode = m.io_verdicts_bits_##P##_bits_opcode;                                           \
        v.status = m.io_verdicts_bits_##P##_bits_status;                                           \
        v.truncated = m.io_verdicts_bits_##P##_bits_truncated;                                     \
        v.unexpected = m.io_verdicts_bits_##P##_bits_unexpected;                                   \
        v.page = m.io_verdicts_bits_##P##_bits_page;                                               \
        v.endpoint = m.io_verdicts_bits_##P##_bits_endpoint;                                       \
        v.serial = m.io_verdicts_bits_##P##_bits_serial;                                           \
        v.stamp = m.io_verdicts_bits_##P##_bits_stamp;                                             \
        v.handle = m.io_verdicts_bits_##P##_bits_handle;                                           \
        v.other = m.io_verdicts_bits_##P##_bits_other;                                             \
        TMU_KEY_TABLE(SAMPLE_##P)                                                                  \
        v.message_length = m.io_verdicts_bits_##P##_bits_messageLength;                            \
        v.receive_length = m.io_verdicts_bits_##P##_bits_receiveLength;                            \
        v.address = m.io_verdicts_bits_##P##_bits_address;                                         \
        *latency_p = m.io_verdicts_bits_##P##_bits_latency;                                        \
    } while (false)
    if (port == kPost) {
        SAMPLE(post);
    } else {
        SAMPLE(arrival);
    }
#undef SAMPLE
#undef SAMPLE_post
#undef SAMPLE_arrival
#undef SAMPLE_KEY
    return v;
}

bool Unit::endpoint_state(EndpointView *view_p) const {
    const VMatchUnit &m = top_->module;
    if (!m.io_endpointState_valid) {
        return false;
    }
    *view_p = {m.io_endpointState_bits_posted, m.io_endpointState_bits_unexpected};
    return true;
}

void Unit::edge() {
    top_->module.clock = 1;
    top_->module.eval();
    top_->context.timeInc(1);
    if (top_->module.reset == 0 && asks_memory(top_->module, 0)) {
        throw Difference("R11: a command was deferred, and no memory is registered");
    }
    if (top_->context.gotError() || top_->context.gotFinish()) {
        throw Difference("an assertion of the unit failed:\n" + printed);
    }
}

bool Unit::ready() const { return top_->module.io_ready; }

} // namespace bench
