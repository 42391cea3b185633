/* SPDX-License-Identifier: Apache-2.0
 *
 * Devices that are a library which this process loads (sim_library.h):
 * `sim:LIBRARY[?options]`, the simulated hardware by its library or by the name of a preset, and
 * `ref:PRESET[?options]`, the functional device.
 *
 * The library's functions are those of sim/device/tmu_sim.h; the options go to it unread.
 */
#include <dlfcn.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "backend.h"
#include "sim_library.h"

#define REASON_BYTES 512
#define PATH_BYTES 4096

/* The simulator as its library keeps it. */
typedef struct tmu_sim tmu_sim_t;

typedef struct sim_device {
    pthread_mutex_t lock; /* the library takes one caller at a time */
    void *library;
    tmu_sim_t *sim;
    const char *kind; /* for sentences */

    tmu_sim_t *(*open)(const char *options, char *error, size_t error_size);
    void (*close)(tmu_sim_t *sim);
    int (*read32)(tmu_sim_t *sim, uint32_t offset, uint32_t *value);
    int (*write32)(tmu_sim_t *sim, uint32_t offset, uint32_t value);
    int (*doorbell)(tmu_sim_t *sim, uint64_t offset, const void *data, size_t size);
    int (*doorbell_read)(tmu_sim_t *sim, uint64_t offset, uint64_t *value);
    void *(*memory_alloc)(tmu_sim_t *sim, size_t bytes, uint64_t *bus_address);
    void (*memory_free)(tmu_sim_t *sim, void *memory);
    int (*progress)(tmu_sim_t *sim, unsigned max_clocks);
    uint64_t (*clock)(const tmu_sim_t *sim);
    const char *(*last_error)(const tmu_sim_t *sim);
} sim_device_t;

static tmu_result_t find_symbol(sim_device_t *device, const char *path, const char *name,
                                void *function_p) {
    void *symbol = dlsym(device->library, name);
    if (!symbol) {
        return tmu_error_set(TMU_ERR_URI, "'%s' is no simulated device: it has no function %s",
                             path, name);
    }
    memcpy(function_p, &symbol, sizeof symbol); /* ISO C has no cast from object to function */
    return TMU_OK;
}

static tmu_result_t find_symbols(sim_device_t *device, const char *path) {
    const struct {
        const char *name;
        void *function_p;
    } symbols[] = {
        {"tmu_sim_open", &device->open},
        {"tmu_sim_close", &device->close},
        {"tmu_sim_read32", &device->read32},
        {"tmu_sim_write32", &device->write32},
        {"tmu_sim_doorbell", &device->doorbell},
        {"tmu_sim_doorbell_read", &device->doorbell_read},
        {"tmu_sim_memory_alloc", &device->memory_alloc},
        {"tmu_sim_memory_free", &device->memory_free},
        {"tmu_sim_progress", &device->progress},
        {"tmu_sim_clock", &device->clock},
        {"tmu_sim_error", &device->last_error},
    };
    for (size_t i = 0; i < sizeof symbols / sizeof symbols[0]; i++) {
        tmu_result_t result = find_symbol(device, path, symbols[i].name, symbols[i].function_p);
        if (result != TMU_OK) {
            return result;
        }
    }
    return TMU_OK;
}

static void sim_close(void *backend) {
    sim_device_t *device = backend;
    if (device->sim) {
        device->close(device->sim);
    }
    if (device->library) {
        (void)dlclose(device->library);
    }
    pthread_mutex_destroy(&device->lock);
    free(device);
}

static tmu_result_t sim_load(sim_device_t *device, const char *path) {
    device->library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    return device->library ? find_symbols(device, path)
                           : tmu_error_set(TMU_ERR_URI, "cannot load '%s': %s", path, dlerror());
}

static tmu_result_t sim_new(const char *kind, sim_device_t **device_p) {
    sim_device_t *device = calloc(1, sizeof *device);
    if (!device) {
        return tmu_error_set(TMU_ERR_MEMORY, "no memory for a simulated device");
    }
    pthread_mutex_init(&device->lock, NULL);
    device->kind = kind;
    *device_p = device;
    return TMU_OK;
}

/* Keeps a device that has been started; closes one that has not. */
static tmu_result_t sim_keep(sim_device_t *device, tmu_result_t result, void **backend_p) {
    if (result != TMU_OK) {
        sim_close(device);
        return result;
    }
    *backend_p = device;
    return TMU_OK;
}

/* Loads the library and starts the simulation; `what` ends where the options began. */
static tmu_result_t sim_start(sim_device_t *device, const char *what, const char *options) {
    char reason[REASON_BYTES] = "";
    char path[PATH_BYTES];
    tmu_result_t result = sim_library_find(what, path, sizeof path);
    if (result == TMU_OK) {
        result = sim_load(device, path);
    }
    if (result != TMU_OK) {
        return result;
    }
    device->sim = device->open(options, reason, sizeof reason);
    return device->sim ? TMU_OK
                       : tmu_error_set(TMU_ERR_URI, "'%s' does not start with options '%s': %s",
                                       path, options, reason);
}

static tmu_result_t sim_open(const char *rest, void **backend_p) {
    const size_t length = strcspn(rest, "?");
    sim_device_t *device = NULL;
    if (length == 0) {
        return tmu_error_set(TMU_ERR_URI,
                             "sim: needs the path of a library, or the name of a preset");
    }
    char *path = strndup(rest, length);
    tmu_result_t result =
        path ? sim_new("simulated hardware", &device)
             : tmu_error_set(TMU_ERR_MEMORY, "no memory for the path of a library");
    if (result == TMU_OK) {
        result = sim_keep(device, sim_start(device, path, rest + length + (rest[length] == '?')),
                          backend_p);
    }
    free(path);
    return result;
}

/* Its sentence says what is wrong with a preset or an option; no path has to be told. */
static tmu_result_t functional_start(sim_device_t *device, const char *options) {
    char reason[REASON_BYTES] = "";
    char path[PATH_BYTES];
    tmu_result_t result = sim_library_functional(path, sizeof path);
    if (result == TMU_OK) {
        result = sim_load(device, path);
    }
    if (result != TMU_OK) {
        return result;
    }
    device->sim = device->open(options, reason, sizeof reason);
    return device->sim ? TMU_OK : tmu_error_set(TMU_ERR_URI, "%s", reason);
}

static tmu_result_t functional_open(const char *rest, void **backend_p) {
    sim_device_t *device = NULL;
    tmu_result_t result = sim_new("functional device", &device);
    return result == TMU_OK ? sim_keep(device, functional_start(device, rest), backend_p) : result;
}

/* Error for a negative answer of the library: the device is dead.  Locked. */
static tmu_result_t sim_failed(const sim_device_t *device) {
    return tmu_error_set(TMU_ERR_DEVICE, "%s, clock %" PRIu64 ": %s", device->kind,
                         device->clock(device->sim), device->last_error(device->sim));
}

/* The sentence of a register access, given what the library answered.  Locked. */
static tmu_result_t sim_register(const sim_device_t *device, int answer, const char *access,
                                 uint32_t offset) {
    if (answer < 0) {
        return sim_failed(device);
    }
    return answer == 0
               ? TMU_OK
               : tmu_error_set(TMU_ERR_DEVICE, "register %s at 0x%03x was answered with an error",
                               access, offset);
}

static tmu_result_t sim_read32(void *backend, uint32_t offset, uint32_t *value_p) {
    sim_device_t *device = backend;
    uint32_t value = 0;
    pthread_mutex_lock(&device->lock);
    int answer = device->read32(device->sim, offset, &value);
    tmu_result_t result = sim_register(device, answer, "read", offset);
    pthread_mutex_unlock(&device->lock);
    if (result == TMU_OK) {
        *value_p = value;
    }
    return result;
}

static tmu_result_t sim_write32(void *backend, uint32_t offset, uint32_t value) {
    sim_device_t *device = backend;
    pthread_mutex_lock(&device->lock);
    int answer = device->write32(device->sim, offset, value);
    tmu_result_t result = sim_register(device, answer, "write", offset);
    pthread_mutex_unlock(&device->lock);
    return result;
}

static tmu_result_t sim_doorbell_write(void *backend, uint64_t offset, const void *data,
                                       size_t size) {
    sim_device_t *device = backend;
    pthread_mutex_lock(&device->lock);
    int answer = device->doorbell(device->sim, offset, data, size);
    tmu_result_t result = answer < 0 ? sim_failed(device) : answer == 0 ? TMU_OK : TMU_AGAIN;
    pthread_mutex_unlock(&device->lock);
    return result;
}

static tmu_result_t sim_page_read64(void *backend, uint64_t offset, uint64_t *value_p) {
    sim_device_t *device = backend;
    pthread_mutex_lock(&device->lock);
    int answer = device->doorbell_read(device->sim, offset, value_p);
    tmu_result_t result = answer < 0 ? sim_failed(device) : TMU_OK;
    pthread_mutex_unlock(&device->lock);
    return answer > 0
               ? tmu_error_set(TMU_ERR_DEVICE,
                               "page read at 0x%" PRIx64 " was answered with an error", offset)
               : result;
}

static tmu_result_t sim_dma_alloc(void *backend, size_t bytes, tmu_dma_t *dma_p) {
    sim_device_t *device = backend;
    uint64_t bus_address = 0;
    pthread_mutex_lock(&device->lock);
    void *memory = device->memory_alloc(device->sim, bytes, &bus_address);
    pthread_mutex_unlock(&device->lock);
    if (!memory) {
        return tmu_error_set(TMU_ERR_MEMORY, "no memory for %zu bytes of shared memory", bytes);
    }
    *dma_p = (tmu_dma_t){.memory = memory, .bus_address = bus_address, .bytes = bytes};
    return TMU_OK;
}

static void sim_dma_free(void *backend, tmu_dma_t *dma) {
    sim_device_t *device = backend;
    pthread_mutex_lock(&device->lock);
    device->memory_free(device->sim, dma->memory);
    pthread_mutex_unlock(&device->lock);
    *dma = (tmu_dma_t){0};
}

static tmu_result_t sim_progress(void *backend, unsigned max_clocks) {
    sim_device_t *device = backend;
    pthread_mutex_lock(&device->lock);
    tmu_result_t result =
        device->progress(device->sim, max_clocks) < 0 ? sim_failed(device) : TMU_OK;
    pthread_mutex_unlock(&device->lock);
    return result;
}

static uint64_t sim_clock(void *backend) {
    sim_device_t *device = backend;
    pthread_mutex_lock(&device->lock);
    uint64_t clock = device->clock(device->sim);
    pthread_mutex_unlock(&device->lock);
    return clock;
}

/* Both schemes are libraries of one interface; they differ in how one is found and opened. */
#define SIM_BACKEND(name, opens)                                                                   \
    {                                                                                              \
        .scheme = name,                                                                            \
        .open = opens,                                                                             \
        .close = sim_close,                                                                        \
        .read32 = sim_read32,                                                                      \
        .write32 = sim_write32,                                                                    \
        .doorbell_write = sim_doorbell_write,                                                      \
        .page_read64 = sim_page_read64,                                                            \
        .dma_alloc = sim_dma_alloc,                                                                \
        .dma_free = sim_dma_free,                                                                  \
        .progress = sim_progress,                                                                  \
        .clock = sim_clock,                                                                        \
    }

const tmu_backend_ops_t tmu_backend_sim = SIM_BACKEND("sim", sim_open);
const tmu_backend_ops_t tmu_backend_ref = SIM_BACKEND("ref", functional_open);
