/* SPDX-License-Identifier: Apache-2.0 */
/* Files with given bytes, for tests of whatever reads files. */
#ifndef TEMPORARY_FILE_H
#define TEMPORARY_FILE_H

#include <stdio.h>
#include <stdlib.h>

/* Writes a file; a test cannot go on without it. */
static inline void write_file(const char *path, const void *bytes, size_t count) {
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(bytes, 1, count, file) != count || fclose(file) != 0) {
        perror(path);
        abort();
    }
}

#endif
