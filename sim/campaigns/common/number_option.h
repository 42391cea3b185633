/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers on the command lines of the C programs. */
#ifndef NUMBER_OPTION_H
#define NUMBER_OPTION_H

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

/* Digits and nothing else, for a number from `low` to `high`; otherwise false. */
static inline bool read_number(const char *text, uint64_t low, uint64_t high, uint64_t *value_p) {
    char *end = NULL;
    errno = 0;
    const unsigned long long value = strtoull(text, &end, 10);
    if (text[0] < '0' || text[0] > '9' || *end != '\0' || errno != 0 || value < low ||
        value > high) {
        return false;
    }
    *value_p = value;
    return true;
}

/* The same; what is no such number ends the program with a message and exit code 2. */
static inline uint64_t number_option(const char *program, const char *option, const char *text,
                                     uint64_t low, uint64_t high) {
    uint64_t value = 0;
    if (!read_number(text, low, high, &value)) {
        (void)fprintf(stderr,
                      "%s: found %s '%s', expected a number from %" PRIu64 " to %" PRIu64 "\n",
                      program, option, text, low, high);
        exit(2);
    }
    return value;
}

/* The same with a fraction. */
static inline double decimal_option(const char *program, const char *option, const char *text,
                                    double low, double high) {
    char *end = NULL;
    const double value = strtod(text, &end);
    if (end == text || *end != '\0' || !(value >= low && value <= high)) {
        (void)fprintf(stderr, "%s: found %s '%s', expected a number from %g to %g\n", program,
                      option, text, low, high);
        exit(2);
    }
    return value;
}

#endif
