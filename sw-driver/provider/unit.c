/* SPDX-License-Identifier: Apache-2.0 */
#include "unit.h"

#include "report.h"
#include "say.h"
#include "tmu/tmu_net.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define JOBS 10000u /* names that are tried */

static unit_t the_unit;
static unsigned opened; /* devices of this process so far */

/* True, and the value: the text is a number of few digits. */
static bool read_number(const char *text, unsigned long *value_p) {
    if (!text || text[0] == '\0' || strlen(text) >= 16 ||
        strspn(text, "0123456789") != strlen(text)) {
        return false;
    }
    *value_p = strtoul(text, NULL, 10);
    return true;
}

/*
 * The job that a launcher has put this process in: 1 is what the user started, 0 is unknown.
 * Open MPI counts the jobs of one mpirun, in what PMIx calls the namespace: the lower 16 bits of a
 * number, or what follows an @.  MPICH says only that a process was started by another.
 */
static unsigned long find_job(void) {
    const char *space = getenv("PMIX_NAMESPACE");
    const char *spawned = getenv("PMI_SPAWNED");
    unsigned long number = 0;
    if (space && strrchr(space, '@')) {
        return read_number(strrchr(space, '@') + 1, &number) ? number : 0;
    }
    if (read_number(space, &number)) {
        return number & 0xffffu;
    }
    return spawned && strcmp(spawned, "0") != 0 ? 2 : 0;
}

/*
 * rank-<number> under an MPI launcher, process-<id> without; a later device gets a number more.
 * Processes that others started have ranks of their own, which are those of others as well: their
 * files are called job-<number>-rank-<number>.
 */
static void name_files(unit_t *unit) {
    static const char *const ranks[] = {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK"};
    unit->ranked = false;
    for (size_t i = 0; !unit->ranked && i < sizeof ranks / sizeof ranks[0]; ++i) {
        unit->ranked = read_number(getenv(ranks[i]), &unit->rank);
    }
    char name[48];
    if (unit->ranked && unit->job > 1) {
        (void)snprintf(name, sizeof name, "job-%lu-rank-%lu", unit->job, unit->rank);
    } else if (unit->ranked) {
        (void)snprintf(name, sizeof name, "rank-%lu", unit->rank);
    } else {
        (void)snprintf(name, sizeof name, "process-%ld", (long)getpid());
    }
    if (opened == 1) {
        (void)snprintf(unit->name, sizeof unit->name, "%s", name);
    } else {
        (void)snprintf(unit->name, sizeof unit->name, "%s-%u", name, opened);
    }
}

bool unit_next_name(unit_t *unit) {
    if (unit->job <= 1 || unit->job >= JOBS) {
        return false;
    }
    ++unit->job;
    name_files(unit);
    return true;
}

/* Starts the network of a card, if messages are to travel by one. */
static int start_network(unit_t *unit, char *error, size_t error_size) {
    const bool is_card =
        (unit->info.capabilities >> TMU_CAPABILITIES_SEND_SHIFT & TMU_CAPABILITIES_SEND_MASK) != 0;
    unit->card = network_wanted();
    if (unit->card != is_card) {
        (void)snprintf(error, error_size,
                       is_card ? "the device is a card, expected its address as %s"
                               : "%s is set, and the device is no card",
                       setting_name(SETTING_ADDRESS));
        return -1;
    }
    if (!unit->card) {
        return 0;
    }
    const unsigned long jobs = unit->job > 1 ? unit->job - 1 : 0;
    if (network_read(&unit->network, unit->ranked, jobs, unit->rank, error, error_size) != 0) {
        return -1;
    }
    const tmu_net_attr_t attr = {.address = unit->network.address,
                                 .message_log2 = UNIT_MESSAGE_LOG2,
                                 .retransmit_us = unit->network.retransmit_us};
    if (tmu_net_start(unit->device, &attr) == TMU_OK) {
        return 0;
    }
    (void)snprintf(error, error_size, "the card's network does not start: %s",
                   tmu_error_text(unit->device));
    return -1;
}

/* Operations that cannot be recorded are matched all the same: a file must not cost the device. */
static void open_journal(unit_t *unit) {
    const char *folder = setting_get(SETTING_RECORD);
    if (!folder || folder[0] == '\0') {
        return;
    }
    do {
        unit->recorded = journal_open(&unit->journal, folder, unit->name) == 0;
    } while (!unit->recorded && errno == EEXIST && unit_next_name(unit));
    if (!unit->recorded) {
        tfi_say(
            "%s=%s: cannot make %s.trace and %s.verdicts there: %s; this process is not recorded",
            setting_name(SETTING_RECORD), folder, unit->name, unit->name, strerror(errno));
    }
}

/* Counters of a shared unit's work for others, before this process or an earlier one of it. */
static int read_before(unit_t *unit, char *error, size_t error_size) {
    if (!unit->info.shared ||
        tmu_counters(unit->device, unit->before, UNIT_COUNTERS, &unit->before_count) == TMU_OK) {
        return 0;
    }
    (void)snprintf(error, error_size, "the unit's counters cannot be read: %s",
                   tmu_error_text(unit->device));
    return -1;
}

static int open_rooms(unit_t *unit, char *error, size_t error_size) {
    if (tmu_query(unit->device, &unit->info) != TMU_OK ||
        order_open(&unit->order, unit_endpoints(unit)) != 0) {
        (void)snprintf(error, error_size, "no memory for the unit's endpoints");
        return -1;
    }
    if (start_network(unit, error, error_size) == 0 &&
        spill_open(&unit->spill, unit->device, &unit->info, error, error_size) == 0 &&
        read_before(unit, error, error_size) == 0) {
        if (!unit->card) { /* nobody tells of messages that wait on a card */
            open_journal(unit);
        }
        unit->spill.used = unit->spill.used || (unit->card && unit->spill.segments != 0);
        unit->journal.spills = unit->spill.segments != 0 || unit->info.shared;
        return 0;
    }
    order_close(&unit->order);
    return -1;
}

/* A card records what it decides itself, for only it sees every arrival. */
static tmu_result_t open_device(unit_t *unit, const char *uri) {
    const char *folder = setting_get(SETTING_RECORD);
    char whole[2048];
    char trace[1024];
    if (!network_wanted() || !folder || folder[0] == '\0') {
        return tmu_open(uri, &unit->device);
    }
    do {
        (void)snprintf(trace, sizeof trace, "%s/%s.trace", folder, unit->name);
    } while (access(trace, F_OK) == 0 && unit_next_name(unit));
    (void)snprintf(whole, sizeof whole, "%s%crecord=%s/%s", uri, strchr(uri, '?') ? '&' : '?',
                   folder, unit->name);
    const tmu_result_t result = tmu_open(whole, &unit->device);
    unit->recorded = result == TMU_OK;
    return result;
}

unit_t *unit_acquire(char *error, size_t error_size) {
    unit_t *unit = &the_unit;
    if (unit_is_open()) {
        ++unit->users;
        return unit;
    }
    const char *uri = setting_get(SETTING_URI);
    if (!uri || uri[0] == '\0') {
        (void)snprintf(error, error_size,
                       "%s is not set; name the device to match with, for example %s=ref:tiny",
                       UNIT_URI, UNIT_URI);
        return NULL;
    }
    *unit = (unit_t){0};
    ++opened;
    unit->job = find_job();
    name_files(unit);
    const tmu_result_t result = open_device(unit, uri);
    if (result != TMU_OK) {
        --opened;
        (void)snprintf(error, error_size, "%s=%s: %s: %s", setting_name(SETTING_URI), uri,
                       tmu_result_text(result), tmu_error_text(NULL));
        return NULL;
    }
    if (open_rooms(unit, error, error_size) != 0) {
        tmu_close(unit->device);
        return NULL;
    }
    unit->users = 1;
    unit->owner = getpid();
    unit->next_number = 1;
    tfi_note("%s: %" PRIu32 " endpoints, %" PRIu32 " receives and %" PRIu32
             " messages on chip, %" PRIu32 " segments of memory",
             uri, unit->info.endpoints, unit->info.posted_entries, unit->info.unexpected_entries,
             unit->spill.segments);
    return unit;
}

bool unit_is_open(void) { return the_unit.users != 0 && the_unit.owner == getpid(); }

/* In a child of fork the device, its counters and its files are its parent's. */
static void end(unit_t *unit) {
    if (unit->owner != getpid()) {
        tmu_close(unit->device);
        unit->users = 0;
        return;
    }
    const char *uri = setting_get(SETTING_URI);
    unit->differences = report_end(unit, uri ? uri : "", setting_get(SETTING_REPORT));
    tmu_close(unit->device);
    slots_free(&unit->slots);
    order_close(&unit->order);
    unit->users = 0;
}

void unit_write(unit_t *unit, const order_entry_t *entry) {
    /* Entries that a flush removes have no number. */
    if (unit->journal.trace && entry->completion.status != TMU_STATUS_REMOVED) {
        order_put(&unit->order, &unit->journal, entry);
    }
}

void unit_release(unit_t *unit) {
    if (unit->users != 0 && --unit->users == 0) {
        end(unit);
    }
}

void unit_abandon(void) {
    if (unit_is_open()) {
        end(&the_unit);
    }
}

uint32_t unit_endpoints(const unit_t *unit) {
    return unit->info.endpoints < UNIT_ENDPOINTS ? unit->info.endpoints : UNIT_ENDPOINTS;
}

uint32_t unit_take_endpoint(unit_t *unit) {
    for (uint32_t i = 0; i < unit_endpoints(unit); ++i) {
        if ((unit->endpoints >> i & 1) == 0) {
            unit->endpoints |= UINT64_C(1) << i;
            return i;
        }
    }
    return UINT32_MAX;
}

void unit_return_endpoint(unit_t *unit, uint32_t endpoint) {
    unit->endpoints &= ~(UINT64_C(1) << endpoint);
}
