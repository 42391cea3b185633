// SPDX-License-Identifier: Apache-2.0
#include "json.h"

#include <cstdlib>
#include <cstring>

namespace vfu {

namespace {

constexpr unsigned kDepthMax = 16;

class Reader {
  public:
    Reader(std::string_view text, JsonNumbers &numbers)
        : at_(text.data()), end_(at_ + text.size()), numbers_(numbers) {}

    bool document() {
        skip();
        const bool object = at_ != end_ && *at_ == '{' && value("", true, 0);
        skip();
        return object && at_ == end_;
    }

  private:
    void skip() {
        while (at_ != end_ && std::strchr(" \t\r\n", *at_) != nullptr && *at_ != '\0') {
            ++at_;
        }
    }

    bool take(char expected) {
        skip();
        if (at_ == end_ || *at_ != expected) {
            return false;
        }
        ++at_;
        return true;
    }

    bool word(const char *expected) {
        const size_t length = std::strlen(expected);
        if (static_cast<size_t>(end_ - at_) < length || std::strncmp(at_, expected, length) != 0) {
            return false;
        }
        at_ += length;
        return true;
    }

    // Escapes stay as they are written: no name that anybody looks for has one.
    bool string(std::string &found) {
        if (!take('"')) {
            return false;
        }
        const char *start = at_;
        while (at_ != end_ && *at_ != '"') {
            if (static_cast<unsigned char>(*at_) < ' ' || (*at_ == '\\' && ++at_ == end_)) {
                return false;
            }
            ++at_;
        }
        found.assign(start, at_);
        return take('"');
    }

    bool digits() {
        const char *start = at_;
        while (at_ != end_ && *at_ >= '0' && *at_ <= '9') {
            ++at_;
        }
        return at_ != start;
    }

    bool number(const std::string &path, bool kept) {
        const char *start = at_;
        if (*at_ == '-') {
            ++at_;
        }
        if (!digits()) {
            return false;
        }
        if (at_ != end_ && *at_ == '.' && (++at_, !digits())) {
            return false;
        }
        if (at_ != end_ && (*at_ == 'e' || *at_ == 'E')) {
            ++at_;
            if (at_ != end_ && (*at_ == '+' || *at_ == '-')) {
                ++at_;
            }
            if (!digits()) {
                return false;
            }
        }
        if (kept) {
            numbers_[path] = std::strtod(std::string(start, at_).c_str(), nullptr);
        }
        return true;
    }

    bool truth(const std::string &path, bool kept, double found) {
        if (kept) {
            numbers_[path] = found;
        }
        return true;
    }

    bool object(const std::string &path, bool kept, unsigned depth) {
        if (take('}')) {
            return true;
        }
        do {
            std::string name;
            skip();
            if (!string(name) || !take(':') ||
                !value(path.empty() ? name : path + "." + name, kept, depth + 1)) {
                return false;
            }
        } while (take(','));
        return take('}');
    }

    bool array(unsigned depth) {
        if (take(']')) {
            return true;
        }
        do {
            if (!value("", false, depth + 1)) {
                return false;
            }
        } while (take(','));
        return take(']');
    }

    bool value(const std::string &path, bool kept, unsigned depth) {
        skip();
        if (at_ == end_ || depth > kDepthMax) {
            return false;
        }
        std::string ignored;
        switch (*at_) {
        case '{':
            ++at_;
            return object(path, kept, depth);
        case '[':
            ++at_;
            return array(depth);
        case '"':
            return string(ignored);
        case 't':
            return word("true") && truth(path, kept, 1);
        case 'f':
            return word("false") && truth(path, kept, 0);
        case 'n':
            return word("null");
        default:
            return number(path, kept);
        }
    }

    const char *at_;
    const char *end_;
    JsonNumbers &numbers_;
};

} // namespace

bool json_read(std::string_view text, JsonNumbers &numbers) {
    return Reader(text, numbers).document();
}

} // namespace vfu
