/* SPDX-License-Identifier: Apache-2.0 */
#include "sim_library.h"

#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FOLDERS "TMU_SIM_PATH"
#define FUNCTIONAL "libtmu_functional.so"
#define NAME_BYTES 128
#define FOLDER_BYTES 1024
/* TMU_INSTALLED, by CMake: where they are installed, below the prefix or absolute. */

/* A library that is looked for. */
typedef struct wanted {
    char file[NAME_BYTES];
    char builds[2][NAME_BYTES]; /* its folders below one that is above this library; or empty */
    char *path;                 /* where it is */
    size_t size;
} wanted_t;

/* Whether `what` is a path or a file already. */
static bool is_file(const char *what) { return strchr(what, '/') || strstr(what, ".so"); }

/* In a folder inside one of `length` bytes. */
static bool find_in(const wanted_t *wanted, const char *folder, size_t length, const char *inside) {
    int written = snprintf(wanted->path, wanted->size, "%.*s%s%s/%s", (int)length, folder,
                           inside[0] ? "/" : "", inside, wanted->file);
    return length > 0 && written > 0 && (size_t)written < wanted->size &&
           access(wanted->path, R_OK) == 0;
}

static bool find_in_folders(const wanted_t *wanted) {
    const char *folders = getenv(FOLDERS);
    while (folders) {
        size_t length = strcspn(folders, ":");
        if (find_in(wanted, folders, length, "")) {
            return true;
        }
        folders = folders[length] == ':' ? folders + length + 1 : NULL;
    }
    return false;
}

/* In the installation or the checkout that a folder is part of. */
static bool find_above(const wanted_t *wanted, const char *folder) {
    size_t length = strlen(folder);
    while (length > 0) {
        if (find_in(wanted, folder, length, "tmu") ||
            find_in(wanted, folder, length, TMU_INSTALLED) ||
            find_in(wanted, folder, length, wanted->builds[0]) ||
            (wanted->builds[1][0] && find_in(wanted, folder, length, wanted->builds[1]))) {
            return true;
        }
        while (length > 0 && folder[--length] != '/') {
        }
    }
    return false;
}

/* The folder of what this is linked into: the library, or a program. */
static void own_folder(char folder[FOLDER_BYTES]) {
    Dl_info info;
    char real[4096] = "";
    folder[0] = '\0';
    void *here = NULL;
    tmu_result_t (*const function)(char *, size_t) = sim_library_functional;
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

/* TMU_ERR_URI, and as the sentence where it was looked for; `build` = what makes it. */
static tmu_result_t find(const wanted_t *wanted, const char *build) {
    char folder[FOLDER_BYTES];
    own_folder(folder);
    if (find_in_folders(wanted) || find_in(wanted, folder, strlen(folder), "") ||
        find_above(wanted, folder) ||
        (TMU_INSTALLED[0] == '/' && find_in(wanted, TMU_INSTALLED, strlen(TMU_INSTALLED), ""))) {
        return TMU_OK;
    }
    return tmu_error_set(TMU_ERR_URI,
                         "there is no %s; in a checkout this builds it: %s; looked for it in the "
                         "folders of " FOLDERS ", in %s, in tmu there, and above it in %s",
                         wanted->file, build, folder, wanted->builds[0]);
}

tmu_result_t sim_library_find(const char *what, char *path, size_t size) {
    wanted_t wanted = {.path = path, .size = size};
    char build[NAME_BYTES];
    if (is_file(what)) {
        return (size_t)snprintf(path, size, "%s", what) < size
                   ? TMU_OK
                   : tmu_error_set(TMU_ERR_URI, "sim: the path of a library is too long");
    }
    (void)snprintf(wanted.file, NAME_BYTES, "libtmu_sim_%s.so", what);
    (void)snprintf(wanted.builds[0], NAME_BYTES, "verilated/%s", what);
    (void)snprintf(build, NAME_BYTES, "./tmu run --preset %s", what);
    return find(&wanted, build);
}

tmu_result_t sim_library_functional(char *path, size_t size) {
    const wanted_t wanted = {
        .file = FUNCTIONAL, .builds = {"functional", "c/functional"}, .path = path, .size = size};
    return find(&wanted, "./tmu replay");
}
