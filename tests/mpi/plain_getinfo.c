/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Preloaded: a fi_getinfo that knows none of libfabric's own flags, as a later one might not.  With
 * TEST_NOT_DIRECTED set it ends the process when another provider than `tmu` is asked for
 * FI_DIRECTED_RECV.
 */
#include <dlfcn.h>
#include <rdma/fabric.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int fi_getinfo(uint32_t version, const char *node, const char *service, uint64_t flags,
               const struct fi_info *hints, struct fi_info **info) {
    static int (*real)(uint32_t, const char *, const char *, uint64_t, const struct fi_info *,
                       struct fi_info **);
    if (!real) {
        *(void **)&real = dlsym(RTLD_NEXT, "fi_getinfo");
    }
    const char *name = hints && hints->fabric_attr ? hints->fabric_attr->prov_name : NULL;
    if (getenv("TEST_NOT_DIRECTED") && name && strcmp(name, "tmu") != 0 &&
        (hints->caps & FI_DIRECTED_RECV) != 0) {
        fprintf(stderr, "%s is asked for FI_DIRECTED_RECV\n", name);
        _Exit(9);
    }
    return real(version, node, service, flags & ~(UINT64_C(7) << 58), hints, info);
}
