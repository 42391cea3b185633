/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Messages that nobody has asked for wait in this process, and what a program may send ahead is its
 * own affair: without a limit only memory bounds them, as in other MPIs.
 *
 * With a limit (SETTING_UNEXPECTED) an endpoint that has so much reads no further, so that senders
 * are held up, until receives have made room.  A program whose next receive is for a message behind
 * the limit stops for good, so there is none unless the user sets one, and reaching it is told.
 */
#include "provider.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

bool tfi_held_open(tfi_domain_t *domain) {
    const char *text = setting_get(SETTING_UNEXPECTED);
    domain->most_held = UINT64_MAX;
    if (!text) {
        return true;
    }
    errno = 0;
    domain->most_held = strtoull(text, NULL, 10);
    if (text[0] != '\0' && strspn(text, "0123456789") == strlen(text) && errno == 0) {
        return true;
    }
    tfi_say("%s=%s: expected how many bytes of messages that nobody has asked for an endpoint may "
            "hold; unset it, and there is no limit",
            setting_name(SETTING_UNEXPECTED), text);
    return false;
}

bool tfi_held_add(tfi_ep_t *ep, tfi_message_t *message, size_t bytes) {
    const uint64_t most = ep->domain->most_held;
    if (ep->held != 0 && (ep->held > most || bytes > most - ep->held)) {
        ep->over = true;
        return false;
    }
    message->held = bytes;
    ep->held += bytes;
    return true;
}

void tfi_held_end(tfi_ep_t *ep, const tfi_message_t *message) { ep->held -= message->held; }

void tfi_held_tell(tfi_ep_t *ep) {
    tfi_say_rarely(&ep->overs,
                   "%" PRIu64 " bytes of messages that nobody has asked for are here, and %s=%s is "
                   "all; further ones wait, and their senders with them",
                   ep->held, setting_name(SETTING_UNEXPECTED), setting_get(SETTING_UNEXPECTED));
}
