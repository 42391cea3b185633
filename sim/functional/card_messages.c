/* SPDX-License-Identifier: Apache-2.0
 *
 * Numbers of unexpected messages, each of which has a buffer in its endpoint's pool.
 */
#include <string.h>

#include "card.h"

void card_messages_start(ref_card_t *card) {
    memset(card->messages, 0, sizeof card->messages);
    memset(card->pools, 0, card->device->preset->endpoints * sizeof *card->pools);
    card->next_message = 0;
    card->messages_free = CARD_MESSAGES;
    card->kept = 0;
}

/* Numbers that an endpoint has to itself and does not use. */
static uint32_t kept(const card_pool_t *pool) {
    return pool->taken < pool->kept ? pool->kept - pool->taken : 0;
}

void card_pool_set(ref_card_t *card, uint32_t endpoint, uint64_t base) {
    card_pool_t *pool = &card->pools[endpoint];
    pool->base = base;
    if (!pool->used && card->messages_free >= card->kept + 2 * CARD_KEPT) {
        pool->kept = CARD_KEPT;
        card->kept += kept(pool);
    }
    pool->used = true;
}

uint32_t card_message_next(ref_card_t *card, uint32_t endpoint) {
    if (card->messages_free == card->kept - kept(&card->pools[endpoint])) {
        return CARD_MESSAGES;
    }
    while (card->messages[card->next_message].used) {
        card->next_message = (card->next_message + 1) % CARD_MESSAGES;
    }
    return card->next_message;
}

static void count(ref_card_t *card, uint32_t endpoint, bool taken) {
    card_pool_t *pool = &card->pools[endpoint];
    card->kept -= kept(pool);
    pool->taken += taken ? 1 : UINT32_MAX;
    card->messages_free += taken ? UINT32_MAX : 1;
    card->kept += kept(pool);
}

void card_message_use(ref_card_t *card, uint32_t number, const card_message_t *message) {
    card->messages[number] = *message;
    card->messages[number].used = true;
    count(card, message->endpoint, true);
}

void card_message_free(ref_card_t *card, uint32_t message) {
    count(card, card->messages[message].endpoint, false);
    card->messages[message] = (card_message_t){0};
    for (uint32_t i = 0; i < card->name_count; i++) { /* it may be the room that others want */
        if (card->names[i].used) {
            uet_node_room(card->node, i);
        }
    }
}
