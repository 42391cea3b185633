/* SPDX-License-Identifier: Apache-2.0
 *
 * Parts of vfio: without a device: bus addresses, and the facts of Linux about a function.
 * With one the backend runs in a virtual machine: tests/vm.
 */
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "fixture.h"
#include "tmu_internal.h"
#include "vfio_function.h"
#include "vfio_iova.h"

/* With memory in place of a function's window; the library's own copy is not linked then. */
#include "backend_vfio.c"

#define ADDRESS "0000:00:05.0"
#define PAGE 4096u
#define MIB 0x100000u

/* ---- addresses ------------------------------------------------------------------------------ */

static uint64_t take(vfio_iova_t *iova, uint64_t bytes) {
    uint64_t address = 0;
    return vfio_iova_take(iova, bytes, &address) ? address : 0;
}

static void the_lowest_addresses_are_taken(void) {
    vfio_iova_t iova = {0};
    EXPECT(vfio_iova_allow(&iova, 0, MIB + 3 * PAGE - 1));
    EXPECT(vfio_iova_allow(&iova, 0x10000001, 0x1000ffff));
    EXPECT_NUMBER(take(&iova, PAGE), MIB); /* nothing near zero */
    EXPECT_NUMBER(take(&iova, 2 * PAGE), MIB + PAGE);
    EXPECT_NUMBER(take(&iova, PAGE), 0x10001000); /* behind the hole, at a page */
    vfio_iova_give(&iova, MIB + PAGE);
    EXPECT_NUMBER(take(&iova, 3 * PAGE), 0x10002000); /* does not fit into the gap */
    EXPECT_NUMBER(take(&iova, PAGE), MIB + PAGE);
    EXPECT_NUMBER(take(&iova, 2 * PAGE), 0x10005000);
    EXPECT_NUMBER(take(&iova, PAGE), MIB + 2 * PAGE);
    EXPECT_NUMBER(take(&iova, 0x10000), 0);
    EXPECT_NUMBER(take(&iova, 0), 0);
    vfio_iova_free(&iova);
}

static void a_range_may_end_where_addresses_do(void) {
    vfio_iova_t iova = {0};
    EXPECT(vfio_iova_allow(&iova, UINT64_MAX - PAGE + 2, UINT64_MAX)); /* not a page of it */
    EXPECT_NUMBER(take(&iova, PAGE), 0);
    EXPECT(vfio_iova_allow(&iova, UINT64_MAX - 2 * PAGE + 1, UINT64_MAX));
    EXPECT_NUMBER(take(&iova, 3 * PAGE), 0);
    EXPECT_NUMBER(take(&iova, PAGE), UINT64_MAX - 2 * PAGE + 1);
    EXPECT_NUMBER(take(&iova, PAGE), UINT64_MAX - PAGE + 1);
    EXPECT_NUMBER(take(&iova, PAGE), 0);
    vfio_iova_free(&iova);
}

/* Against a map of pages: what is taken is free before and nobody else's after. */
static void nothing_is_taken_twice(void) {
    enum { PAGES = 256, HELD = 40 };
    bool used[PAGES] = {false};
    struct {
        uint64_t address;
        uint64_t pages;
    } held[HELD] = {{0}};
    vfio_iova_t iova = {0};
    unsigned refused = 0;
    EXPECT(vfio_iova_allow(&iova, MIB, MIB + PAGES * PAGE - 1));
    srand(7);
    for (unsigned i = 0; i < 20000; i++) {
        unsigned which = (unsigned)rand() % HELD;
        if (held[which].address != 0) {
            vfio_iova_give(&iova, held[which].address);
            for (uint64_t page = 0; page < held[which].pages; page++) {
                used[(held[which].address - MIB) / PAGE + page] = false;
            }
            held[which].address = 0;
            continue;
        }
        held[which].pages = 1 + (unsigned)rand() % 20;
        held[which].address = take(&iova, held[which].pages * PAGE);
        refused += held[which].address == 0 ? 1 : 0;
        for (uint64_t page = 0; held[which].address != 0 && page < held[which].pages; page++) {
            bool *one = &used[(held[which].address - MIB) / PAGE + page];
            EXPECT(!*one);
            *one = true;
        }
    }
    EXPECT(refused > 0);
    vfio_iova_free(&iova);
}

/* ---- functions ---------------------------------------------------------------------------------
 */

static char sysfs[] = "/tmp/tmu-vfio-XXXXXX";

static const char *at(const char *name) {
    static char path[256];
    (void)snprintf(path, sizeof path, "%s/" ADDRESS "/%s", sysfs, name);
    return path;
}

static void put(const char *name, const char *line) {
    FILE *file = fopen(at(name), "w");
    EXPECT(file && fprintf(file, "%s\n", line) > 0);
    if (file) {
        (void)fclose(file);
    }
}

static void lead(const char *name, const char *target) {
    (void)unlink(at(name));
    if (target) {
        EXPECT_NUMBER(symlink(target, at(name)), 0);
    }
}

#define EXPECT_FUNCTION(address, result, text)                                                     \
    do {                                                                                           \
        vfio_function_t function;                                                                  \
        EXPECT_NUMBER(vfio_function_find(sysfs, (address), &function), result);                    \
        EXPECT(strstr(tmu_error_text(NULL), (text)));                                              \
    } while (0)

static void an_address_names_a_function_with_its_domain(void) {
    const char *const wrong[] = {"",
                                 "x",
                                 "00:05.0",
                                 "0000:00:05",
                                 "0000:00:5.0",
                                 ADDRESS " ",
                                 "0000:00:05.0/..",
                                 "0000:00:0A.0",
                                 "../" ADDRESS,
                                 "0000:00:05.9"};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        EXPECT_FUNCTION(wrong[i], TMU_ERR_URI, "expected a PCI address with its domain");
    }
    EXPECT_FUNCTION("0000:00:06.0", TMU_ERR_URI, "there is no PCI device 0000:00:06.0");
    EXPECT_FUNCTION("10000:e1:1f.7", TMU_ERR_URI, "there is no PCI device 10000:e1:1f.7");
}

static void what_is_not_ready_is_explained(void) {
    EXPECT_NUMBER(mkdir(at(""), 0700), 0);
    put("vendor", "0x8086");
    put("device", "0x544d");
    EXPECT_FUNCTION(ADDRESS, TMU_ERR_DEVICE, "is PCI device 8086:544d, expected 1234:544d");
    put("vendor", "0x1234");
    EXPECT_FUNCTION(ADDRESS, TMU_ERR_URI, "is in no IOMMU group: this machine has no IOMMU");
    lead("iommu_group", "group");
    EXPECT_NUMBER(mkdir(at("group"), 0700), 0);
    put("iommu_group/name", "vfio-noiommu");
    EXPECT_FUNCTION(ADDRESS, TMU_ERR_URI, "is in no IOMMU group");
    EXPECT_NUMBER(unlink(at("group/name")), 0);
    EXPECT_NUMBER(rmdir(at("group")), 0);
    lead("iommu_group", "../../groups/17");
    EXPECT_FUNCTION(ADDRESS, TMU_ERR_URI,
                    ADDRESS " is with no driver, expected vfio-pci; as root: ");
    lead("driver", "../../drivers/tmu");
    EXPECT_FUNCTION(ADDRESS, TMU_ERR_URI, "is with the driver tmu, expected vfio-pci; as root: ");
    EXPECT(strstr(tmu_error_text(NULL), ">/sys/bus/pci/drivers_probe")); /* the whole of it */
    lead("driver", "../../drivers/vfio-pci");
    vfio_function_t function;
    EXPECT_NUMBER(vfio_function_find(sysfs, ADDRESS, &function), TMU_OK);
    EXPECT_NUMBER(function.group, 17);
    EXPECT_TEXT(function.address, ADDRESS);
    lead("driver", NULL);
    lead("iommu_group", NULL);
    (void)unlink(at("vendor"));
    (void)unlink(at("device"));
    EXPECT_NUMBER(rmdir(at("")), 0);
}

/* ---- a function that goes away --------------------------------------------------------------- */

static void whoever_waits_learns_that_it_is_gone(void) {
    static uint32_t window[TMU_REGISTER_BYTES / sizeof(uint32_t)];
    const struct timespec rest = {.tv_nsec = TMU_LOOK_EVERY_NS};
    vfio_device_t device = {.registers = {.memory = window, .bytes = sizeof window}};
    (void)snprintf(device.files.function.address, sizeof device.files.function.address, "%s",
                   ADDRESS);
    window[TMU_REG_MAGIC / sizeof(uint32_t)] = TMU_MAGIC;
    EXPECT_NUMBER(vfio_alive(&device), TMU_OK);
    memset(window, 0xff, sizeof window);
    EXPECT_NUMBER(vfio_alive(&device), TMU_OK); /* it was looked at just before */
    (void)nanosleep(&rest, NULL);
    EXPECT_NUMBER(vfio_progress(&device, 1), TMU_ERR_DEVICE);
    EXPECT_TEXT(tmu_error_text(NULL), ADDRESS " does not answer: register reads are all ones; see "
                                              "what Linux says about it: dmesg");
    (void)nanosleep(&rest, NULL);
    EXPECT_NUMBER(tmu_backend_vfio.alive(&device), TMU_ERR_DEVICE);
}

static void all(void) {
    RUN(the_lowest_addresses_are_taken);
    RUN(a_range_may_end_where_addresses_do);
    RUN(nothing_is_taken_twice);
    RUN(an_address_names_a_function_with_its_domain);
    RUN(what_is_not_ready_is_explained);
    RUN(whoever_waits_learns_that_it_is_gone);
}

int main(void) {
    if (!mkdtemp(sysfs)) {
        return 1;
    }
    all();
    EXPECT_NUMBER(rmdir(sysfs), 0);
    return expect_summary();
}
