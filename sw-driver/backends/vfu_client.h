/* SPDX-License-Identifier: Apache-2.0
 *
 * The client's end of a vfio-user connection: commands, their replies, and sentences about what
 * went wrong.
 *
 * Not thread-safe; its owner has a lock.  After a failure of the connection every call fails with
 * the same sentence.
 */
#ifndef VFU_CLIENT_H
#define VFU_CLIENT_H

#include <stdbool.h>

#include "backend.h"
#include "vfu_protocol.h"

typedef struct vfu_client {
    int socket;
    uint16_t next_id;
    const char *path; /* the owner's, for sentences */
    bool broken;
    char broken_text[256];
} vfu_client_t;

/* One command: what is sent, what has to come back. */
typedef struct vfu_call {
    uint16_t command;
    const char *name;    /* of the command, for sentences */
    const void *request; /* the fixed part */
    size_t request_bytes;
    const void *data; /* behind it, or NULL */
    size_t data_bytes;
    int file;     /* sent along, or -1 */
    bool posted;  /* wants no reply, not even an error */
    void *answer; /* what the reply has to hold; NULL for a posted command */
    size_t answer_least;
    size_t answer_most;
    size_t answer_bytes; /* what it held */
    uint32_t error;      /* of the reply, an errno value */
} vfu_call_t;

/*
 * Connects to the socket and agrees on a version.
 * Errors: TMU_ERR_URI when nobody serves there, TMU_ERR_BUSY when another client has the device,
 * TMU_ERR_VERSION, TMU_ERR_DEVICE.
 */
tmu_result_t vfu_client_open(vfu_client_t *client, const char *path);
void vfu_client_close(vfu_client_t *client);

/*
 * Sends a command and, unless it is posted, waits for its reply.
 * TMU_OK also when the device refused it, and then `error` is not 0.  Errors: TMU_ERR_DEVICE.
 */
tmu_result_t vfu_client_call(vfu_client_t *client, vfu_call_t *call);

/* Like vfu_client_call, but a refusal is TMU_ERR_DEVICE with a sentence as well. */
tmu_result_t vfu_client_must(vfu_client_t *client, vfu_call_t *call);

/* Whether the device's end of the connection is still open; TMU_ERR_DEVICE.  Never waits. */
tmu_result_t vfu_client_alive(vfu_client_t *client);

/* Reads or writes a region; `*error_p` as in a call.  Errors: TMU_ERR_DEVICE. */
tmu_result_t vfu_client_read(vfu_client_t *client, uint32_t region, uint64_t offset, void *data,
                             uint32_t count, uint32_t *error_p);
tmu_result_t vfu_client_write(vfu_client_t *client, uint32_t region, uint64_t offset,
                              const void *data, uint32_t count, uint32_t *error_p);

/* Writes a region without waiting, and without hearing of an error. */
tmu_result_t vfu_client_post(vfu_client_t *client, uint32_t region, uint64_t offset,
                             const void *data, uint32_t count);

#endif
