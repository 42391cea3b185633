/* SPDX-License-Identifier: Apache-2.0
 *
 * Memory for a device to reach: files that lie in memory only, which another process can be handed,
 * and which a process that forks goes on sharing with the device; a child has none of it.
 */
#ifndef DMA_MEMORY_H
#define DMA_MEMORY_H

#include <stddef.h>

/* Bytes of a request in whole pages. */
size_t dma_memory_whole(size_t bytes);

/* Maps `bytes` of zeros, a multiple of the page size; NULL, or the memory and its file. */
void *dma_memory_map(size_t bytes, int *file_p);
void dma_memory_unmap(void *memory, size_t bytes);

#endif
