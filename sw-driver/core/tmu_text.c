/* SPDX-License-Identifier: Apache-2.0
 *
 * Results, verdicts and operations in words, and the sentence of each thread's last error.
 */
#include <stdarg.h>
#include <stdio.h>

#include "backend.h"

/* Each thread has its own, so that no sentence is overwritten while another thread reads it. */
static _Thread_local char error_text[320];

tmu_result_t tmu_error_set(tmu_result_t result, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(error_text, sizeof error_text, format, arguments);
    va_end(arguments);
    return result;
}

const char *tmu_error_text(const tmu_t *device) {
    (void)device;
    return error_text;
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

#define NAME_ROW(name, number)                                                                     \
    case number:                                                                                   \
        return #name;

const char *tmu_status_text(uint8_t status) {
    switch (status) {
        TMU_STATUS_TABLE(NAME_ROW)
    case TMU_STATUS_UNANSWERED:
        return "unanswered";
    default:
        return "unknown status";
    }
}

const char *tmu_opcode_text(uint8_t opcode) {
    switch (opcode) {
        TMU_OPCODE_TABLE(NAME_ROW)
    default:
        return "unknown opcode";
    }
}

const char *tmu_version(void) { return TMU_VERSION; }
