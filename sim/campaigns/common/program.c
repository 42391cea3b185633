/* SPDX-License-Identifier: Apache-2.0 */
#include "program.h"

#include "number_option.h"
#include "usage.h"

#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>

#define OPTIONS_MOST 24
/* getopt_long answers with the index of an option, beyond all characters. */
#define FIRST 256

static void take(const program_t *program, const program_option_t *option, const char *text) {
    char word[32];
    uint64_t number;
    (void)snprintf(word, sizeof word, "--%s", option->name);
    switch (option->kind) {
    case PROGRAM_FLAG:
        *option->to.flag = true;
        break;
    case PROGRAM_TEXT:
        *option->to.text = text;
        break;
    case PROGRAM_OTHER:
        option->take(option->to.other, text);
        break;
    case PROGRAM_DECIMAL:
        *option->to.decimal =
            decimal_option(program->name, word, text, option->least, option->most);
        break;
    case PROGRAM_NUMBER:
        number = number_option(program->name, word, text, option->low, option->high);
        if (option->bytes == sizeof(uint16_t)) {
            *(uint16_t *)option->to.number = (uint16_t)number;
        } else if (option->bytes == sizeof(uint32_t)) {
            *(uint32_t *)option->to.number = (uint32_t)number;
        } else {
            *(uint64_t *)option->to.number = number;
        }
        break;
    }
}

/* Complaint about a missing or surplus argument; NULL if there is none. */
static const char *wrong(const program_t *program, const program_option_t *options, bool words,
                         char *text, size_t size) {
    for (const program_option_t *option = options; option->name; option++) {
        if (option->needed && !*option->to.text) {
            (void)snprintf(text, size, "no --%s", option->name);
            return text;
        }
    }
    if (words && !program->words) {
        return "a word that is no option";
    }
    if (!words && program->words) {
        (void)snprintf(text, size, "no %s", program->words);
        return text;
    }
    return NULL;
}

int program_options(const program_t *program, const program_option_t *options, int count,
                    char **values) {
    struct option names[OPTIONS_MOST + 2] = {{"help", no_argument, NULL, 'h'}};
    for (int i = 0; i < OPTIONS_MOST && options[i].name; i++) {
        const int takes = options[i].kind == PROGRAM_FLAG ? no_argument : required_argument;
        names[i + 1] = (struct option){options[i].name, takes, NULL, FIRST + i};
    }
    int found;
    while ((found = getopt_long(count, values, "", names, NULL)) != -1) {
        if (found < FIRST) {
            usage_option(found, program->usage);
        }
        take(program, &options[found - FIRST], optarg);
    }
    char text[64];
    const char *problem = wrong(program, options, optind < count, text, sizeof text);
    if (problem) {
        program_usage(program, problem);
    }
    return optind;
}

void program_usage(const program_t *program, const char *found) {
    usage_wrong(program->name, found, program->usage);
}

int program_fails(const program_t *program, int status, const char *format, ...) {
    va_list arguments;
    (void)fprintf(stderr, "%s: ", program->name);
    va_start(arguments, format);
    (void)vfprintf(stderr, format, arguments);
    va_end(arguments);
    (void)fputc('\n', stderr);
    return status;
}
