// SPDX-License-Identifier: Apache-2.0
#include "law.h"

#include "tmu_model_unit.h"

#include <algorithm>
#include <sstream>

namespace bench {

namespace {

uint8_t translate(tmu_model_status_t status) {
    const uint8_t unit = tmu_model_unit_status(status);
    if (unit == 0) {
        throw std::runtime_error(std::string("the model cannot go on: ") +
                                 tmu_model_status_text(status));
    }
    return unit;
}

tmu_model_key_t key_of(const Command &c) {
    tmu_model_key_t key = {};
    TMU_KEY_COPY(key, c);
    return key;
}

tmu_model_verdict_t carry_out(tmu_model_t *model, const Command &c, uint32_t id_none) {
    if (c.opcode < TMU_OPCODE_POST || c.opcode > TMU_OPCODE_CANCEL) {
        throw std::logic_error("the bench sent opcode " + std::to_string(c.opcode));
    }
    tmu_model_question_t question{};
    question.operation = c.opcode;
    question.by_id = true;
    question.endpoint = c.endpoint;
    question.key = key_of(c);
    question.handle = c.handle;
    question.receive_id = c.id == id_none ? TMU_MODEL_NO_RECEIVE_ID : c.id;
    question.address = c.address;
    question.length = c.length;
    return tmu_model_ask(model, &question, nullptr, nullptr);
}

void fill_entry(Verdict &v, const tmu_model_entry_t &entry) {
    v.other = entry.handle;
    TMU_KEY_COPY_VALUES(v, entry.key);
    v.address = entry.address;
    v.unexpected = entry.queue == TMU_MODEL_UNEXPECTED;
    (v.unexpected ? v.message_length : v.receive_length) = entry.length;
}

// Calls f(name, value in a, value in b) for every field.
template <class F> void each_field(const Verdict &a, const Verdict &b, F f) {
    f("opcode", a.opcode, b.opcode);
    f("status", a.status, b.status);
    f("truncated", a.truncated, b.truncated);
    f("unexpected", a.unexpected, b.unexpected);
    f("page", a.page, b.page);
    f("endpoint", a.endpoint, b.endpoint);
    f("serial", a.serial, b.serial);
    f("stamp", a.stamp, b.stamp);
    f("handle", a.handle, b.handle);
    f("other", a.other, b.other);
#define FIELD(value, mask, VALUE, MASK, type, kept, signal) f(#value, a.value, b.value);
    TMU_KEY_TABLE(FIELD)
#undef FIELD
    f("message_length", a.message_length, b.message_length);
    f("receive_length", a.receive_length, b.receive_length);
    f("address", a.address, b.address);
}

bool same(const Verdict &a, const Verdict &b) {
    bool equal = true;
    each_field(a, b, [&](const char *, auto x, auto y) { equal &= x == y; });
    return equal;
}

// An inspect alone reports masks; elsewhere they mean nothing.
bool same_masks(const Verdict &a, const Verdict &b) {
#define SAME(value, mask, VALUE, MASK, type, kept, signal) a.mask == b.mask &&
    return TMU_KEY_TABLE(SAME) true;
#undef SAME
}

} // namespace

std::string describe(const Verdict &v) {
    std::ostringstream out;
    each_field(v, v, [&](const char *name, auto x, auto) {
        if (x != 0) {
            out << ' ' << name << ' ' << static_cast<uint64_t>(x);
        }
    });
    return out.str();
}

Law::Law(const Shape &shape) : shape_(shape) {
    const tmu_model_config_t config = {shape.endpoints, shape.posted, shape.unexpected, 0, 0};
    tmu_model_t *model = nullptr;
    if (tmu_model_create(&config, &model) != TMU_MODEL_OK) {
        throw std::runtime_error("the model cannot be made");
    }
    model_.reset(model);
}

Answer &Law::owe(const Command &c, Port port, uint8_t status) {
    Answer &answer = owed_.emplace_back();
    answer.port = port;
    Verdict &v = answer.wanted;
    v.opcode = c.opcode;
    v.status = status;
    v.page = c.page;
    v.endpoint = c.endpoint;
    v.stamp = c.stamp;
    v.handle = c.handle;
    return answer;
}

void Law::accept(const Command &c, Port port, uint64_t clock, uint64_t step) {
    const uint8_t refused = refusal(shape_, c);
    if (refused != 0) {
        owe(c, port, refused);
    } else if (c.opcode == TMU_OPCODE_FLUSH) {
        flush(c, clock, step);
    } else if (c.opcode == TMU_OPCODE_INSPECT) {
        inspect(c, port);
    } else {
        const tmu_model_verdict_t m = carry_out(model_.get(), c, (1u << shape_.id_bits) - 1);
        Answer &answer = owe(c, port, translate(m.status));
        Verdict &v = answer.wanted;
        v.serial = m.serial;
        v.other = m.other;
        TMU_KEY_COPY_VALUES(v, m);
        v.message_length = m.message_length;
        v.receive_length = m.receive_length;
        v.address = m.address;
        v.truncated = m.truncated;
        answer.visited = m.visited;
    }
    owed_.back().accepted = clock;
    owed_.back().step = step;
}

// R14: a report for each removed entry, from the side that holds it, then the counts.
void Law::flush(const Command &c, uint64_t clock, uint64_t step) {
    struct Context {
        Law *law;
        const Command *command;
        uint64_t clock;
        uint64_t step;
    } context = {this, &c, clock, step};
    const auto report = [](void *user, const tmu_model_entry_t *entry) {
        const auto *to = static_cast<const Context *>(user);
        const Port port = entry->queue == TMU_MODEL_POSTED ? kArrival : kPost;
        Answer &answer = to->law->owe(*to->command, port, TMU_STATUS_REMOVED);
        fill_entry(answer.wanted, *entry);
        answer.accepted = to->clock;
        answer.step = to->step;
    };
    const tmu_model_search_t select = {key_of(c), c.endpoint, c.handle};
    tmu_model_verdict_t m;
    const uint8_t status = translate(tmu_model_flush(model_.get(), &select, report, &context, &m));
    Verdict &v = owe(c, kPost, status).wanted;
    v.serial = m.serial;
    v.other = m.removed_unexpected << 32 | m.removed_posted;
}

// The model knows the order within an endpoint, and not the slots of a table with holes: one
// inspection of a slot has to show some entry that is there, or none; a dump (see Campaign) all of
// them in order.
void Law::inspect(const Command &c, Port port) {
    if (c.position >= shape_.slots[port]) {
        owe(c, port, TMU_STATUS_EMPTY);
        return;
    }
    Answer &answer = owe(c, port, TMU_STATUS_ENTRY);
    answer.table = std::make_unique<Table>(
        table(c.inspect_unexpected ? TMU_MODEL_UNEXPECTED : TMU_MODEL_POSTED));
}

void Law::set_limits(uint32_t endpoint, const Limits &limits) {
    tmu_model_set_quota(model_.get(), endpoint, limits.quota[0], limits.quota[1]);
    tmu_model_set_reserve(model_.get(), endpoint, limits.reserve[0], limits.reserve[1]);
}

uint64_t Law::depth(uint32_t endpoint, tmu_model_queue_t queue) const {
    return tmu_model_depth(model_.get(), endpoint, queue);
}

Table Law::table(tmu_model_queue_t queue) const {
    Table entries;
    for (uint32_t endpoint = 0; endpoint < shape_.endpoints; ++endpoint) {
        const uint64_t depth = tmu_model_depth(model_.get(), endpoint, queue);
        for (uint64_t position = 0; position < depth; ++position) {
            tmu_model_entry_t entry;
            tmu_model_inspect(model_.get(), endpoint, queue, position, &entry);
            entries.push_back(entry);
        }
    }
    return entries;
}

tmu_model_stats_t Law::stats() const {
    tmu_model_stats_t stats;
    tmu_model_stats(model_.get(), &stats);
    return stats;
}

std::string Law::compare(const Verdict &found, Port port) const {
    if (owed_.empty()) {
        return std::string("found a verdict at the ") + kPortNames[port] +
               " side that nobody asked for, expected none:" + describe(found);
    }
    const Answer &answer = owed_.front();
    Verdict wanted = answer.wanted;
    if (answer.table != nullptr && found.status == TMU_STATUS_VACANT) {
        wanted.status = found.status;
    } else if (answer.table != nullptr) {
        const auto shown = [&](const tmu_model_entry_t &e) { return e.handle == found.other; };
        const auto entry = std::find_if(answer.table->begin(), answer.table->end(), shown);
        if (entry == answer.table->end()) {
            return "found an entry that is in no queue:" + describe(found);
        }
        fill_entry(wanted, *entry);
        wanted.endpoint = entry->endpoint;
        TMU_KEY_COPY(wanted, entry->key);
        if (!same_masks(found, wanted)) {
            return "found other wildcards than the entry has:" + describe(found);
        }
    }
    if (port == answer.port && same(found, wanted)) {
        return "";
    }
    std::ostringstream out;
    if (port != answer.port) {
        out << "\n  side: found " << kPortNames[port] << ", expected " << kPortNames[answer.port];
    }
    each_field(found, wanted, [&](const char *name, auto x, auto y) {
        if (x != y) {
            out << "\n  " << name << ": found " << static_cast<uint64_t>(x) << ", expected "
                << static_cast<uint64_t>(y);
        }
    });
    out << "\n  found:   " << describe(found) << "\n  expected:" << describe(wanted);
    return out.str();
}

} // namespace bench
