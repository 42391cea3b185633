/* SPDX-License-Identifier: Apache-2.0 */
/* Rooms of the card below: names, header data, addresses of ranks. */
#include "card_name.h"
#include "expect.h"
#include "settings.h"

#include <stdlib.h>

static const network_t ten = {0x0a000005, 0xff000000, 1};

static void a_name_comes_back_from_its_initiator(void) {
    uint8_t bytes[CARD_NAME];
    const card_name_t own = card_name_own(&ten, 3);
    card_name_encode(&own, bytes);
    const card_name_t read = card_name_decode(bytes);
    const card_name_t found = card_name_of(&ten, read.initiator);
    EXPECT_NUMBER(own.address, ten.address);
    EXPECT_NUMBER(own.index, 3);
    EXPECT_NUMBER(read.address, own.address);
    EXPECT_NUMBER(read.index, 3);
    EXPECT_NUMBER(found.address, own.address);
    EXPECT_NUMBER(found.index, 3);
    EXPECT_NUMBER(bytes[0], 10); /* the network's order on every machine */
}

static void header_data_holds_all_of_a_message(void) {
    const card_header_t longest = {true, true, UINT32_MAX, (1u << CARD_LENGTH_BITS) - 1};
    const card_header_t plain = {.length = 5};
    const card_header_t found = card_header_decode(card_header_encode(&longest));
    EXPECT(found.ready && found.has_data && found.data == UINT32_MAX);
    EXPECT_NUMBER(found.length, longest.length);
    EXPECT_NUMBER(card_header_encode(&plain), UINT64_C(5) << 32);
    EXPECT(!card_header_decode(card_header_encode(&plain)).has_data);
}

/* The address of a rank, or 0 where it is refused with these words. */
static uint32_t address_of(const char *setting, bool ranked, unsigned long job, unsigned long rank,
                           const char *words) {
    network_t network = {0};
    char error[512] = "";
    (void)setenv(TFI_ADDRESS, setting, 1);
    const int wrong = network_read(&network, ranked, job, rank, error, sizeof error);
    EXPECT(words ? wrong != 0 && strstr(error, words) : wrong == 0);
    return network.address;
}

static void each_rank_has_an_address_of_its_own(void) {
    EXPECT_NUMBER(address_of("10.0.0.0/8", true, 0, 0, NULL), 0x0a000001);
    EXPECT_NUMBER(address_of("10.0.0.0/8", true, 2, 255, NULL), 0x0a020100);
    EXPECT_NUMBER(address_of("192.168.7.0/24", true, 0, 9, NULL), 0xc0a8070a);
    EXPECT_NUMBER(address_of("172.16.1.2", false, 0, 0, NULL), 0xac100102);
    EXPECT_NUMBER(address_of("10.0.0.0/8", false, 0, 0, "found no rank"), 0);
    EXPECT_NUMBER(address_of("10.0.0.0/8", true, 0, 65535, "no address there"), 0);
    EXPECT_NUMBER(address_of("192.168.7.0/24", true, 0, 254, "no address there"), 0);
    EXPECT_NUMBER(address_of("192.168.7.0/24", true, 1, 0, "no address there"), 0);
    for (const char *const *text =
             (const char *const[]){"", "10.0.0", "10.0.0.0/", "10.0.0.0/7", "10.0.0.0/25",
                                   "10.0.0.0/8x", "10.0.0.0000000001", "ten", NULL};
         *text; ++text) {
        EXPECT_NUMBER(address_of(*text, true, 0, 0, "expected an address of IPv4"), 0);
    }
}

int main(void) {
    RUN(a_name_comes_back_from_its_initiator);
    RUN(header_data_holds_all_of_a_message);
    RUN(each_rank_has_an_address_of_its_own);
    return expect_summary();
}
