/* SPDX-License-Identifier: Apache-2.0 */
#include "settings.h"

#include <stdlib.h>

const setting_row_t settings[SETTINGS] = {
    [SETTING_URI] = {"uri", "FI_TMU_URI", UNIT_URI,
                     "device to match with, as for tmu_open: ref:PRESET, sim:LIBRARY, "
                     "share:SOCKET, dev:FILE, vfu:SOCKET or vfio:ADDRESS; has to be set, as this "
                     "or as TMU_URI"},
    [SETTING_REPORT] = {"report", "FI_TMU_REPORT", UNIT_REPORT,
                        "folder for the report of each process; default: no report"},
    [SETTING_RECORD] = {"record", "FI_TMU_RECORD", UNIT_RECORD,
                        "folder for the trace and the verdict log of each process; default: no "
                        "recording"},
    [SETTING_SPILL] =
        {"spill", "FI_TMU_SPILL", SPILL_SEGMENTS,
         "segments of 2 MiB of memory that are registered with the device, 0 for none; "
         "default: all that the device takes"},
    [SETTING_UNEXPECTED] = {"unexpected", "FI_TMU_UNEXPECTED", TFI_UNEXPECTED,
                            "bytes of messages that nobody has asked for, which an endpoint holds "
                            "at most; beyond that messages wait at their senders; default: no "
                            "limit"},
    [SETTING_INNER] = {"inner", "FI_TMU_INNER", TFI_INNER,
                       "provider below, which carries the bytes; default: tcp, or net before "
                       "libfabric 1.18"},
    [SETTING_ADDRESS] = {"address", "FI_TMU_ADDRESS", TFI_ADDRESS,
                         "the device is a card, and carries the bytes itself: its address of IPv4, "
                         "or NETWORK/BITS, in which each rank takes one; default: no card"},
    [SETTING_RETRANSMIT] = {"retransmit", "FI_TMU_RETRANSMIT", TFI_RETRANSMIT,
                            "microseconds, by the card's clock, before a packet is sent again at "
                            "first; default: 20000, since the process of a peer's card may not "
                            "have a processor meanwhile"},
};

const char *setting_get(setting_t setting) {
    const char *value = getenv(settings[setting].fabric);
    return value ? value : getenv(settings[setting].own);
}

const char *setting_name(setting_t setting) {
    return getenv(settings[setting].fabric) ? settings[setting].fabric : settings[setting].own;
}
