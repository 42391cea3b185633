/* SPDX-License-Identifier: Apache-2.0 */
#include "say.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#define LONGEST 4096

static say_log_fn log_to;

void say_to(say_log_fn log) { log_to = log; }

static void tell(say_kind_t kind, const char *text) {
    if ((!log_to || log_to(kind, text) == 0) && kind == SAY_SENTENCE) {
        (void)fprintf(stderr, "tmu provider: %s\n", text);
    }
}

void tfi_say(const char *format, ...) {
    char text[LONGEST];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    tell(SAY_SENTENCE, text);
}

void tfi_say_rarely(uint64_t *count, const char *format, ...) {
    char text[LONGEST];
    va_list arguments;
    const uint64_t now = ++*count;
    if ((now & (now - 1)) != 0) {
        return;
    }
    va_start(arguments, format);
    int length = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (now > 1 && length > 0 && (size_t)length < sizeof text) {
        (void)snprintf(text + length, sizeof text - (size_t)length, " (%" PRIu64 " times so far)",
                       now);
    }
    tell(SAY_SENTENCE, text);
}

void tfi_note(const char *format, ...) {
    char text[LONGEST];
    va_list arguments;
    if (!log_to) {
        return;
    }
    va_start(arguments, format);
    (void)vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    tell(SAY_NOTE, text);
}
