// SPDX-License-Identifier: Apache-2.0
// Which cells there are, and how the command line names them.
#include "workload.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <iterator>

namespace bench {

namespace {

// The workloads' keys are enough for these.
constexpr uint32_t kDeepest = 1u << 14;
constexpr uint32_t kStepsMax = 10000;
constexpr uint32_t kGroups = 64; // kinds that work in groups need this many entries

struct KindEntry {
    const char *name;
    Kind kind;
    Keys keys;
    uint32_t least; // depth
    bool by_position;
    bool by_queue; // one queue or the other; else always both
};

constexpr KindEntry kKinds[] = {
    {"exact", Kind::match, Keys::exact, 0, true, true},
    {"any_source", Kind::match, Keys::any_source, 0, true, true},
    {"any_tag", Kind::match, Keys::any_tag, 0, true, true},
    {"both", Kind::match, Keys::both, 0, true, true},
    {"mixed", Kind::match, Keys::mixed, 0, true, true},
    {"equal_mod256", Kind::match, Keys::equal_mod256, 0, true, true},
    {"equal_mod65536", Kind::match, Keys::equal_mod65536, 0, true, true},
    {"miss", Kind::miss, Keys::exact, 0, false, false},
    {"fifo", Kind::fifo, Keys::equal, 1, false, true},
    {"hole_workload", Kind::hole_workload, Keys::exact, kGroups, false, true},
    {"same_key", Kind::same_key, Keys::exact, kGroups, false, true},
    {"append", Kind::append, Keys::exact, 2, false, true},
    {"paired", Kind::paired, Keys::exact, 1, true, false},
    {"mix", Kind::mix, Keys::mixed, kGroups, false, false},
};

constexpr const char *kPositions[] = {"none", "oldest", "youngest", "random", "same_clock"};
constexpr const char *kQueues[] = {"posted", "unexpected", "both"};

std::string listed(const char *text, const char *next) {
    return std::string(text) + (*text == '\0' ? "" : ", ") + next;
}

// The index of a word in a list, or BadInput with the whole list.
template <class List, class Name>
size_t find(const char *what, const List &list, const std::string &word, Name name) {
    std::string known;
    for (size_t i = 0; i < std::size(list); ++i) {
        if (word == name(list[i])) {
            return i;
        }
        known = listed(known.c_str(), name(list[i]));
    }
    throw BadInput(std::string(what) + ": found '" + word + "', expected one of " + known);
}

const char *itself(const char *word) { return word; }

// The words between colons.
std::vector<std::string> split(const std::string &text) {
    std::vector<std::string> words(1);
    for (const char c : text) {
        if (c == ':') {
            words.emplace_back();
        } else {
            words.back() += c;
        }
    }
    return words;
}

// Cells that are the same as others, or that cannot be.
void check(const Cell &cell, const KindEntry &kind) {
    const auto refuse = [&](const std::string &found, const std::string &expected) {
        throw BadInput("cell " + cell.kind_name + ": found " + found + ", expected " + expected);
    };
    const std::string position = std::string("position ") + name_of(cell.position);
    const std::string depth = "depth " + std::to_string(cell.depth);
    if (cell.depth < kind.least) {
        refuse(depth, "at least " + std::to_string(kind.least));
    }
    if ((cell.queue == Queue::both) == kind.by_queue && cell.kind != Kind::append) {
        refuse(std::string("queue ") + name_of(cell.queue),
               kind.by_queue ? "posted or unexpected" : "both");
    }
    const bool has_position = kind.by_position && cell.depth > 0;
    if ((cell.position != Position::none) != has_position) {
        refuse(position + " at " + depth, has_position ? "one" : "none");
    }
    const bool posted_match = cell.kind == Kind::match && cell.queue == Queue::posted;
    if (cell.position == Position::same_clock && !posted_match) {
        refuse(position, "it for one queue of receives");
    }
}

} // namespace

uint32_t whole(const std::string &what, const std::string &text, uint32_t least, uint32_t most) {
    char *end = nullptr;
    errno = 0;
    const unsigned long value = std::strtoul(text.c_str(), &end, 10);
    if (text.empty() || text[0] < '0' || text[0] > '9' || *end != '\0' || errno != 0 ||
        value < least || value > most) {
        throw BadInput(what + ": found '" + text + "', expected a number from " +
                       std::to_string(least) + " to " + std::to_string(most));
    }
    return static_cast<uint32_t>(value);
}

const char *name_of(Position position) { return kPositions[static_cast<size_t>(position)]; }
const char *name_of(Queue queue) { return kQueues[static_cast<size_t>(queue)]; }

Cell parse_cell(const std::string &text) {
    const std::vector<std::string> words = split(text);
    if (words.size() != 5) {
        throw BadInput("cell: found '" + text + "', expected KIND:QUEUE:POSITION:DEPTH:STEPS");
    }
    const auto name = [](const KindEntry &entry) { return entry.name; };
    const KindEntry &kind = kKinds[find("kind", kKinds, words[0], name)];
    Cell cell;
    cell.kind_name = kind.name;
    cell.kind = kind.kind;
    cell.keys = kind.keys;
    cell.queue = static_cast<Queue>(find("queue", kQueues, words[1], itself));
    cell.position = static_cast<Position>(find("position", kPositions, words[2], itself));
    cell.depth = whole("depth", words[3], 0, kDeepest);
    cell.steps = whole("steps", words[4], 2, kStepsMax);
    check(cell, kind);
    return cell;
}

} // namespace bench
