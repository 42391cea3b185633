/* SPDX-License-Identifier: Apache-2.0 */
/* Preloaded: a fi_getinfo that knows none of libfabric's own flags, as a later one might not. */
#include <dlfcn.h>
#include <rdma/fabric.h>

int fi_getinfo(uint32_t version, const char *node, const char *service, uint64_t flags,
               const struct fi_info *hints, struct fi_info **info) {
    static int (*real)(uint32_t, const char *, const char *, uint64_t, const struct fi_info *,
                       struct fi_info **);
    if (real == NULL)
        *(void **)&real = dlsym(RTLD_NEXT, "fi_getinfo");
    return real(version, node, service, flags & ~(UINT64_C(7) << 58), hints, info);
}
