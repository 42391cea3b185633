/* SPDX-License-Identifier: Apache-2.0 */
#include "expect.h"
#include "tmu_verdict_log.h"

static void expect_line(const tmu_trace_op_t *op, const tmu_log_record_t *record,
                        const char *expected) {
    char line[TMU_LOG_LINE_MAX] = "";
    int length = tmu_log_format(line, sizeof line, op, record);
    EXPECT_TEXT(line, expected);
    EXPECT_NUMBER(length, strlen(expected));
}

static tmu_trace_op_t op(unsigned kind, uint64_t id) {
    return (tmu_trace_op_t){.kind = (uint8_t)kind, .id = id};
}

static void writes_every_line_of_the_contract(void) {
    const tmu_trace_op_t post = op(TMU_TRACE_POST, 5);
    const tmu_trace_op_t arrive = op(TMU_TRACE_ARRIVE, 13);
    const tmu_trace_op_t probe = op(TMU_TRACE_PROBE, 7);
    const tmu_trace_op_t claim = op(TMU_TRACE_CLAIM, 8);
    const tmu_trace_op_t flush = op(TMU_TRACE_FLUSH, 9);
    tmu_trace_op_t cancel = op(TMU_TRACE_CANCEL, 9);
    cancel.target = 6;
    const tmu_log_record_t matched = {.verdict = TMU_LOG_MATCHED, .other = 12};
    const tmu_log_record_t truncated = {TMU_LOG_MATCHED, true, 6, 0, 0};
    const tmu_log_record_t queued = {.verdict = TMU_LOG_QUEUED};
    const tmu_log_record_t none = {.verdict = TMU_LOG_NONE};
    expect_line(&post, &matched, "post 5 matched 12\n");
    expect_line(&post, &truncated, "post 5 matched 6 truncated\n");
    expect_line(&post, &queued, "post 5 queued\n");
    expect_line(&arrive, &matched, "arrive 13 matched 12\n");
    expect_line(&arrive, &truncated, "arrive 13 matched 6 truncated\n");
    expect_line(&arrive, &queued, "arrive 13 queued\n");
    expect_line(&probe, &(tmu_log_record_t){.verdict = TMU_LOG_FOUND, .other = 14},
                "probe 7 found 14\n");
    expect_line(&probe, &none, "probe 7 none\n");
    expect_line(&claim, &matched, "claim 8 matched 12\n");
    expect_line(&claim, &none, "claim 8 none\n");
    expect_line(&cancel, &(tmu_log_record_t){.verdict = TMU_LOG_CANCELLED, .other = 6},
                "cancel 9 cancelled 6\n");
    expect_line(&cancel, &(tmu_log_record_t){.verdict = TMU_LOG_LATE}, "cancel 9 late 6\n");
    expect_line(&flush, &(tmu_log_record_t){TMU_LOG_REMOVED, false, 0, 3, 2},
                "flush 9 removed 3 2\n");
    expect_line(&post, &(tmu_log_record_t){.verdict = TMU_LOG_REFUSED_QUOTA},
                "post 5 refused quota\n");
    expect_line(&arrive, &(tmu_log_record_t){.verdict = TMU_LOG_HELD}, "arrive 13 held\n");
}

static void any_operation_may_be_refused_for_its_endpoint(void) {
    const tmu_log_record_t refused = {.verdict = TMU_LOG_REFUSED_ENDPOINT};
    for (unsigned kind = TMU_TRACE_POST; kind <= TMU_TRACE_FLUSH; kind++) {
        tmu_trace_op_t refused_op = op(kind, 9);
        char expected[64];
        refused_op.raw = kind % 2; /* the log does not tell the forms apart */
        (void)snprintf(expected, sizeof expected, "%s 9 refused endpoint\n",
                       tmu_trace_kind_name(kind));
        expect_line(&refused_op, &refused, expected);
    }
}

static void the_longest_line_fits(void) {
    tmu_trace_op_t flush = op(TMU_TRACE_FLUSH, UINT64_MAX);
    const tmu_log_record_t record = {TMU_LOG_REMOVED, false, 0, UINT64_MAX, UINT64_MAX};
    expect_line(&flush, &record,
                "flush 18446744073709551615 removed 18446744073709551615 18446744073709551615\n");
    char line[30];
    EXPECT(tmu_log_format(line, sizeof line, &flush, &record) < 0);
}

/* The verdicts that each kind can have, from the contract; every other pair is refused. */
static void refuses_verdicts_that_the_kind_cannot_have(void) {
    static const char *const allowed[] = {
        [TMU_TRACE_POST] = "1289", [TMU_TRACE_ARRIVE] = "129:", [TMU_TRACE_PROBE] = "349",
        [TMU_TRACE_CLAIM] = "149", [TMU_TRACE_CANCEL] = "569",  [TMU_TRACE_FLUSH] = "79"};
    char line[TMU_LOG_LINE_MAX];
    for (unsigned kind = 0; kind <= 7; kind++) {
        const tmu_trace_op_t any = op(kind, 1);
        for (int verdict = 0; verdict <= 11; verdict++) {
            const tmu_log_record_t record = {.verdict = (tmu_log_verdict_t)verdict};
            bool known = kind >= TMU_TRACE_POST && kind <= TMU_TRACE_FLUSH;
            bool fits = known && strchr(allowed[kind], '0' + verdict);
            EXPECT_NUMBER(tmu_log_format(line, sizeof line, &any, &record) > 0, fits);
        }
    }
}

static void refuses_what_contradicts_the_operation(void) {
    char line[TMU_LOG_LINE_MAX];
    const tmu_trace_op_t claim = op(TMU_TRACE_CLAIM, 1);
    const tmu_trace_op_t post = op(TMU_TRACE_POST, 1);
    tmu_trace_op_t cancel = op(TMU_TRACE_CANCEL, 1);
    cancel.target = 6;
    const tmu_log_record_t truncated = {.verdict = TMU_LOG_MATCHED, .truncated = true};
    const tmu_log_record_t queued = {.verdict = TMU_LOG_QUEUED, .truncated = true};
    const tmu_log_record_t other = {.verdict = TMU_LOG_CANCELLED, .other = 7};
    EXPECT(tmu_log_format(line, sizeof line, &claim, &truncated) < 0);
    EXPECT(tmu_log_format(line, sizeof line, &post, &queued) < 0);
    EXPECT(tmu_log_format(line, sizeof line, &cancel, &other) < 0);
}

static void writes_to_a_stream(void) {
    FILE *stream = tmpfile();
    const tmu_trace_op_t post = op(TMU_TRACE_POST, 5);
    char text[64] = "";
    EXPECT(stream);
    if (!stream) {
        return;
    }
    EXPECT_NUMBER(tmu_log_write(stream, &post, &(tmu_log_record_t){.verdict = TMU_LOG_QUEUED}), 0);
    EXPECT(tmu_log_write(stream, &post, &(tmu_log_record_t){.verdict = TMU_LOG_FOUND}) < 0);
    rewind(stream);
    EXPECT_NUMBER(fread(text, 1, sizeof text - 1, stream), 14);
    EXPECT_TEXT(text, "post 5 queued\n");
    (void)fclose(stream);
    stream = fopen("/dev/full", "w");
    if (stream) {
        (void)setvbuf(stream, NULL, _IONBF, 0);
        EXPECT(tmu_log_write(stream, &post, &(tmu_log_record_t){.verdict = TMU_LOG_QUEUED}) < 0);
        (void)fclose(stream);
    }
}

int main(void) {
    RUN(writes_every_line_of_the_contract);
    RUN(any_operation_may_be_refused_for_its_endpoint);
    RUN(the_longest_line_fits);
    RUN(refuses_verdicts_that_the_kind_cannot_have);
    RUN(refuses_what_contradicts_the_operation);
    RUN(writes_to_a_stream);
    return expect_summary();
}
