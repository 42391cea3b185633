/* SPDX-License-Identifier: Apache-2.0 */
/* Traces that are refused, each with its whole sentence. */
#include <stdbool.h>
#include <stdlib.h>

#include <zlib.h>

#include "expect.h"
#include "temporary_file.h"
#include "tmu_trace.h"

#define PATH "refused.tmp"
#define FIRST "# tmu-trace v1\n"

/* Reads PATH and expects this sentence. */
static void expect_refusal(const char *sentence) {
    char error[TMU_TRACE_ERROR_MAX] = "(no error)";
    tmu_trace_t *trace = NULL;
    EXPECT_NUMBER(tmu_trace_read(PATH, &trace, error, sizeof error), -1);
    EXPECT_TEXT(error, sentence);
    EXPECT(!trace);
    tmu_trace_free(trace);
}

static void expect_refused_bytes(const void *bytes, size_t count, const char *sentence) {
    write_file(PATH, bytes, count);
    expect_refusal(sentence);
    (void)remove(PATH);
}

static void expect_refused(const char *text, const char *sentence) {
    expect_refused_bytes(text, strlen(text), sentence);
}

/* The line stands second in a file; `rest` is the sentence after "PATH:2: found ". */
static void expect_line_refused(const char *line, const char *rest) {
    char text[2 * TMU_TRACE_LINE_MAX];
    char sentence[TMU_TRACE_ERROR_MAX];
    (void)snprintf(text, sizeof text, FIRST "%s\nflush 0 77\n", line);
    (void)snprintf(sentence, sizeof sentence, PATH ":2: found %s", rest);
    expect_refused(text, sentence);
}

static void the_file(void) {
    (void)remove(PATH);
    expect_refusal(PATH ":0: found no readable file (No such file or directory), "
                        "expected a trace that begins with \"# tmu-trace v1\"");
    char error[TMU_TRACE_ERROR_MAX];
    tmu_trace_t *trace = NULL;
    EXPECT_NUMBER(tmu_trace_read("/", &trace, error, sizeof error), -1);
    EXPECT_TEXT(error, "/:0: found no readable file (Is a directory), "
                       "expected a trace that begins with \"# tmu-trace v1\"");
    EXPECT_NUMBER(tmu_trace_read("/", &trace, NULL, 0), -1);
    EXPECT_NUMBER(tmu_trace_read("/", &trace, error, 9), -1);
    EXPECT_TEXT(error, "/:0: fou");
    expect_refused("", PATH ":1: found an empty file, expected the first line \"# tmu-trace v1\"");
}

static void the_first_line(void) {
    expect_refused("post 0 1 0 1 1 8\n", PATH ":1: found \"post 0 1 0 1 1 8\", "
                                              "expected the first line \"# tmu-trace v1\"");
    expect_refused("# tmu-trace v2\n", PATH ":1: found \"# tmu-trace v2\", "
                                            "expected the first line \"# tmu-trace v1\"");
    expect_refused("# tmu-trace v1 \n", PATH ":1: found \"# tmu-trace v1 \", "
                                             "expected the first line \"# tmu-trace v1\"");
    expect_refused("\n", PATH ":1: found \"\", expected the first line \"# tmu-trace v1\"");
    expect_refused("\xef\xbb\xbf# tmu-trace v1\n",
                   PATH ":1: found \"\\xef\\xbb\\xbf# tmu-trace v1\", "
                        "expected the first line \"# tmu-trace v1\"");
    expect_refused("# tmu-trace v1", PATH ":1: found a last line without a newline, "
                                          "expected a newline at the end of every line");
}

static void the_lines(void) {
    expect_line_refused("", "a blank line, expected an operation or a # line");
    expect_line_refused(" \t", "a blank line, expected an operation or a # line");
    expect_refused(FIRST "flush 0 1\n\n",
                   PATH ":3: found a blank line, expected an operation or a # line");
    expect_refused(FIRST "flush 0 1", PATH ":2: found a last line without a newline, "
                                           "expected a newline at the end of every line");
    expect_refused(FIRST "# comment", PATH ":2: found a last line without a newline, "
                                           "expected a newline at the end of every line");
    expect_refused("# tmu-trace v1\r\n", PATH ":1: found a carriage return at the end of the line, "
                                              "expected lines that end with a newline alone");
    expect_line_refused("flush 0 1\r", "a carriage return at the end of the line, "
                                       "expected lines that end with a newline alone");
    static const char nul[] = FIRST "flush\0 0 1\n";
    expect_refused_bytes(nul, sizeof nul - 1,
                         PATH ":2: found a NUL byte (column 6), expected text");
    static const char nul_comment[] = FIRST "# \0\n";
    expect_refused_bytes(nul_comment, sizeof nul_comment - 1,
                         PATH ":2: found a NUL byte (column 3), expected text");
}

static void overlong_lines(void) {
    static char text[200000];
    static const char sentence[] = PATH ":2: found a line of more than 4096 bytes, "
                                        "expected at most 4096 bytes a line";
    size_t start = sizeof FIRST - 1;
    memcpy(text, FIRST, start);
    memset(text + start, '#', sizeof text - start);
    text[start + TMU_TRACE_LINE_MAX + 1] = '\n';
    expect_refused_bytes(text, start + TMU_TRACE_LINE_MAX + 2, sentence);
    expect_refused_bytes(text, start + TMU_TRACE_LINE_MAX + 1, sentence); /* no newline either */
    text[start + TMU_TRACE_LINE_MAX + 1] = '#';
    expect_refused_bytes(text, sizeof text, sentence);
}

static void operations_and_field_counts(void) {
    static const char operations[] = "post, arrive, probe, claim, cancel, flush, raw-post, "
                                     "raw-arrive, raw-probe or raw-claim";
    static const char *const unknown[] = {"psot", "POST", "raw-cancel", "-", "posts"};
    for (size_t i = 0; i < sizeof unknown / sizeof unknown[0]; i++) {
        char line[64];
        char rest[512];
        (void)snprintf(line, sizeof line, "%s 0 1", unknown[i]);
        (void)snprintf(rest, sizeof rest, "operation \"%s\", expected %s", unknown[i], operations);
        expect_line_refused(line, rest);
    }
    static const char post[] = "post <endpoint> <req> <context> <source|any> <tag|any> <bytes>";
    static const struct {
        const char *line;
        const char *found;
        const char *form;
    } cases[] = {
        {"post", "0 fields after post", post},
        {"post 0", "1 field after post", post},
        {"post 0 1 0 1 1", "5 fields after post", post},
        {"post 0 1 0 1 1 @9", "5 fields after post", post},
        {"post 0 1 0 1 1 8 9", "7 fields after post", post},
        {"post 0 1 0 1 1 8 9 @9", "8 fields after post", post},
        {"post 0 1 0 1 1 8 @9 9", "8 fields after post", post},
        {"arrive 0 1 0 1 1", "5 fields after arrive",
         "arrive <endpoint> <msg> <context> <source> <tag> <bytes>"},
        {"probe 0 1 0 1 1 8", "6 fields after probe",
         "probe <endpoint> <req> <context> <source|any> <tag|any>"},
        {"claim 0 1 0 1", "4 fields after claim",
         "claim <endpoint> <req> <context> <source|any> <tag|any>"},
        {"cancel 0 1", "2 fields after cancel", "cancel <endpoint> <req> <target-req>"},
        {"flush 0 1 2", "3 fields after flush", "flush <endpoint> <req>"},
        {"raw-post 0 1 0x1 0x0 1", "5 fields after raw-post",
         "raw-post <endpoint> <req> <match> <ignore> <source|any> <bytes>"},
        {"raw-arrive 0 1 0x1 0x0 1 8", "6 fields after raw-arrive",
         "raw-arrive <endpoint> <msg> <match> <source> <bytes>"},
        {"raw-probe 0 1 0x1 0x0", "4 fields after raw-probe",
         "raw-probe <endpoint> <req> <match> <ignore> <source|any>"},
        {"raw-claim 0 1 0x1 0x0 1 1", "6 fields after raw-claim",
         "raw-claim <endpoint> <req> <match> <ignore> <source|any>"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char rest[512];
        (void)snprintf(rest, sizeof rest, "%s, expected %s [@<ns>]", cases[i].found, cases[i].form);
        expect_line_refused(cases[i].line, rest);
    }
}

#define U32 "a decimal number from 0 to 4294967295"
#define U64 "a decimal number from 0 to 18446744073709551615"
#define I32 "a decimal number from -2147483648 to 2147483647"
#define U48 "a decimal number from 0 to 281474976710655"
#define HEX "0x and 1 to 16 hexadecimal digits"
#define TIME "@ and a decimal number from 0 to 18446744073709551614"

static void fields_of_the_mpi_forms(void) {
    static const struct {
        const char *line;
        const char *rest;
    } cases[] = {
        {"post 4294967296 1 0 1 1 8", "endpoint \"4294967296\", expected " U32},
        {"post -1 1 0 1 1 8", "endpoint \"-1\", expected " U32},
        {"post any 1 0 1 1 8", "endpoint \"any\", expected " U32},
        {"post 0 18446744073709551616 0 1 1 8", "req \"18446744073709551616\", expected " U64},
        {"post 0 0x1 0 1 1 8", "req \"0x1\", expected " U64},
        {"post 0 +1 0 1 1 8", "req \"+1\", expected " U64},
        {"arrive 0 1.5 0 1 1 8", "msg \"1.5\", expected " U64},
        {"cancel 0 1 any", "target-req \"any\", expected " U64},
        {"post 0 1 any 1 1 8", "context \"any\", expected " U32},
        {"post 0 1 4294967296 1 1 8", "context \"4294967296\", expected " U32},
        {"post 0 1 0 ANY 1 8", "source \"ANY\", expected any or " U32},
        {"claim 0 1 0 4294967296 1", "source \"4294967296\", expected any or " U32},
        {"arrive 0 1 0 any 1 8", "source \"any\", expected " U32},
        {"arrive 0 1 0 1 any 8", "tag \"any\", expected " I32},
        {"arrive 0 1 0 1 2147483648 8", "tag \"2147483648\", expected " I32},
        {"arrive 0 1 0 1 -2147483649 8", "tag \"-2147483649\", expected " I32},
        {"probe 0 1 0 1 -", "tag \"-\", expected any or " I32},
        {"probe 0 1 0 1 --1", "tag \"--1\", expected any or " I32},
        {"post 0 1 0 1 1 281474976710656", "bytes \"281474976710656\", expected " U48},
        {"post 0 1 0 1 1 -8", "bytes \"-8\", expected " U48},
        {"flush 0 1 @", "time \"@\", expected " TIME},
        {"flush 0 1 @-1", "time \"@-1\", expected " TIME},
        {"flush 0 1 @18446744073709551615", "time \"@18446744073709551615\", expected " TIME},
        {"flush 0 99999999999999999999999999", "req \"99999999999999999999999999\", expected " U64},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        expect_line_refused(cases[i].line, cases[i].rest);
    }
}

static void fields_of_the_raw_forms(void) {
    static const struct {
        const char *line;
        const char *rest;
    } cases[] = {
        {"raw-post 0 1 12 0x0 1 8", "match \"12\", expected " HEX},
        {"raw-post 0 1 0x 0x0 1 8", "match \"0x\", expected " HEX},
        {"raw-post 0 1 0X1 0x0 1 8", "match \"0X1\", expected " HEX},
        {"raw-post 0 1 0x1g 0x0 1 8", "match \"0x1g\", expected " HEX},
        {"raw-arrive 0 1 0x11111111222222223 1 8", "match \"0x11111111222222223\", expected " HEX},
        {"raw-post 0 1 any 0x0 1 8", "match \"any\", expected " HEX},
        {"raw-claim 0 1 0x1 -0x1 1", "ignore \"-0x1\", expected " HEX},
        {"raw-post 0 1 0x1 0x0 x 8", "source \"x\", expected any or " U32},
        {"raw-arrive 0 1 0x1 any 8", "source \"any\", expected " U32},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        expect_line_refused(cases[i].line, cases[i].rest);
    }
}

static void what_was_found_is_escaped_and_shortened(void) {
    expect_line_refused("flush 0 \"\\\x01\x7f\xc3\xa9",
                        "req \"\\x22\\x5c\\x01\\x7f\\xc3\\xa9\", expected " U64);
    expect_line_refused("flush 0 "
                        "1234567890123456789012345678901234567890123456789012345678901234567890",
                        "req \"1234567890123456789012345678901234567890123456789012345678...\", "
                        "expected " U64);
    /* 60 digits are the most that stand in full. */
    expect_line_refused("flush 0 99999999999999999999999999999999999999999999999999999999",
                        "req \"99999999999999999999999999999999999999999999999999999999\", "
                        "expected " U64);
}

static void numbers_used_twice(void) {
    expect_refused(FIRST "post 0 5 0 1 1 8\n# pause\ncancel 1 5 3\n",
                   PATH ":4: found req 5 again (first on line 2), "
                        "expected a req that no earlier operation has");
    expect_refused(FIRST "raw-arrive 0 0 0x1 1 8\narrive 1 0 0 1 1 8\n",
                   PATH ":3: found msg 0 again (first on line 2), "
                        "expected a msg that no earlier arrival has");
}

static void a_number_used_twice_in_a_long_trace(void) {
    FILE *file = fopen(PATH, "wb");
    if (!file) {
        abort();
    }
    (void)fputs(FIRST, file);
    for (unsigned i = 0; i < 20000; i++) {
        (void)fprintf(file, "flush 0 %llu\n", i * 4294967296ULL); /* equal low halves */
    }
    (void)fprintf(file, "flush 0 %llu\n", 12345 * 4294967296ULL);
    (void)fclose(file);
    expect_refusal(PATH ":20002: found req 53021371269120 again (first on line 12347), "
                        "expected a req that no earlier operation has");
    (void)remove(PATH);
}

/* A gzipped trace of 40,000 lines; returns its size in bytes. */
static size_t write_gzip(unsigned char *bytes, size_t room) {
    gzFile file = gzopen(PATH, "wb");
    (void)gzputs(file, FIRST);
    for (unsigned i = 0; i < 40000; i++) {
        char line[40];
        (void)snprintf(line, sizeof line, "flush 0 %u\n", i * 7919);
        (void)gzputs(file, line);
    }
    (void)gzclose(file);
    FILE *plain = fopen(PATH, "rb");
    if (!plain) {
        abort();
    }
    size_t count = fread(bytes, 1, room, plain);
    (void)fclose(plain);
    EXPECT(count < room);
    return count;
}

/* Reads the bytes and expects a sentence that ends so; the line depends on zlib. */
static void expect_gzip_refused(const unsigned char *bytes, size_t count, const char *ending) {
    char error[TMU_TRACE_ERROR_MAX] = "(no error)";
    tmu_trace_t *trace = NULL;
    write_file(PATH, bytes, count);
    EXPECT_NUMBER(tmu_trace_read(PATH, &trace, error, sizeof error), -1);
    size_t length = strlen(error);
    size_t ending_length = strlen(ending);
    EXPECT_TEXT(error + (length < ending_length ? 0 : length - ending_length), ending);
    EXPECT(strncmp(error, PATH ":", strlen(PATH ":")) == 0);
    tmu_trace_free(trace);
}

static void damaged_gzip(void) {
    static unsigned char bytes[1 << 20];
    static const char cut[] =
        "found the end of the file inside the gzip data, expected a complete gzip file";
    size_t count = write_gzip(bytes, sizeof bytes);
    const size_t cuts[] = {2, 3, 9, 10, 11, count / 2, count - 8, count - 1};
    for (size_t i = 0; i < sizeof cuts / sizeof cuts[0]; i++) {
        expect_gzip_refused(bytes, cuts[i], cut);
    }
    bytes[count - 5] ^= 1; /* in the checksum, after all the text */
    expect_gzip_refused(
        bytes, count, "found damaged gzip data (incorrect data check), expected a sound gzip file");
    bytes[count - 5] ^= 1;
    bytes[count] = 'x'; /* after a complete file: never silently left out */
    expect_gzip_refused(bytes, count + 1, cut);
    memset(bytes + count, 'x', 20);
    expect_gzip_refused(
        bytes, count + 20,
        "found damaged gzip data (incorrect header check), expected a sound gzip file");
    bytes[2] = 9; /* an unknown compression method */
    expect_gzip_refused(bytes, count,
                        ":1: found damaged gzip data (unknown compression method), "
                        "expected a sound gzip file");
    (void)remove(PATH);
}

static void an_empty_gzip(void) {
    gzFile file = gzopen(PATH, "wb");
    (void)gzclose(file);
    expect_refusal(PATH ":1: found an empty file, expected the first line \"# tmu-trace v1\"");
    (void)remove(PATH);
}

int main(void) {
    RUN(the_file);
    RUN(the_first_line);
    RUN(the_lines);
    RUN(overlong_lines);
    RUN(operations_and_field_counts);
    RUN(fields_of_the_mpi_forms);
    RUN(fields_of_the_raw_forms);
    RUN(what_was_found_is_escaped_and_shortened);
    RUN(numbers_used_twice);
    RUN(a_number_used_twice_in_a_long_trace);
    RUN(damaged_gzip);
    RUN(an_empty_gzip);
    return expect_summary();
}
