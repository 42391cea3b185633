/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Asks libfabric for `tmu` as MPICH does: first for whatever there is, then by the name of what was
 * found.  Prints the names that are seen, and ends with 0 when the second question is answered.
 * With the argument `delivery` the sends are to end with FI_DELIVERY_COMPLETE.
 */
#include <rdma/fabric.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv) {
    struct fi_info *seen = NULL;
    struct fi_info *found = NULL;
    struct fi_info *hints = fi_allocinfo();
    char name[] = "tmu";
    if (!hints) {
        return 2;
    }
    (void)fi_getinfo(fi_version(), NULL, NULL, 0, NULL, &seen);
    const char *last = "";
    for (const struct fi_info *info = seen; info; info = info->next) {
        if (strcmp(info->fabric_attr->prov_name, last) != 0) {
            printf("%s\n", info->fabric_attr->prov_name);
        }
        last = info->fabric_attr->prov_name;
    }
    hints->fabric_attr->prov_name = name;
    hints->caps = FI_TAGGED | FI_MSG | FI_MULTI_RECV | FI_DIRECTED_RECV;
    hints->domain_attr->threading = FI_THREAD_DOMAIN;
    if (argc > 1 && strcmp(argv[1], "delivery") == 0) {
        hints->tx_attr->op_flags = FI_DELIVERY_COMPLETE;
    }
    const int result = fi_getinfo(fi_version(), NULL, NULL, 0, hints, &found);
    /* MPICH insists on the very model of threads that it asked for. */
    const int right = result == 0 && found->domain_attr->threading == FI_THREAD_DOMAIN &&
                      found->domain_attr->cq_data_size >= 4;
    hints->fabric_attr->prov_name = NULL;
    fi_freeinfo(hints);
    fi_freeinfo(found);
    fi_freeinfo(seen);
    return right ? 0 : 1;
}
