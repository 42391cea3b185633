/* SPDX-License-Identifier: Apache-2.0 */
/* Report of a process on its unit, as one JSON object. */
#ifndef TMU_PROVIDER_REPORT_H
#define TMU_PROVIDER_REPORT_H

#include "unit.h"

/*
 * Compares the unit's counters with the provider's counts, closes the journal, and writes
 * FOLDER/NAME.json unless `folder` is NULL or empty.  Says on standard error what differs or cannot
 * be written.  Returns the number of differences; a recording that could not be written is one.
 */
uint64_t report_end(unit_t *unit, const char *uri, const char *folder);

#endif
