/* SPDX-License-Identifier: Apache-2.0
 *
 * Parts common to every route to the PCI function: its identity, its enabling, and the eventfds
 * of its vectors.
 */
#ifndef PCI_UNIT_H
#define PCI_UNIT_H

#include "backend.h"
#include "tmu/tmu_pci.h"

/* Of PCI's configuration space. */
#define PCI_CONFIG_IDS 0x00
#define PCI_CONFIG_COMMAND 0x04
#define PCI_COMMAND_MEMORY_AND_MASTER 0x6u

/* TMU_ERR_DEVICE if the function at that address is something else. */
tmu_result_t pci_ids_check(const char *address, unsigned vendor, unsigned device);

typedef struct pci_vectors {
    int *event_fds; /* by vector, -1 where nobody asked */
    uint32_t count;
} pci_vectors_t;

/* Tells the device which eventfd a vector has. */
typedef tmu_result_t (*pci_assign_fn)(void *backend, uint32_t vector, int fd);

/* Room for as many vectors as the device has and the interface knows; TMU_ERR_MEMORY. */
tmu_result_t pci_vectors_open(pci_vectors_t *vectors, uint32_t count);
void pci_vectors_close(pci_vectors_t *vectors);

/*
 * The eventfd of the vector of a doorbell page, made and assigned when it is first asked for.
 * Not thread-safe.  Errors: TMU_ERR_INVALID for a page without a vector, TMU_ERR_MEMORY, and those
 * of `assign`.
 */
tmu_result_t pci_vectors_get(pci_vectors_t *vectors, uint32_t page, pci_assign_fn assign,
                             void *backend, int *fd_p);

#endif
