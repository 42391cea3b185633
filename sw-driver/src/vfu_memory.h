/* SPDX-License-Identifier: Apache-2.0
 *
 * Memory that another process can be handed: files that lie in memory only.
 */
#ifndef VFU_MEMORY_H
#define VFU_MEMORY_H

#include <stddef.h>

/** Maps `bytes` of zeros, a multiple of the page size; NULL, or the memory and its file. */
void *vfu_memory_map(size_t bytes, int *file_p);
void vfu_memory_unmap(void *memory, size_t bytes);

#endif
