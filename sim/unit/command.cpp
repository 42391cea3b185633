// SPDX-License-Identifier: Apache-2.0
#include "command.h"

#include "tmu/tmu_regs.h"

namespace bench {

uint8_t refusal(const Shape &shape, const Command &c) {
    if (c.malformed) {
        return TMU_STATUS_MALFORMED;
    }
    if (c.opcode == TMU_OPCODE_INSPECT && !c.privileged) {
        return TMU_STATUS_REFUSED_PRIVILEGE;
    }
    return c.endpoint >= shape.endpoints ? TMU_STATUS_REFUSED_ENDPOINT : 0;
}

} // namespace bench
