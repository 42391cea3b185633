/* SPDX-License-Identifier: Apache-2.0
 *
 * The public header compiles alone in C++, and its functions link from there. */
#include "tmu/tmu_net.h"

#include <cstdio>
#include <cstring>

int main() {
    bool words = std::strcmp(tmu_result_text(TMU_OK), "ok") == 0;
    bool refused = tmu_open(nullptr, nullptr) == TMU_ERR_INVALID;
    std::printf("%d passed, %d failed\n", words + refused, 2 - words - refused);
    return words && refused ? 0 : 1;
}
