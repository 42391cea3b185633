/* SPDX-License-Identifier: Apache-2.0
 *
 * Verdicts and operations in words: every number has its own name, or is said to have none.
 */
#include <ctype.h>

#include "fixture.h"
#include "tmu_internal.h"

/* Every number's text; `names` are those that there are, by number. */
static void expect_texts(const char *(*text)(uint8_t), const char *const names[256],
                         const char *unknown) {
    for (unsigned code = 0; code < 256; code++) {
        EXPECT_TEXT(text((uint8_t)code), names[code] ? names[code] : unknown);
    }
}

static void verdicts_have_the_names_of_their_numbers(void) {
    const char *const names[256] = {
        [TMU_STATUS_UNANSWERED] = "unanswered",
        [TMU_STATUS_MATCHED] = "matched",
        [TMU_STATUS_QUEUED] = "queued",
        [TMU_STATUS_FOUND] = "found",
        [TMU_STATUS_NONE] = "none",
        [TMU_STATUS_CANCELLED] = "cancelled",
        [TMU_STATUS_LATE] = "late",
        [TMU_STATUS_REMOVED] = "removed",
        [TMU_STATUS_FLUSHED] = "flushed",
        [TMU_STATUS_REFUSED_QUOTA] = "refused_quota",
        [TMU_STATUS_REFUSED_ENDPOINT] = "refused_endpoint",
        [TMU_STATUS_STALLED] = "stalled",
        [TMU_STATUS_MALFORMED] = "malformed",
        [TMU_STATUS_REFUSED_PRIVILEGE] = "refused_privilege",
        [TMU_STATUS_ENTRY] = "entry",
        [TMU_STATUS_EMPTY] = "empty",
        [TMU_STATUS_VACANT] = "vacant",
        [TMU_STATUS_SPILL_FAILED] = "spill_failed",
        [TMU_STATUS_TABLE_FAULT] = "table_fault",
        [TMU_STATUS_SENT] = "sent",
        [TMU_STATUS_UNDELIVERED] = "undelivered",
        [TMU_STATUS_REFUSED_PEER] = "refused_peer",
        [TMU_STATUS_REFUSED_MEMORY] = "refused_memory",
    };
    expect_texts(tmu_status_text, names, "unknown status");
}

static void operations_have_the_names_of_their_numbers(void) {
    const char *const names[256] = {
        [TMU_OPCODE_POST] = "post",       [TMU_OPCODE_ARRIVE] = "arrive",
        [TMU_OPCODE_PROBE] = "probe",     [TMU_OPCODE_CLAIM] = "claim",
        [TMU_OPCODE_CANCEL] = "cancel",   [TMU_OPCODE_FLUSH] = "flush",
        [TMU_OPCODE_INSPECT] = "inspect", [TMU_OPCODE_SEND] = "send",
    };
    expect_texts(tmu_opcode_text, names, "unknown opcode");
}

/* ---- URIs ------------------------------------------------------------------------------------ */

/* Whether a text has `SCHEME:` as a word. */
static bool names_scheme(const char *text, const char *scheme) {
    char word[32];
    (void)snprintf(word, sizeof word, "%s:", scheme);
    const char *found = strstr(text, word);
    while (found && found != text && isalnum((unsigned char)found[-1])) {
        found = strstr(found + 1, word);
    }
    return found;
}

static const char *folder; /* of the driver */

static char *whole(const char *name) {
    static char text[65536];
    char path[4096];
    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "r");
    EXPECT(file);
    text[file ? fread(text, 1, sizeof text - 1, file) : 0] = '\0';
    (void)(file && fclose(file));
    return text;
}

/* A list of devices for people that lacks one is behind. */
static void every_list_of_devices_is_complete(void) {
    static const char *const lists[] = {"include/tmu/tmu.h", "README.md", "tools/tool_help.h"};
    const tmu_backend_ops_t *const *backends = tmu_backends();
    for (size_t i = 0; backends[i]; i++) {
        tmu_t *device = NULL;
        EXPECT_NUMBER(tmu_open("nothing:", &device), TMU_ERR_URI);
        EXPECT(names_scheme(tmu_error_text(NULL), backends[i]->scheme));
        for (size_t list = 0; list < sizeof lists / sizeof lists[0]; list++) {
            if (!names_scheme(whole(lists[list]), backends[i]->scheme)) {
                (void)fprintf(stderr, "%s does not name %s:\n", lists[list], backends[i]->scheme);
                EXPECT(false);
            }
        }
    }
}

int main(int argc, char **argv) {
    if (argc != 2) {
        (void)fprintf(stderr, "usage: test_text FOLDER\n");
        return 2;
    }
    folder = argv[1];
    RUN(verdicts_have_the_names_of_their_numbers);
    RUN(operations_have_the_names_of_their_numbers);
    RUN(every_list_of_devices_is_complete);
    return expect_summary();
}
