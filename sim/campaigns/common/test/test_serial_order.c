/* SPDX-License-Identifier: Apache-2.0 */
/* The order of serial numbers (R7): whatever overtakes waits, also where numbers wrap. */
#include "expect.h"
#include "serial_order.h"

static uint32_t taken[16];
static size_t count;

static void take(void *user, const tmu_completion_t *found) {
    (void)user;
    taken[count++] = found->serial;
}

static void put(serial_order_t *order, uint32_t serial) {
    const tmu_completion_t c = {.serial = serial};
    EXPECT(serial_order_put(order, &c));
}

/* Six verdicts from `first` on, of which some come early. */
static void six_verdicts(uint32_t first) {
    static const uint32_t come[] = {2, 0, 4, 1, 5, 3};
    uint32_t endpoint = 9;
    uint32_t serial = 9;
    serial_order_t *order = serial_order_create(1, take, NULL);
    EXPECT(order);
    serial_order_start(order, first);
    count = 0;
    put(order, first + come[0]);
    EXPECT_NUMBER(count, 0);
    EXPECT_NUMBER(serial_order_waiting(order, &endpoint, &serial), 1);
    EXPECT(endpoint == 0 && serial == first);
    for (size_t i = 1; i < 6; ++i) {
        put(order, first + come[i]);
    }
    EXPECT_NUMBER(count, 6);
    for (uint32_t i = 0; i < count; ++i) {
        EXPECT_NUMBER(taken[i], first + i);
    }
    EXPECT_NUMBER(serial_order_waiting(order, &endpoint, &serial), 0);
    /* One that was there already is taken at once: the judge says what is wrong with it. */
    put(order, first + 5);
    EXPECT_NUMBER(count, 7);
    serial_order_destroy(order);
}

static void verdicts_wait_for_those_before_them_R7(void) { six_verdicts(0); }

static void numbers_are_counted_modulo_their_width_R7(void) {
    for (uint32_t before = 0; before <= 6; ++before) {
        six_verdicts(0 - before);
    }
}

int main(void) {
    RUN(verdicts_wait_for_those_before_them_R7);
    RUN(numbers_are_counted_modulo_their_width_R7);
    return expect_summary();
}
