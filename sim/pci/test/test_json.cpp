// SPDX-License-Identifier: Apache-2.0
// The reader of a client's capabilities: examples, and random bytes
// (docs/decisions/0050-own-machinery.md). What it reads lies in memory of exactly that size, so
// that AddressSanitizer sees a byte too many. Prints its seed; TMU_SEED repeats a run.
#include "expect.h"
#include "json.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <memory>
#include <random>
#include <string>
#include <vector>

namespace {

constexpr int kDocuments = 500;
constexpr int kDamaged = 40; // texts made of each document

std::mt19937_64 random_numbers;

bool read(const std::string &text, vfu::JsonNumbers &numbers) {
    const std::unique_ptr<char[]> exact(new char[text.size()]);
    std::copy(text.begin(), text.end(), exact.get());
    return vfu::json_read({exact.get(), text.size()}, numbers);
}

void numbers_are_found_by_path() {
    vfu::JsonNumbers numbers;
    EXPECT(read(R"( {"capabilities": {"max_msg_fds": 8, "write_multiple": true,
        "twin_socket": {"supported": false}, "name": "a \" b", "more": [1, {"x": 2}, null]},
        "n": -1.5e+2} )",
                numbers));
    EXPECT_NUMBER(numbers.size(), 4);
    EXPECT(numbers["capabilities.max_msg_fds"] == 8);
    EXPECT(numbers["capabilities.write_multiple"] == 1);
    EXPECT(numbers["capabilities.twin_socket.supported"] == 0);
    EXPECT(numbers["n"] == -150);
    EXPECT(read("{}", numbers));
}

void what_is_not_json_is_refused() {
    const std::vector<std::string> wrong = {"",
                                            "{",
                                            "[]",
                                            "{} {}",
                                            "{\"a\"}",
                                            "{\"a\":}",
                                            "{\"a\":1",
                                            "{\"a\":1,}",
                                            "{\"a\":01x}",
                                            "{\"a\":.5}",
                                            "{\"a\":1.}",
                                            "{\"a\":1e}",
                                            "{a:1}",
                                            "{\"a\":tru}",
                                            "{\"a\":\"b}",
                                            "{\"a\":[1,]}",
                                            "{\"a\":-}",
                                            "{\"a\\",
                                            std::string("{}\0", 3),
                                            "{\"a\":\"\n\"}"};
    for (const auto &text : wrong) {
        vfu::JsonNumbers numbers;
        if (read(text, numbers)) {
            expect_note(__FILE__, __LINE__, text.c_str());
        }
    }
    std::string deep = "{\"a\":";
    for (int i = 0; i < 100000; ++i) {
        deep += "[";
    }
    vfu::JsonNumbers numbers;
    EXPECT(!read(deep, numbers));
}

// Random documents, and the numbers that have to be found in them.
class Writer {
  public:
    std::string document() {
        numbers.clear();
        return object("", true, 0);
    }

    size_t below(size_t count) { return random_numbers() % count; }

    vfu::JsonNumbers numbers;

  private:
    std::string space() { return std::string(below(3), " \t\r\n"[below(4)]); }

    std::string object(const std::string &path, bool kept, unsigned depth) {
        std::string text = "{";
        const size_t members = below(4);
        for (size_t i = 0; i < members; ++i) {
            const std::string name = "n" + std::to_string(i);
            const std::string below_it = path.empty() ? name : path + "." + name;
            text += (i ? "," : "") + space() + '"' + name + '"' + space() + ':' + space() +
                    value(below_it, kept, depth + 1) + space();
        }
        return text + '}';
    }

    std::string array(unsigned depth) {
        std::string text = "[";
        const size_t members = below(4);
        for (size_t i = 0; i < members; ++i) {
            text += (i ? "," : "") + space() + value("", false, depth + 1) + space();
        }
        return text + ']';
    }

    std::string value(const std::string &path, bool kept, unsigned depth) {
        switch (below(depth < 8 ? 7 : 5)) {
        case 0:
            return word("true", path, kept, 1);
        case 1:
            return word("false", path, kept, 0);
        case 2:
            return "null";
        case 3: {
            const auto found = static_cast<double>(random_numbers() % 100000) / 8 - 1000;
            char text[64];
            (void)std::snprintf(text, sizeof text, below(2) ? "%.17g" : "%.17e", found);
            return word(text, path, kept, found);
        }
        case 4:
            return below(2) ? R"("a } \" ] b")" : R"("")";
        case 5:
            return object(path, kept, depth);
        default:
            return array(depth);
        }
    }

    std::string word(const char *text, const std::string &path, bool kept, double found) {
        if (kept) {
            numbers[path] = found;
        }
        return text;
    }
};

// One to four bytes changed, added, taken away or copied from elsewhere in the text.
std::string damaged(std::string text, Writer &writer) {
    static const char kBytes[] = "{}[]\":,.0123456789+-eEtrufalsn\\ \n\xff";
    for (size_t changes = writer.below(4) + 1; changes > 0 && !text.empty(); --changes) {
        const size_t at = writer.below(text.size());
        const char byte = kBytes[writer.below(sizeof kBytes)];
        switch (writer.below(4)) {
        case 0:
            text[at] = byte;
            break;
        case 1:
            text.insert(at, 1, byte);
            break;
        case 2:
            text.erase(at, writer.below(4) + 1);
            break;
        default:
            text.insert(at, text.substr(writer.below(text.size()), 8));
        }
    }
    return text;
}

void random_documents_are_read_and_damaged_ones_do_no_harm() {
    Writer writer;
    for (int n = 0; n < kDocuments; ++n) {
        const std::string text = writer.document();
        vfu::JsonNumbers numbers;
        if (!read(text, numbers) || numbers != writer.numbers) {
            expect_note(__FILE__, __LINE__, text.c_str());
        }
        for (size_t bytes = 0; bytes < text.size(); bytes += 1 + writer.below(8)) {
            if (read(text.substr(0, bytes), numbers)) {
                expect_note(__FILE__, __LINE__, text.substr(0, bytes).c_str());
            }
        }
        for (int i = 0; i < kDamaged; ++i) {
            (void)read(damaged(text, writer), numbers);
        }
    }
}

} // namespace

int main() {
    random_numbers.seed(expect_seed(static_cast<uint64_t>(std::time(nullptr))));
    RUN(numbers_are_found_by_path);
    RUN(what_is_not_json_is_refused);
    RUN(random_documents_are_read_and_damaged_ones_do_no_harm);
    return expect_summary();
}
