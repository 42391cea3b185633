/* SPDX-License-Identifier: Apache-2.0
 *
 * The snapshot of the counters that the functional device shows on its pages.
 */
#include "ref_device.h"

void ref_snapshot_take(ref_device_t *device) {
    ref_counters_copy(device, device->page_snapshot);
    device->page_snapshots++;
}

int ref_snapshot_read(ref_device_t *device, uint64_t offset, uint64_t *value_p) {
    uint64_t inside = offset % TMU_DOORBELL_PAGE_BYTES;
    bool in_pages = offset / TMU_DOORBELL_PAGE_BYTES <= device->preset->queues;
    if (in_pages && inside == TMU_DOORBELL_PICTURE_OFFSET) {
        *value_p = (uint32_t)(device->page_snapshots << 1); /* always whole */
        return 0;
    }
    if (in_pages && inside >= TMU_DOORBELL_COUNTERS_OFFSET &&
        inside % TMU_DOORBELL_COUNTER_BYTES == 0) {
        uint64_t i = (inside - TMU_DOORBELL_COUNTERS_OFFSET) / TMU_DOORBELL_COUNTER_BYTES;
        *value_p = i < REF_COUNTERS ? device->page_snapshot[i] : 0;
        return 0;
    }
    device->counters[REF_COUNTER_doorbell_errors]++;
    return 1;
}
