/* SPDX-License-Identifier: Apache-2.0 */
#include "vfio_function.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "pci_unit.h"

#define PATH_BYTES 512
#define NAME_BYTES 64
#define DRIVER "vfio-pci"

/* The path of something of the function; one that is too long is a path of nothing. */
static const char *path_of(char path[PATH_BYTES], const char *sysfs, const char *address,
                           const char *name) {
    int length = snprintf(path, PATH_BYTES, "%s/%s/%s", sysfs, address, name);
    if (length >= PATH_BYTES) {
        path[0] = '\0';
    }
    return path;
}

/* The last part of what a link leads to; empty if there is no such link. */
static void link_name(const char *sysfs, const char *address, const char *name,
                      char target[NAME_BYTES]) {
    char path[PATH_BYTES];
    char whole[PATH_BYTES];
    ssize_t length = readlink(path_of(path, sysfs, address, name), whole, sizeof whole - 1);
    target[0] = '\0';
    if (length > 0) {
        whole[length] = '\0';
        const char *slash = strrchr(whole, '/');
        (void)snprintf(target, NAME_BYTES, "%.*s", NAME_BYTES - 1, slash ? slash + 1 : whole);
    }
}

/* The first line of a file; empty if it cannot be read. */
static void line_of(const char *sysfs, const char *address, const char *name,
                    char line[NAME_BYTES]) {
    char path[PATH_BYTES];
    FILE *file = fopen(path_of(path, sysfs, address, name), "r");
    line[0] = '\0';
    if (file) {
        if (fgets(line, NAME_BYTES, file)) {
            line[strcspn(line, "\n")] = '\0';
        }
        (void)fclose(file);
    }
}

static unsigned number_of(const char *sysfs, const char *address, const char *name) {
    char line[NAME_BYTES];
    line_of(sysfs, address, name, line);
    return (unsigned)strtoul(line, NULL, 16);
}

static tmu_result_t check_address(const char *address, vfio_function_t *function) {
    unsigned domain = 0;
    unsigned bus = 0;
    unsigned device = 0;
    unsigned number = 0;
    int end = 0;
    int found = sscanf(address, "%8x:%2x:%2x.%1x%n", &domain, &bus, &device, &number, &end);
    (void)snprintf(function->address, sizeof function->address, "%04x:%02x:%02x.%x", domain,
                   bus & 0xffu, device & 0x1fu, number & 0x7u);
    if (found != 4 || address[end] != '\0' || strcmp(address, function->address) != 0) {
        return tmu_error_set(TMU_ERR_URI,
                             "vfio: found '%.40s', expected a PCI address with its domain, as in "
                             "vfio:0000:03:00.0; lspci -D -d %04x:%04x lists them",
                             address, TMU_PCI_VENDOR, TMU_PCI_DEVICE);
    }
    return TMU_OK;
}

/* Checks the function's driver, and that an IOMMU stands between it and memory. */
static tmu_result_t check_driver(const char *sysfs, vfio_function_t *function) {
    char group[NAME_BYTES];
    char driver[NAME_BYTES];
    char kind[NAME_BYTES];
    link_name(sysfs, function->address, "iommu_group", group);
    link_name(sysfs, function->address, "driver", driver);
    line_of(sysfs, function->address, "iommu_group/name", kind);
    if (group[0] == '\0' || strcmp(kind, "vfio-noiommu") == 0) {
        return tmu_error_set(TMU_ERR_URI,
                             "%s is in no IOMMU group: this machine has no IOMMU, or Linux does "
                             "not use it (intel_iommu=on on its command line); without one vfio: "
                             "cannot tell the device where memory is",
                             function->address);
    }
    if (strcmp(driver, DRIVER) != 0) {
        return tmu_error_set(TMU_ERR_URI,
                             "%s is with %s%s, expected " DRIVER "; as root: modprobe " DRIVER "; "
                             "cd %s/%s; echo " DRIVER " >driver_override; "
                             "echo %s | tee driver/unbind >/sys/bus/pci/drivers_probe",
                             function->address, driver[0] ? "the driver " : "no driver", driver,
                             sysfs, function->address, function->address);
    }
    function->group = (unsigned)strtoul(group, NULL, 10);
    return TMU_OK;
}

tmu_result_t vfio_function_find(const char *sysfs, const char *address,
                                vfio_function_t *function_p) {
    char path[PATH_BYTES];
    tmu_result_t result = check_address(address, function_p);
    if (result != TMU_OK) {
        return result;
    }
    if (access(path_of(path, sysfs, function_p->address, "vendor"), F_OK) != 0) {
        return tmu_error_set(TMU_ERR_URI,
                             "there is no PCI device %s in %s; lspci -D -d %04x:%04x lists the "
                             "units of this machine",
                             function_p->address, sysfs, TMU_PCI_VENDOR, TMU_PCI_DEVICE);
    }
    result = pci_ids_check(function_p->address, number_of(sysfs, function_p->address, "vendor"),
                           number_of(sysfs, function_p->address, "device"));
    return result == TMU_OK ? check_driver(sysfs, function_p) : result;
}
