/* SPDX-License-Identifier: Apache-2.0
 *
 * A library with the interface of sim/device/tmu_sim.h around the functional device, so that the
 * `sim:` backend is tested where no simulator is built.
 * Options: `refuse` does not start; `die` fails at clock 100; `full` refuses every other doorbell;
 * `shuffle` passes completions on in another order (shuffle.h).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend.h"
#include "shuffle.h"
#include "tmu_sim.h"

struct tmu_sim {
    void *backend;
    shuffle_t *shuffle; /* or NULL */
    const char *options;
    unsigned doorbells;
    bool dead;
};

static const tmu_backend_ops_t *const device = &tmu_backend_ref;

tmu_sim_t *tmu_sim_open(const char *options, char *error, size_t error_size) {
    tmu_sim_t *sim = calloc(1, sizeof *sim);
    if (!sim || strcmp(options, "refuse") == 0 || device->open("tiny", &sim->backend) != TMU_OK) {
        (void)snprintf(error, error_size, "unknown option '%s'", options);
        free(sim);
        return NULL;
    }
    sim->options = strcmp(options, "full") == 0 ? "full" : strcmp(options, "die") == 0 ? "die" : "";
    if (strcmp(options, "shuffle") == 0) {
        sim->shuffle = shuffle_open(sim->backend, 1);
    }
    return sim;
}

void tmu_sim_close(tmu_sim_t *sim) {
    shuffle_close(sim->shuffle);
    device->close(sim->backend);
    free(sim);
}

int tmu_sim_read32(tmu_sim_t *sim, uint32_t offset, uint32_t *value_p) {
    return sim->dead ? -1 : device->read32(sim->backend, offset, value_p) != TMU_OK;
}

int tmu_sim_write32(tmu_sim_t *sim, uint32_t offset, uint32_t value) {
    if (sim->shuffle) {
        return shuffle_write32(sim->shuffle, offset, value) != TMU_OK;
    }
    return sim->dead ? -1 : device->write32(sim->backend, offset, value) != TMU_OK;
}

int tmu_sim_doorbell(tmu_sim_t *sim, uint64_t offset, const void *data, size_t size) {
    if (sim->dead) {
        return -1;
    }
    if (sim->options[0] == 'f' && sim->doorbells++ % 2 == 0) {
        return 1;
    }
    return device->doorbell_write(sim->backend, offset, data, size) != TMU_OK;
}

int tmu_sim_doorbell_read(tmu_sim_t *sim, uint64_t offset, uint64_t *value_p) {
    return sim->dead ? -1 : device->page_read64(sim->backend, offset, value_p) != TMU_OK;
}

void *tmu_sim_memory_alloc(tmu_sim_t *sim, size_t bytes, uint64_t *bus_address_p) {
    tmu_dma_t dma;
    if (device->dma_alloc(sim->backend, bytes, &dma) != TMU_OK) {
        return NULL;
    }
    *bus_address_p = dma.bus_address;
    return dma.memory;
}

void tmu_sim_memory_free(tmu_sim_t *sim, void *memory) {
    tmu_dma_t dma = {.memory = memory, .bus_address = (uint64_t)(uintptr_t)memory};
    device->dma_free(sim->backend, &dma);
}

int tmu_sim_progress(tmu_sim_t *sim, unsigned max_clocks) {
    uint64_t before = tmu_sim_clock(sim);
    if (sim->shuffle) {
        sim->dead = shuffle_progress(sim->shuffle, max_clocks) != TMU_OK;
    } else {
        sim->dead = sim->dead || (sim->options[0] == 'd' && before >= 100) ||
                    device->progress(sim->backend, max_clocks) != TMU_OK;
    }
    return sim->dead ? -1 : (int)(tmu_sim_clock(sim) - before);
}

uint64_t tmu_sim_clock(const tmu_sim_t *sim) { return device->clock(sim->backend); }

const char *tmu_sim_error(const tmu_sim_t *sim) { return sim->dead ? "assertion failed" : ""; }
