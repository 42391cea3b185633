/* SPDX-License-Identifier: Apache-2.0
 *
 * The card towards its host: what it reaches of memory, and completions that it owes.
 */
#include <stdlib.h>

#include "card.h"

bool card_reaches(const ref_card_t *card, uint64_t address, uint64_t bytes) {
    for (const ref_region_t *region = card->device->regions; region; region = region->next) {
        if (address >= region->address && bytes <= region->bytes &&
            address - region->address <= region->bytes - bytes) {
            return true;
        }
    }
    return bytes == 0;
}

bool card_registered(const ref_card_t *card, uint32_t number, uint32_t endpoint, uint64_t address,
                     uint64_t bytes, bool to_write) {
    if (bytes == 0) {
        return true;
    }
    const card_memory_t *memory = number < CARD_MEMORIES ? &card->memories[number] : NULL;
    return memory && memory->used && memory->owner == endpoint &&
           (to_write ? memory->write : memory->read) && address >= memory->base &&
           bytes <= memory->bytes && address - memory->base <= memory->bytes - bytes &&
           card_reaches(card, address, bytes);
}

/* The owner's page; NULL where it was configured anew since. */
static ref_page_t *page_of(const ref_card_t *card, const card_owner_t *owner) {
    ref_page_t *page = &card->device->pages[owner->page];
    return page->life == owner->life ? page : NULL;
}

card_owner_t card_owe(ref_card_t *card, uint32_t page) {
    card->device->pages[page].owed++;
    return (card_owner_t){.page = page, .life = card->device->pages[page].life};
}

static void settle(ref_card_t *card, const card_owner_t *owner) {
    ref_page_t *page = page_of(card, owner);
    if (page) {
        page->owed--;
    }
}

/* ---- receives ------------------------------------------------------------------------------ */

/* As many indices again, so that a post costs the same on average. */
static bool receives_grow(ref_card_t *card) {
    const uint32_t count = card->receive_count > 0 ? 2 * card->receive_count : 64;
    card_receive_t *receives = realloc(card->receives, count * sizeof *receives);
    if (!receives) {
        return false;
    }
    for (uint32_t i = card->receive_count; i < count; i++) {
        receives[i] = (card_receive_t){.next_free = i + 1};
    }
    card->receives = receives;
    card->receive_count = count;
    return true;
}

bool card_receive_new(ref_card_t *card, uint32_t page, uint64_t handle, uint64_t *number_p) {
    if (card->receive_free == card->receive_count && !receives_grow(card)) {
        card->device->out_of_memory = true;
        return false;
    }
    card_receive_t *receive = &card->receives[card->receive_free];
    *number_p = card->receive_free;
    card->receive_free = receive->next_free;
    receive->owner = card_owe(card, page);
    receive->handle = handle;
    return true;
}

uint64_t card_receive_handle(const ref_card_t *card, uint64_t number) {
    return card->receives[number].handle;
}

card_owner_t card_receive_take(ref_card_t *card, uint64_t number) {
    card_receive_t *receive = &card->receives[number];
    receive->next_free = card->receive_free;
    card->receive_free = (uint32_t)number;
    return receive->owner;
}

void card_receive_end(ref_card_t *card, uint64_t number) {
    const card_owner_t owner = card_receive_take(card, number);
    settle(card, &owner);
}

/* ---- completions --------------------------------------------------------------------------- */

card_completion_t *card_completion_new(ref_card_t *card, const card_owner_t *owner,
                                       const tmu_record_t *record) {
    card_completion_t *completion = malloc(sizeof *completion);
    if (!completion) {
        card->device->out_of_memory = true;
        return NULL;
    }
    *completion = (card_completion_t){.owner = *owner, .message = CARD_MESSAGES, .record = *record};
    return completion;
}

void card_finish(ref_card_t *card, card_completion_t *completion) {
    if (completion->message != CARD_MESSAGES) {
        card_message_free(card, completion->message);
    }
    completion->next = NULL;
    *card->finished_end = completion;
    card->finished_end = &completion->next;
}

/* In their order, but that one whose ring is full holds up none of other pages (R13). */
void card_write_completions(ref_card_t *card) {
    card_completion_t **at = &card->finished;
    while (*at) {
        card_completion_t *completion = *at;
        const ref_page_t *page = page_of(card, &completion->owner);
        const bool told = page && page->enabled;
        if (told && !ref_ring_has_room(page)) {
            at = &completion->next;
            continue;
        }
        if (told) {
            ref_write_completion(card->device, completion->owner.page, &completion->record);
        }
        settle(card, &completion->owner);
        *at = completion->next;
        free(completion);
    }
    card->finished_end = at;
}
