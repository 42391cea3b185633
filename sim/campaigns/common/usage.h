/* SPDX-License-Identifier: Apache-2.0 */
/* Exit of a C program whose command line asks for help or is wrong. */
#ifndef USAGE_H
#define USAGE_H

#include <stdio.h>
#include <stdlib.h>

/* For options that are none of the program's own: --help, which getopt_long gives as 'h', ends it
 * with exit code 0, what it does not know, and has complained about, with 2. */
static inline _Noreturn void usage_option(int option, const char *usage) {
    const int help = option == 'h';
    (void)fputs(usage, help ? stdout : stderr);
    exit(help ? 0 : 2);
}

/* Says what is wrong with the command line, and how it has to be; exit code 2. */
static inline _Noreturn void usage_wrong(const char *program, const char *found,
                                         const char *usage) {
    (void)fprintf(stderr, "%s: found %s\n%s", program, found, usage);
    exit(2);
}

#endif
