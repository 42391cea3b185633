/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Settings from the environment.  libfabric calls a provider's parameters FI_<PROVIDER>_<NAME>
 * and shows them in `fi_info -e`; each has a name of its own as well, that of libtmu and ./tmu.
 */
#ifndef TMU_PROVIDER_SETTINGS_H
#define TMU_PROVIDER_SETTINGS_H

#define UNIT_URI "TMU_URI"
#define UNIT_REPORT "TMU_FI_REPORT"
#define UNIT_RECORD "TMU_FI_RECORD"
#define SPILL_SEGMENTS "TMU_FI_SPILL"
#define TFI_UNEXPECTED "TMU_FI_UNEXPECTED"
#define TFI_INNER "TMU_FI_INNER"
#define TFI_ADDRESS "TMU_FI_ADDRESS"
#define TFI_RETRANSMIT "TMU_FI_RETRANSMIT"

typedef enum {
    SETTING_URI,        /* the device */
    SETTING_REPORT,     /* folder for the report at the end; none = no report */
    SETTING_RECORD,     /* folder for the trace and the verdict log; none = no recording */
    SETTING_SPILL,      /* memory registered with the device (spill.h) */
    SETTING_UNEXPECTED, /* bytes of messages that an endpoint holds */
    SETTING_INNER,      /* the provider below, if not the usual one */
    SETTING_ADDRESS,    /* of the card that carries messages (network.h); none = there is none */
    SETTING_RETRANSMIT, /* microseconds of the card before a packet is sent again at first */
    SETTINGS
} setting_t;

typedef struct {
    const char *parameter; /* of libfabric, without the prefix */
    const char *fabric;    /* the variable that libfabric calls it by */
    const char *own;       /* the other name, which counts if that is not set */
    const char *help;
} setting_row_t;

extern const setting_row_t settings[SETTINGS];

/* The value, or NULL if it is not set. */
const char *setting_get(setting_t setting);

/* The variable that the value comes from, or would best. */
const char *setting_name(setting_t setting);

#endif
