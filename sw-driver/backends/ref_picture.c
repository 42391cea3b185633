/* SPDX-License-Identifier: Apache-2.0
 *
 * The picture of the counters that the functional device shows on its pages.
 */
#include <inttypes.h>

#include "ref_device.h"

void ref_picture_take(ref_device_t *device) {
    ref_counters_copy(device, device->picture);
    device->pictures++;
}

tmu_result_t ref_picture_read(ref_device_t *device, uint64_t offset, uint64_t *value_p) {
    uint64_t inside = offset % TMU_DOORBELL_PAGE_BYTES;
    bool in_pages = offset / TMU_DOORBELL_PAGE_BYTES <= device->preset->queues;
    if (in_pages && inside == TMU_DOORBELL_PICTURE_OFFSET) {
        *value_p = (uint32_t)(device->pictures << 1); /* always whole */
        return TMU_OK;
    }
    if (in_pages && inside >= TMU_DOORBELL_COUNTERS_OFFSET &&
        inside % TMU_DOORBELL_COUNTER_BYTES == 0) {
        uint64_t i = (inside - TMU_DOORBELL_COUNTERS_OFFSET) / TMU_DOORBELL_COUNTER_BYTES;
        *value_p = i < REF_COUNTERS ? device->picture[i] : 0;
        return TMU_OK;
    }
    device->counters[REF_COUNTER_doorbell_errors]++;
    return tmu_error_set(TMU_ERR_DEVICE, "page read at 0x%" PRIx64 " was answered with an error",
                         offset);
}
