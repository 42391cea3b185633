// SPDX-License-Identifier: Apache-2.0
// The Verilated module of this library: a unit, or the card around one.
#pragma once

#if TMU_SIM_CARD
#include "VTmuCard.h"
#else
#include "VTmuTop.h"
#endif

#include "host_memory.h"

#include <cstring>

namespace device {

#if TMU_SIM_CARD
using Top = VTmuCard;
#else
using Top = VTmuTop;
#endif

inline Beat beat_of(const VlWide<16> &words) {
    Beat beat;
    std::memcpy(beat.data(), words.data(), kBeatBytes);
    return beat;
}

inline void set_beat(VlWide<16> &words, const Beat &beat) {
    std::memcpy(words.data(), beat.data(), kBeatBytes);
}

} // namespace device
