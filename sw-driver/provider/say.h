/* SPDX-License-Identifier: Apache-2.0 */
/* Output of the provider: sentences for the user, and notes for the log of libfabric. */
#ifndef TMU_PROVIDER_SAY_H
#define TMU_PROVIDER_SAY_H

#include <stdint.h>

/* A sentence that the user has to see: warnings of the log where that shows them, else standard
 * error. */
void tfi_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The same of what others can cause any number of times: the first, second, fourth and so on, with
 * how many there were in `*count`. */
void tfi_say_rarely(uint64_t *count, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A note, which nobody sees unless the log is asked for it. */
void tfi_note(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Directs these to `log`, which returns 0 for a sentence that it did not show. */
typedef enum { SAY_SENTENCE, SAY_NOTE } say_kind_t;
typedef int (*say_log_fn)(say_kind_t kind, const char *text);
void say_to(say_log_fn log);

#endif
