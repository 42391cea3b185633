/* SPDX-License-Identifier: Apache-2.0 */
#include <stdarg.h>
#include <stdio.h>

#include "backend.h"

tmu_result_t tmu_error_set(tmu_error_t *error, tmu_result_t result, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(error->text, sizeof error->text, format, arguments);
    va_end(arguments);
    return result;
}

const char *tmu_result_text(tmu_result_t result) {
    switch (result) {
    case TMU_OK:
        return "ok";
    case TMU_AGAIN:
        return "not now, poll and try again";
    case TMU_ERR_INVALID:
        return "invalid argument";
    case TMU_ERR_URI:
        return "unusable device URI";
    case TMU_ERR_VERSION:
        return "unsupported interface version";
    case TMU_ERR_DEVICE:
        return "device error";
    case TMU_ERR_MEMORY:
        return "out of memory";
    case TMU_ERR_BUSY:
        return "busy";
    }
    return "unknown result";
}
