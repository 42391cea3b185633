/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Command lines and ends of the campaigns' C programs: one table of options, complaints
 * and exit codes.
 *
 * Figures go to standard output, everything else to standard error.
 */
#ifndef PROGRAM_H
#define PROGRAM_H

#include <stdbool.h>
#include <stdint.h>

enum { EXIT_WELL = 0, EXIT_DIFFERENCE = 1, EXIT_USAGE = 2 };

typedef enum program_kind {
    PROGRAM_FLAG,
    PROGRAM_TEXT,
    PROGRAM_NUMBER, /* of `bytes` bytes */
    PROGRAM_DECIMAL,
    PROGRAM_OTHER, /* `take` reads it */
} program_kind_t;

/* An option: its word without the dashes, and where its value goes. */
typedef struct program_option {
    const char *name; /* NULL ends a table */
    program_kind_t kind;
    bool needed; /* the program cannot do without it */
    union {
        bool *flag;
        const char **text;
        void *number;
        double *decimal;
        void *other;
    } to;
    uint64_t low;
    uint64_t high;
    double least;
    double most;
    uint8_t bytes;
    void (*take)(void *other, const char *text); /* ends the program where `text` is none */
} program_option_t;

#define OPTION_FLAG(word, variable) {.name = (word), .kind = PROGRAM_FLAG, .to.flag = &(variable)}
#define OPTION_TEXT(word, variable) {.name = (word), .kind = PROGRAM_TEXT, .to.text = &(variable)}
#define OPTION_NEEDED(word, variable)                                                              \
    {.name = (word), .kind = PROGRAM_TEXT, .to.text = &(variable), .needed = true}
/* A number from `from` to `upto`, in a variable of 16, 32 or 64 bits without a sign. */
#define OPTION_NUMBER(word, variable, from, upto)                                                  \
    {.name = (word),                                                                               \
     .kind = PROGRAM_NUMBER,                                                                       \
     .to.number = &(variable),                                                                     \
     .low = (from),                                                                                \
     .high = (upto),                                                                               \
     .bytes = _Generic((variable), uint16_t: 2, uint32_t: 4, uint64_t: 8)}
#define OPTION_DECIMAL(word, variable, from, upto)                                                 \
    {.name = (word),                                                                               \
     .kind = PROGRAM_DECIMAL,                                                                      \
     .to.decimal = &(variable),                                                                    \
     .least = (from),                                                                              \
     .most = (upto)}
#define OPTION_OTHER(word, function, variable)                                                     \
    {.name = (word), .kind = PROGRAM_OTHER, .take = (function), .to.other = &(variable)}

typedef struct program {
    const char *name;
    const char *usage;
    const char *words; /* what has to follow the options, in a word; NULL: nothing may */
} program_t;

/*
 * Reads the command line into what the table points to; the index of the first word behind it.
 * --help ends the program with exit code 0; what is wrong is said, and ends it with 2.
 */
int program_options(const program_t *program, const program_option_t *options, int count,
                    char **values);

/* Says what is wrong with the command line, and how it has to be; exit code 2. */
_Noreturn void program_usage(const program_t *program, const char *found);

/* Says what is wrong, behind the program's name; returns `status`. */
int program_fails(const program_t *program, int status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
