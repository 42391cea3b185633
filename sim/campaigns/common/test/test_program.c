/* SPDX-License-Identifier: Apache-2.0 */
/* The command line of the campaigns: values of each kind, and each mistake said with exit code 2.
 */
#include "expect.h"
#include "program.h"

#include <getopt.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct values {
    const char *uri;
    uint16_t small;
    uint32_t middle;
    uint64_t large;
    bool flag;
    char other;
} values_t;

static const program_t plain = {"prog", "usage: prog\n", NULL};
static const program_t cells = {"prog", "usage: prog\n", "KIND:DEPTH"};

static void first_character(void *other, const char *text) { *(char *)other = text[0]; }

static int parse(const program_t *program, values_t *values, int count, char **words) {
    const program_option_t options[] = {
        OPTION_NEEDED("uri", values->uri),
        OPTION_NUMBER("small", values->small, 1, UINT16_MAX),
        OPTION_NUMBER("middle", values->middle, 0, UINT32_MAX),
        OPTION_NUMBER("large", values->large, 0, UINT64_MAX),
        OPTION_FLAG("flag", values->flag),
        OPTION_OTHER("other", first_character, values->other),
        {0},
    };
    optind = 1;
    return program_options(program, options, count, words);
}

/* Exit code of the program with a command line; `said`: the first `size` bytes of both streams. */
static int ends(const program_t *program, int count, char **words, char *said, size_t size) {
    int ends_of[2];
    EXPECT_NUMBER(pipe(ends_of), 0);
    const pid_t child = fork();
    if (child == 0) {
        values_t values = {0};
        (void)dup2(ends_of[1], STDOUT_FILENO);
        (void)dup2(ends_of[1], STDERR_FILENO);
        (void)parse(program, &values, count, words);
        _exit(99);
    }
    (void)close(ends_of[1]);
    size_t got = 0;
    ssize_t part;
    while (got + 1 < size && (part = read(ends_of[0], said + got, size - 1 - got)) > 0) {
        got += (size_t)part;
    }
    said[got] = '\0';
    (void)close(ends_of[0]);
    int status = 0;
    EXPECT_NUMBER((uint64_t)waitpid(child, &status, 0), (uint64_t)child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

#define COUNT(words) ((int)(sizeof(words) / sizeof(words)[0]) - 1)
#define EXPECT_END(program, status, text, ...)                                                     \
    do {                                                                                           \
        char *words[] = {(char[]){"prog"}, __VA_ARGS__, NULL};                                     \
        char said[1000];                                                                           \
        EXPECT_NUMBER(ends(&(program), COUNT(words), words, said, sizeof said), status);           \
        if (!strstr(said, text)) {                                                                 \
            EXPECT_TEXT(said, text);                                                               \
        }                                                                                          \
    } while (0)
#define WORD(text)                                                                                 \
    (char[]) { text }

static void values_of_each_kind_are_taken(void) {
    values_t values = {.small = 7};
    char *words[] = {WORD("prog"),
                     WORD("--uri"),
                     WORD("ref:tiny"),
                     WORD("--middle"),
                     WORD("4294967295"),
                     WORD("--large"),
                     WORD("18446744073709551615"),
                     WORD("--flag"),
                     WORD("--other"),
                     WORD("xyz"),
                     WORD("a:1"),
                     NULL};
    EXPECT_NUMBER(parse(&cells, &values, COUNT(words), words), COUNT(words) - 1);
    EXPECT_TEXT(values.uri, "ref:tiny");
    EXPECT_NUMBER(values.small, 7);
    EXPECT_NUMBER(values.middle, UINT32_MAX);
    EXPECT_NUMBER(values.large, UINT64_MAX);
    EXPECT_NUMBER(values.flag, 1);
    EXPECT_NUMBER((uint64_t)values.other, 'x');
}

static void mistakes_are_said_and_end_with_2(void) {
    EXPECT_END(plain, 2, "prog: found --small '65536', expected a number from 1 to 65535\n",
               WORD("--small"), WORD("65536"));
    EXPECT_END(plain, 2, "prog: found no --uri\nusage: prog\n", WORD("--flag"));
    EXPECT_END(plain, 2, "prog: found a word that is no option\nusage: prog\n", WORD("--uri"),
               WORD("u"), WORD("more"));
    EXPECT_END(cells, 2, "prog: found no KIND:DEPTH\nusage: prog\n", WORD("--uri"), WORD("u"));
    EXPECT_END(plain, 2, "usage: prog\n", WORD("--bogus"));
}

static void help_ends_with_0(void) { EXPECT_END(plain, 0, "usage: prog\n", WORD("--help")); }

int main(void) {
    RUN(values_of_each_kind_are_taken);
    RUN(mistakes_are_said_and_end_with_2);
    RUN(help_ends_with_0);
    return expect_summary();
}
