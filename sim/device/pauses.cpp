// SPDX-License-Identifier: Apache-2.0
#include "pauses.h"

namespace device {

void Pauses::clock() {
    if (!enabled_ || lull_ == 0) {
        return;
    }
    if (stretch_left_ == 0) {
        calm_ = !calm_;
        stretch_left_ = 1 + random_() % lull_;
    }
    --stretch_left_;
}

bool Pauses::pause(unsigned channel) {
    if (!enabled_ || calm_) {
        return false;
    }
    if (left_[channel] == 0) {
        pausing_[channel] = !pausing_[channel];
        const uint64_t draw = random_();
        // Mostly short runs; one in 32 is long.
        left_[channel] = static_cast<uint16_t>(1 + draw % ((draw >> 32) % 32 == 0 ? 64 : 6));
    }
    --left_[channel];
    return pausing_[channel];
}

uint64_t Pauses::choose(uint64_t limit) { return enabled_ ? random_() % limit : 0; }

} // namespace device
