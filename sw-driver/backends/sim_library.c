/* SPDX-License-Identifier: Apache-2.0 */
#include "sim_library.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FOLDERS "TMU_SIM_PATH"
#define NAME "libtmu_sim_%s.so"
#define CHECKOUT "verilated/%s/" NAME /* below the build folder */
#define FOLDER_BYTES 1024

/** Whether `what` is a path or a file already. */
static bool is_file(const char *what) { return strchr(what, '/') || strstr(what, ".so"); }

static bool is_there(const char *path, int length, size_t size) {
    return length > 0 && (size_t)length < size && access(path, R_OK) == 0;
}

/** In a folder of `length` bytes, directly. */
static bool find_in(const char *folder, size_t length, const char *inside, const char *preset,
                    char *path, size_t size) {
    int written = snprintf(path, size, "%.*s/%s" NAME, (int)length, folder, inside, preset);
    return length > 0 && is_there(path, written, size);
}

static bool find_in_folders(const char *preset, char *path, size_t size) {
    const char *folders = getenv(FOLDERS);
    while (folders) {
        size_t length = strcspn(folders, ":");
        if (find_in(folders, length, "", preset, path, size)) {
            return true;
        }
        folders = folders[length] == ':' ? folders + length + 1 : NULL;
    }
    return false;
}

/** In the build of the checkout that a folder is part of. */
static bool find_above(const char *folder, const char *preset, char *path, size_t size) {
    size_t length = strlen(folder);
    while (length > 0) {
        int written = snprintf(path, size, "%.*s/" CHECKOUT, (int)length, folder, preset, preset);
        if (is_there(path, written, size)) {
            return true;
        }
        while (length > 0 && folder[--length] != '/') {
        }
    }
    return false;
}

/** The folder of what this is linked into: the library, or a program. */
static void own_folder(char folder[FOLDER_BYTES]) {
    Dl_info info;
    char real[4096] = "";
    folder[0] = '\0';
    void *here = NULL;
    tmu_result_t (*const function)(const char *, char *, size_t) = sim_library_find;
    memcpy(&here, &function, sizeof here); /* ISO C has no cast from function to object */
    if (dladdr(here, &info) == 0 || !info.dli_fname || !realpath(info.dli_fname, real)) {
        (void)!readlink("/proc/self/exe", real, sizeof real - 1);
    }
    char *slash = strrchr(real, '/');
    if (slash && slash - real < FOLDER_BYTES) {
        *slash = '\0';
        (void)snprintf(folder, FOLDER_BYTES, "%.*s", FOLDER_BYTES - 1, real);
    }
}

tmu_result_t sim_library_find(const char *what, char *path, size_t size) {
    char folder[FOLDER_BYTES];
    own_folder(folder);
    if (is_file(what)) {
        return (size_t)snprintf(path, size, "%s", what) < size
                   ? TMU_OK
                   : tmu_error_set(TMU_ERR_URI, "sim: the path of a library is too long");
    }
    if (find_in_folders(what, path, size) ||
        find_in(folder, strlen(folder), "", what, path, size) ||
        find_in(folder, strlen(folder), "tmu/", what, path, size) ||
        find_above(folder, what, path, size)) {
        return TMU_OK;
    }
    return tmu_error_set(TMU_ERR_URI,
                         "there is no " NAME "; in a checkout this builds it: ./tmu run --preset "
                         "%s; looked for it in the folders of " FOLDERS ", in %s, in tmu there, "
                         "and above it in verilated/%s",
                         what, what, folder, what);
}
