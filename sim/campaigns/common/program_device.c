/* SPDX-License-Identifier: Apache-2.0 */
#include "program_device.h"

tmu_t *program_device(const program_t *program, const char *uri, tmu_info_t *info_p) {
    tmu_t *device = NULL;
    tmu_info_t info;
    if (tmu_open(uri, &device) == TMU_OK && tmu_query(device, info_p ? info_p : &info) == TMU_OK) {
        return device;
    }
    (void)program_fails(program, EXIT_USAGE, "%s", tmu_error_text(device));
    tmu_close(device);
    return NULL;
}
