/* SPDX-License-Identifier: Apache-2.0 */
#include "dma_memory.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/types.h>
#include <unistd.h>

size_t dma_memory_whole(size_t bytes) {
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    return (bytes + page - 1) / page * page;
}

void *dma_memory_map(size_t bytes, int *file_p) {
    int file = memfd_create("tmu", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (file < 0) {
        return NULL;
    }
    void *memory = MAP_FAILED;
    /* The device may rely on it that the file stays as long as it is. */
    if (ftruncate(file, (off_t)bytes) == 0 &&
        fcntl(file, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) == 0) {
        memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    }
    if (memory != MAP_FAILED && madvise(memory, bytes, MADV_DONTFORK) != 0) {
        (void)munmap(memory, bytes);
        memory = MAP_FAILED;
    }
    if (memory == MAP_FAILED) {
        (void)close(file);
        return NULL;
    }
    *file_p = file;
    return memory;
}

void dma_memory_unmap(void *memory, size_t bytes) { (void)munmap(memory, bytes); }
