/* SPDX-License-Identifier: Apache-2.0 */
#include "pci_unit.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

tmu_result_t pci_ids_check(const char *address, unsigned vendor, unsigned device) {
    return vendor == TMU_PCI_VENDOR && device == TMU_PCI_DEVICE
               ? TMU_OK
               : tmu_error_set(TMU_ERR_DEVICE,
                               "the device at %s is PCI device %04x:%04x, expected %04x:%04x; name "
                               "the address or the socket of a unit",
                               address, vendor, device, TMU_PCI_VENDOR, TMU_PCI_DEVICE);
}

tmu_result_t pci_vectors_open(pci_vectors_t *vectors, uint32_t count) {
    uint32_t usable = count < TMU_PCI_VECTORS_MAX ? count : TMU_PCI_VECTORS_MAX;
    vectors->event_fds = malloc((usable + 1) * sizeof *vectors->event_fds);
    if (!vectors->event_fds) {
        return tmu_error_set(TMU_ERR_MEMORY, "no memory for %u interrupts", count);
    }
    for (uint32_t i = 0; i < usable; i++) {
        vectors->event_fds[i] = -1;
    }
    vectors->count = usable;
    return TMU_OK;
}

void pci_vectors_close(pci_vectors_t *vectors) {
    for (uint32_t i = 0; i < vectors->count; i++) {
        if (vectors->event_fds[i] >= 0) {
            (void)close(vectors->event_fds[i]);
        }
    }
    free(vectors->event_fds);
    *vectors = (pci_vectors_t){0};
}

tmu_result_t pci_vectors_get(pci_vectors_t *vectors, uint32_t page, pci_assign_fn assign,
                             void *backend, int *fd_p) {
    if (page >= vectors->count) {
        return tmu_error_set(TMU_ERR_INVALID,
                             "the queue of page %u has no interrupt: the device has %u; poll it",
                             page, vectors->count);
    }
    tmu_result_t result = TMU_OK;
    if (vectors->event_fds[page] < 0) {
        int fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
        result = fd < 0 ? tmu_error_set(TMU_ERR_MEMORY, "no eventfd: %s", strerror(errno))
                        : assign(backend, page, fd);
        if (result == TMU_OK) {
            vectors->event_fds[page] = fd;
        } else if (fd >= 0) {
            (void)close(fd);
        }
    }
    *fd_p = vectors->event_fds[page];
    return result;
}
