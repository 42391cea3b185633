/* SPDX-License-Identifier: Apache-2.0 */
/* Traces that are read: every form, the edges of every range, gzip, metadata. */
#include <stdbool.h>
#include <stdlib.h>
#include <time.h>

#include <zlib.h>

#include "expect.h"
#include "temporary_file.h"
#include "tmu_trace.h"

static const char path[] = "test_trace_good.tmp";

/* Reads these bytes as a file; NULL, noted as a failure, if they are refused. */
static tmu_trace_t *read_bytes(const void *bytes, size_t count) {
    char error[TMU_TRACE_ERROR_MAX] = "";
    tmu_trace_t *trace = NULL;
    write_file(path, bytes, count);
    int result = tmu_trace_read(path, &trace, error, sizeof error);
    (void)remove(path);
    EXPECT_TEXT(error, "");
    EXPECT_NUMBER(result != 0, !trace);
    return trace;
}

/* Reads one line after the first; a zero operation if it is refused. */
static tmu_trace_op_t read_line(const char *line) {
    char text[TMU_TRACE_LINE_MAX + 64];
    tmu_trace_op_t op = {0};
    (void)snprintf(text, sizeof text, "# tmu-trace v1\n%s\n", line);
    tmu_trace_t *trace = read_bytes(text, strlen(text));
    if (trace) {
        EXPECT_NUMBER(tmu_trace_count(trace), 1);
        op = tmu_trace_ops(trace)[0];
    }
    tmu_trace_free(trace);
    return op;
}

static void expect_op(const char *line, const tmu_trace_op_t *expected) {
    const tmu_trace_op_t op = read_line(line);
    if (memcmp(&op, expected, sizeof op) != 0) {
        EXPECT_TEXT("operation", line);
        EXPECT_NUMBER(op.kind, expected->kind);
        EXPECT_NUMBER(op.raw, expected->raw);
        EXPECT_NUMBER(op.endpoint, expected->endpoint);
        EXPECT_NUMBER(op.id, expected->id);
        EXPECT_NUMBER(op.target, expected->target);
        EXPECT_NUMBER(op.match, expected->match);
        EXPECT_NUMBER(op.ignore, expected->ignore);
        EXPECT_NUMBER(op.source, expected->source);
        EXPECT_NUMBER(op.source_ignore, expected->source_ignore);
        EXPECT_NUMBER(op.bytes, expected->bytes);
        EXPECT_NUMBER(op.time_ns, expected->time_ns);
        EXPECT_NUMBER(op.line, expected->line);
    }
}

#define TIMED_OP(op_kind, ...)                                                                     \
    &(const tmu_trace_op_t) { .kind = (op_kind), .line = 2, __VA_ARGS__ }
#define OP(op_kind, ...) TIMED_OP(op_kind, .time_ns = TMU_TRACE_NO_TIME, __VA_ARGS__)

static void reads_the_mpi_forms(void) {
    expect_op("post 3 5 7 2 9 64", OP(TMU_TRACE_POST, .endpoint = 3, .id = 5, .match = 0x700000009,
                                      .source = 2, .bytes = 64));
    expect_op("arrive 3 5 7 2 9 64", OP(TMU_TRACE_ARRIVE, .endpoint = 3, .id = 5,
                                        .match = 0x700000009, .source = 2, .bytes = 64));
    expect_op("probe 3 5 7 2 9",
              OP(TMU_TRACE_PROBE, .endpoint = 3, .id = 5, .match = 0x700000009, .source = 2));
    expect_op("claim 3 5 7 2 9",
              OP(TMU_TRACE_CLAIM, .endpoint = 3, .id = 5, .match = 0x700000009, .source = 2));
    expect_op("cancel 3 5 4", OP(TMU_TRACE_CANCEL, .endpoint = 3, .id = 5, .target = 4));
    expect_op("flush 3 5", OP(TMU_TRACE_FLUSH, .endpoint = 3, .id = 5));
}

static void r2_wildcards_become_ignored_bits(void) {
    expect_op("post 0 5 7 any any 64",
              OP(TMU_TRACE_POST, .id = 5, .match = 0x700000000, .ignore = 0x7fffffff,
                 .source_ignore = UINT32_MAX, .bytes = 64));
    expect_op("probe 0 5 7 any 1",
              OP(TMU_TRACE_PROBE, .id = 5, .match = 0x700000001, .source_ignore = UINT32_MAX));
    expect_op("claim 0 5 7 1 any", OP(TMU_TRACE_CLAIM, .id = 5, .match = 0x700000000,
                                      .ignore = 0x7fffffff, .source = 1));
}

static void reads_the_raw_forms(void) {
    expect_op("raw-post 0 5 0x1F 0xff00 any 64",
              OP(TMU_TRACE_POST, .raw = 1, .id = 5, .match = 0x1f, .ignore = 0xff00,
                 .source_ignore = UINT32_MAX, .bytes = 64));
    expect_op("raw-arrive 0 5 0xfedcba9876543210 3 64",
              OP(TMU_TRACE_ARRIVE, .raw = 1, .id = 5, .match = 0xfedcba9876543210, .source = 3,
                 .bytes = 64));
    expect_op("raw-probe 0 5 0xABCDEFabcdef 0xffffffffffffffff 1",
              OP(TMU_TRACE_PROBE, .raw = 1, .id = 5, .match = 0xabcdefabcdef, .ignore = UINT64_MAX,
                 .source = 1));
    expect_op("raw-claim 0 5 0x0 0x0 any",
              OP(TMU_TRACE_CLAIM, .raw = 1, .id = 5, .source_ignore = UINT32_MAX));
}

static void reads_the_edges_of_every_range(void) {
    expect_op("post 4294967295 18446744073709551615 4294967295 4294967295 2147483647 "
              "281474976710655 @18446744073709551614",
              TIMED_OP(TMU_TRACE_POST, .endpoint = UINT32_MAX, .id = UINT64_MAX,
                       .match = 0xffffffff7fffffff, .source = UINT32_MAX,
                       .bytes = (UINT64_C(1) << 48) - 1, .time_ns = UINT64_MAX - 1));
    expect_op("arrive 0 0 0 0 -2147483648 0 @0",
              TIMED_OP(TMU_TRACE_ARRIVE, .match = 0x80000000, .time_ns = 0));
    expect_op("arrive 0 0 1 0 -1 0", OP(TMU_TRACE_ARRIVE, .match = 0x1ffffffff));
    expect_op("cancel 0 1 18446744073709551615",
              OP(TMU_TRACE_CANCEL, .id = 1, .target = UINT64_MAX));
    expect_op("arrive 000 007 0 0 -0 00", OP(TMU_TRACE_ARRIVE, .id = 7));
}

static void fields_may_be_apart_by_blanks_and_tabs(void) {
    expect_op("flush   3 \t 5  ", OP(TMU_TRACE_FLUSH, .endpoint = 3, .id = 5));
    expect_op("flush 3 5   @77", TIMED_OP(TMU_TRACE_FLUSH, .endpoint = 3, .id = 5, .time_ns = 77));
}

static void req_and_msg_numbers_are_apart(void) {
    static const char text[] = "# tmu-trace v1\n"
                               "post 0 1 0 1 1 8\n"
                               "arrive 0 1 0 1 1 8\n"
                               "cancel 0 2 1\n"
                               "arrive 0 2 0 1 1 8\n"
                               "cancel 0 3 1\n"
                               "cancel 0 4 99\n";
    tmu_trace_t *trace = read_bytes(text, sizeof text - 1);
    EXPECT_NUMBER(tmu_trace_count(trace), 6);
    EXPECT_NUMBER(tmu_trace_ops(trace)[5].line, 7);
    tmu_trace_free(trace);
}

static void metadata_and_comments(void) {
    static const char text[] = "# tmu-trace v1\n"
                               "# application: LULESH 2.0: 8 ranks  \n"
                               "# a comment: this name has blanks\n"
                               "#ranks:8\n"
                               "flush 0 1\n"
                               "#\n"
                               "# origin:\n"
                               "#post 0 1\n"
                               "# : nameless\n"
                               "# ranks: 9\n";
    tmu_trace_t *trace = read_bytes(text, sizeof text - 1);
    static const char *const expected[][2] = {
        {"application", "LULESH 2.0: 8 ranks"}, {"ranks", "8"}, {"origin", ""}, {"ranks", "9"}};
    EXPECT_NUMBER(tmu_trace_count(trace), 1);
    EXPECT_NUMBER(tmu_trace_ops(trace)[0].line, 5);
    EXPECT_NUMBER(tmu_trace_metadata_count(trace), 4);
    for (size_t i = 0; i < 4; i++) {
        EXPECT_TEXT(tmu_trace_metadata_name(trace, i), expected[i][0]);
        EXPECT_TEXT(tmu_trace_metadata_value(trace, i), expected[i][1]);
    }
    EXPECT(!tmu_trace_metadata_name(trace, 4));
    EXPECT(!tmu_trace_metadata_value(trace, 4));
    tmu_trace_free(trace);
}

static void a_trace_may_have_no_operations(void) {
    static const char text[] = "# tmu-trace v1\n";
    tmu_trace_t *trace = read_bytes(text, sizeof text - 1);
    EXPECT_NUMBER(tmu_trace_count(trace), 0);
    EXPECT_NUMBER(tmu_trace_metadata_count(trace), 0);
    tmu_trace_free(trace);
    tmu_trace_free(NULL);
}

static void the_longest_line_is_read(void) {
    char line[TMU_TRACE_LINE_MAX + 1];
    memset(line, ' ', sizeof line);
    memcpy(line, "flush 0", 7);
    line[TMU_TRACE_LINE_MAX - 1] = '1';
    line[TMU_TRACE_LINE_MAX] = '\0';
    expect_op(line, OP(TMU_TRACE_FLUSH, .id = 1));
}

/* Writes `count` arrivals to the file through zlib, as `members` gzip members. */
static void write_gzip(size_t count, size_t members) {
    for (size_t member = 0; member < members; member++) {
        gzFile file = gzopen(path, member == 0 ? "wb" : "ab");
        if (!file) {
            abort();
        }
        if (member == 0) {
            (void)gzputs(file, "# tmu-trace v1\n# ranks: 8\n");
        }
        for (size_t i = member * count / members; i < (member + 1) * count / members; i++) {
            char line[80]; /* not gzprintf, which takes minutes under a sanitizer */
            (void)snprintf(line, sizeof line, "arrive %zu %zu 0 %zu -%zu %zu\n", i % 7, i * 977,
                           i % 64, i, i);
            (void)gzputs(file, line);
        }
        if (gzclose(file) != Z_OK) {
            abort();
        }
    }
}

static void expect_gzip(size_t count, size_t members) {
    char error[TMU_TRACE_ERROR_MAX] = "";
    tmu_trace_t *trace = NULL;
    write_gzip(count, members);
    EXPECT_NUMBER(tmu_trace_read(path, &trace, error, sizeof error), 0);
    EXPECT_TEXT(error, "");
    (void)remove(path);
    if (!trace) {
        return;
    }
    EXPECT_NUMBER(tmu_trace_count(trace), count);
    EXPECT_TEXT(tmu_trace_metadata_value(trace, 0), "8");
    size_t wrong = 0;
    for (size_t i = 0; i < tmu_trace_count(trace); i++) {
        const tmu_trace_op_t *op = &tmu_trace_ops(trace)[i];
        wrong += op->id != i * 977 || op->match != (uint32_t)(0 - i) || op->bytes != i ||
                 op->line != i + 3;
    }
    EXPECT_NUMBER(wrong, 0);
    tmu_trace_free(trace);
}

static void reads_gzip(void) {
    expect_gzip(0, 1);
    expect_gzip(1, 1);
    expect_gzip(50000, 1);
}

static void reads_joined_gzip_files(void) {
    expect_gzip(5, 2);
    expect_gzip(50000, 7);
}

/* A reader that is quadratic anywhere takes minutes here; the limit leaves room for slow hosts and
 * sanitizers. */
static void reads_300000_lines_quickly(void) {
    write_gzip(300000, 1);
    tmu_trace_t *trace = NULL;
    clock_t start = clock();
    EXPECT_NUMBER(tmu_trace_read(path, &trace, NULL, 0), 0);
    double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
    EXPECT(seconds < 5.0);
    (void)fprintf(stderr, "300000 gzipped lines read in %.3f s\n", seconds);
    EXPECT_NUMBER(tmu_trace_count(trace), 300000);
    tmu_trace_free(trace);
    (void)remove(path);
}

static void names_the_kinds(void) {
    EXPECT_TEXT(tmu_trace_kind_name(TMU_TRACE_POST), "post");
    EXPECT_TEXT(tmu_trace_kind_name(TMU_TRACE_FLUSH), "flush");
    EXPECT(!tmu_trace_kind_name(0));
    EXPECT(!tmu_trace_kind_name(7));
}

int main(void) {
    RUN(reads_the_mpi_forms);
    RUN(r2_wildcards_become_ignored_bits);
    RUN(reads_the_raw_forms);
    RUN(reads_the_edges_of_every_range);
    RUN(fields_may_be_apart_by_blanks_and_tabs);
    RUN(req_and_msg_numbers_are_apart);
    RUN(metadata_and_comments);
    RUN(a_trace_may_have_no_operations);
    RUN(the_longest_line_is_read);
    RUN(reads_gzip);
    RUN(reads_joined_gzip_files);
    RUN(reads_300000_lines_quickly);
    RUN(names_the_kinds);
    return expect_summary();
}
