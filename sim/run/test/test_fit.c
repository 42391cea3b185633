/* SPDX-License-Identifier: Apache-2.0
 *
 * Operations in the widths of a narrower unit: what has room is the same key, the rest is refused.
 */
#include "expect.h"
#include "fit.h"
#include "temporary_file.h"

#include <stdio.h>
#include <string.h>

static const char path[] = "test_fit.trace";

/* Contexts of 8 bits above tags of 24, sources of 10, lengths of 20, handles of 16. */
static const tmu_info_t narrow = {.match_bits = 32,
                                  .tag_bits = 24,
                                  .source_bits = 10,
                                  .handle_bits = 16,
                                  .address_bits = 20,
                                  .length_bits = 20};
static const tmu_info_t full = {.match_bits = 64,
                                .tag_bits = 32,
                                .source_bits = 32,
                                .handle_bits = 64,
                                .address_bits = 64,
                                .length_bits = 48};

static workload_t workload;
static char error[TMU_TRACE_ERROR_MAX];

/* Answer of fit_trace to a trace of this one line. */
static int fitted(const char *line, const tmu_info_t *unit) {
    char text[256];
    const int length = snprintf(text, sizeof text, "# tmu-trace v1\n%s\n", line);
    write_file(path, text, (size_t)length);
    error[0] = '\0';
    workload_free(&workload);
    EXPECT_NUMBER(workload_read(&workload, path, error, sizeof error), 0);
    (void)remove(path);
    return fit_trace(&workload, path, unit, error, sizeof error);
}

static void keys_of_mpi_are_packed_into_the_units_widths(void) {
    EXPECT_NUMBER(fitted("post 0 1 255 1023 -8388608 64", &narrow), 0);
    EXPECT_NUMBER(workload.ops[0].match, 0xff800000);
    EXPECT_NUMBER(workload.ops[0].source, 1023);
    EXPECT_NUMBER(fitted("arrive 0 1 1 0 8388607 64", &narrow), 0);
    EXPECT_NUMBER(workload.ops[0].match, 0x017fffff);
}

static void wildcards_ignore_the_units_tag_but_its_sign_R2(void) {
    EXPECT_NUMBER(fitted("post 0 1 3 any any 64", &narrow), 0);
    EXPECT_NUMBER(workload.ops[0].match, 0x03000000);
    EXPECT_NUMBER(workload.ops[0].ignore, 0x007fffff);
    EXPECT_NUMBER(workload.ops[0].source_ignore, 0x3ff);
}

static void raw_keys_stay_as_they_are(void) {
    EXPECT_NUMBER(fitted("raw-post 0 1 0xffffffff 0xf0f0 any 64", &narrow), 0);
    EXPECT_NUMBER(workload.ops[0].match, 0xffffffff);
    EXPECT_NUMBER(workload.ops[0].ignore, 0xf0f0);
    EXPECT_NUMBER(workload.ops[0].source_ignore, 0x3ff);
}

static void what_has_no_room_is_refused_with_its_line(void) {
    static const struct {
        const char *line;
        const char *sentence;
    } cases[] = {
        {"post 0 1 0 0 8388608 64", "test_fit.trace:2: tag 8388608 has no room in the 24 bits that "
                                    "the unit keeps of it"},
        {"post 0 1 0 0 -8388609 64", "test_fit.trace:2: tag -8388609 has no room in the 24 bits "
                                     "that the unit keeps of it"},
        {"probe 0 1 256 0 0", "test_fit.trace:2: context 256 has no room in the 8 bits that the "
                              "unit keeps of it"},
        {"claim 0 1 0 1024 0", "test_fit.trace:2: source 1024 has no room in the 10 bits that the "
                               "unit keeps of it"},
        {"arrive 0 65536 0 0 0 64", "test_fit.trace:2: found msg 65536, expected one of the 16 "
                                    "bits that the unit keeps of it"},
        {"arrive 0 1 0 0 0 1048576", "test_fit.trace:2: found bytes 1048576, expected one of the "
                                     "20 bits that the unit keeps of it"},
        {"raw-arrive 0 1 0x100000000 0 64", "test_fit.trace:2: found match 4294967296, expected "
                                            "one of the 32 bits that the unit keeps of it"},
        {"raw-probe 0 1 0x0 0x100000000 0", "test_fit.trace:2: found match 4294967296, expected "
                                            "one of the 32 bits that the unit keeps of it"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        EXPECT_NUMBER(fitted(cases[i].line, &narrow), -1);
        EXPECT_TEXT(error, cases[i].sentence);
        EXPECT_NUMBER(fitted(cases[i].line, &full), 0);
    }
}

static void full_widths_change_nothing(void) {
    EXPECT_NUMBER(fitted("post 0 1 4294967295 any -1 64", &full), 0);
    EXPECT_NUMBER(workload.ops[0].match, UINT64_MAX);
    EXPECT_NUMBER(workload.ops[0].source_ignore, UINT32_MAX);
}

static void numbers_of_few_bits_are_different_and_use_them_all(void) {
    static bool seen[1 << 12];
    uint64_t all = 0;
    for (uint64_t i = 0; i < 1 << 12; i++) {
        const uint64_t number = fit_spread(i, 12);
        EXPECT(number < 1 << 12 && !seen[number]);
        seen[number] = true;
        all |= number;
    }
    EXPECT_NUMBER(all, 0xfff);
}

int main(void) {
    RUN(keys_of_mpi_are_packed_into_the_units_widths);
    RUN(wildcards_ignore_the_units_tag_but_its_sign_R2);
    RUN(raw_keys_stay_as_they_are);
    RUN(what_has_no_room_is_refused_with_its_line);
    RUN(full_widths_change_nothing);
    RUN(numbers_of_few_bits_are_different_and_use_them_all);
    workload_free(&workload);
    return expect_summary();
}
