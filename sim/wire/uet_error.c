/* SPDX-License-Identifier: Apache-2.0 */
#include "uet_error.h"

#include <inttypes.h>
#include <stdio.h>

const char *uet_reason_text(uet_reason_t reason) {
    static const char *const texts[UET_REASONS] = {
        [UET_FINE] = "no error",
        [UET_FOREIGN] = "not a frame of this transport",
        [UET_SHORT] = "ends inside a header",
        [UET_IP_LENGTH] = "wrong IP length",
        [UET_UDP_LENGTH] = "wrong UDP length",
        [UET_IP_OPTIONS] = "IPv4 header not of 20 bytes",
        [UET_IP_FRAGMENT] = "an IP fragment",
        [UET_IP_CHECKSUM] = "wrong IPv4 header checksum",
        [UET_IP_VERSION] = "IP version and EtherType differ",
        [UET_CRC] = "wrong CRC32C",
        [UET_PDS_TYPE] = "reserved packet type",
        [UET_ENCRYPTED] = "encrypted, and no keys",
        [UET_PDS_OMITTED] = "packet type that is not read",
        [UET_TOO_WIDE] = "value too large for its field",
        [UET_NO_ROOM] = "no room for the frame",
    };
    return (unsigned)reason < UET_REASONS ? texts[reason] : "unknown reason";
}

size_t uet_error_text(const uet_error_t *error, char *text, size_t room) {
    static const char *const relations[] = {"", "at least ", "at most "};
    int length =
        snprintf(text, room, "%s: %s %s at byte %zu: found 0x%" PRIx64 ", expected %s0x%" PRIx64,
                 uet_reason_text(error->reason), error->header, error->field, error->offset,
                 error->found, relations[error->relation], error->expected);
    return length < 0 ? 0 : (size_t)length;
}
