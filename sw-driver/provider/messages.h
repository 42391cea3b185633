/* SPDX-License-Identifier: Apache-2.0 */
/* Messages: what the files that send, receive and fetch them call of each other. */
#ifndef TMU_PROVIDER_MESSAGES_H
#define TMU_PROVIDER_MESSAGES_H

#include "provider.h" /* which includes this file at its end, when its types are known */

/* load.c: by the peer's number */
#define TFI_UNCOUNTED SIZE_MAX
bool tfi_load_full(const tfi_loads_t *loads, const peer_t *to);
/* False, and nothing is counted: memory is short. */
bool tfi_load_add(tfi_loads_t *loads, const peer_t *to, size_t bytes);
void tfi_load_end(tfi_loads_t *loads, const peer_t *to, size_t bytes);
void tfi_load_free(tfi_loads_t *loads);

/* out.c: what leaves by the inner endpoint that carries frames */
/* Hands an object of the provider's own to the inner endpoint, or keeps it in its peer's lane until
 * that takes more. */
void tfi_out(tfi_ep_t *ep, tfi_out_t *out);
/*
 * A frame of the user's goes to the inner endpoint within the call, or stays the caller's with
 * -FI_EAGAIN: what waited here would leave with the caller's next call, which may be far off.
 * Whatever else becomes of it ends the send, and the answer is 0.
 */
int tfi_out_at_once(tfi_ep_t *ep, tfi_out_t *out);
void tfi_out_progress(tfi_ep_t *ep);
/* Whether something waits to leave for a peer, or for any with NULL. */
bool tfi_out_waits(const tfi_ep_t *ep, const peer_t *to);
/* The inner endpoint is done with it, in error if `err` is not 0. */
void tfi_out_ended(tfi_ep_t *ep, tfi_out_t *out, int err);
/* A frame with `payload` bytes behind its header, to be filled in; NULL when memory is short. */
tfi_out_t *tfi_frame(tfi_ep_t *ep, wire_frame_t *frame, peer_t *to, size_t payload);
/* Has a lane for the peer with a number; false: memory is short. */
bool tfi_lane_make(tfi_ep_t *ep, uint32_t number);
/* Frames that wait in a lane end with the error. */
void tfi_lane_fail(tfi_ep_t *ep, uint32_t number, int err);
/* Frees one that nobody has; NULL is allowed. */
void tfi_out_drop(tfi_ep_t *ep, tfi_out_t *out);
/* Frees all that is left, when the inner endpoint is closed. */
void tfi_out_free(tfi_ep_t *ep);

/* send.c, receive.c, peek.c */
extern struct fi_ops_tagged tfi_tagged_ops;
ssize_t tfi_tsend(struct fid_ep *fid, const void *buffer, size_t length, void *desc, fi_addr_t to,
                  uint64_t tag, void *context);
ssize_t tfi_tsendv(struct fid_ep *fid, const struct iovec *iov, void **desc, size_t count,
                   fi_addr_t to, uint64_t tag, void *context);
ssize_t tfi_tsendmsg(struct fid_ep *fid, const struct fi_msg_tagged *msg, uint64_t flags);
ssize_t tfi_tinject(struct fid_ep *fid, const void *buffer, size_t length, fi_addr_t to,
                    uint64_t tag);
ssize_t tfi_tsenddata(struct fid_ep *fid, const void *buffer, size_t length, void *desc,
                      uint64_t data, fi_addr_t to, uint64_t tag, void *context);
ssize_t tfi_tinjectdata(struct fid_ep *fid, const void *buffer, size_t length, uint64_t data,
                        fi_addr_t to, uint64_t tag);
/* Every send of the user, tagged or not, with the flags of its call. */
ssize_t tfi_send_start(tfi_ep_t *ep, const struct fi_msg_tagged *msg, uint64_t flags,
                       tfi_shown_t shown, bool untagged);
/* Ends a send of the user: its completion, if one is wanted, or the error. */
void tfi_send_end(tfi_ep_t *ep, tfi_send_t *send, int err);
void tfi_send_free(tfi_ep_t *ep, tfi_send_t *send);
/* The bytes of a message or its buffer; false: too many pieces, or more bytes than the unit counts.
 */
bool tfi_measure(const tfi_ep_t *ep, const struct fi_msg_tagged *msg, uint64_t *length_p);
/* The receiver `asker` wants `length` bytes of a message, by the inner tag `tag`.  NULL, or what is
 * wrong with that. */
const char *tfi_send_payload(tfi_ep_t *ep, const peer_t *asker, const wire_frame_t *pull);

/* Result of a call whose record the matcher does not take. */
ssize_t tfi_not_taken(const tfi_ep_t *ep);
/* asks.c: receives that are not reported yet */
void tfi_enlist(tfi_ep_t *ep, tfi_ask_t *ask);
void tfi_delist(tfi_ep_t *ep, tfi_ask_t *ask);
/* The oldest with this context that has no message, or NULL. */
tfi_ask_t *tfi_find_ask(tfi_ep_t *ep, const void *context);
void tfi_asks_free(tfi_ep_t *ep);

extern const match_events_t tfi_match_events;
ssize_t tfi_cancel(struct fid *fid, void *context);
/*
 * A receive, probe or claim of the user with its key and its buffer; NULL, and the reason in
 * `*wrong`: -FI_EINVAL for a source that is not in the address vector, or for a buffer that is
 * longer than the unit counts.
 */
tfi_ask_t *tfi_ask(tfi_ep_t *ep, const struct fi_msg_tagged *msg, uint8_t opcode, uint64_t flags,
                   ssize_t *wrong);
void tfi_ask_free(tfi_ep_t *ep, tfi_ask_t *ask);
void tfi_message_free(tfi_ep_t *ep, tfi_message_t *message);
ssize_t tfi_peek(tfi_ep_t *ep, const struct fi_msg_tagged *msg, uint64_t flags);
ssize_t tfi_claimed(tfi_ep_t *ep, const struct fi_msg_tagged *msg, uint64_t flags);
void tfi_looked(tfi_ep_t *ep, tfi_ask_t *look, tfi_message_t *message);
/* Puts a message that is out of the unit into a receive, or fetches its payload first; both end. */
void tfi_deliver(tfi_ep_t *ep, tfi_message_t *message, tfi_ask_t *ask);

/* untagged.c */
extern struct fi_ops_msg tfi_msg_ops;
/* An untagged message meets a receive, or waits for one.  False: memory is short, and it stays the
 * caller's. */
bool tfi_untagged_came(tfi_ep_t *ep, tfi_message_t *message);
/* Goes on with messages that waited for memory. */
void tfi_untagged_progress(tfi_ep_t *ep);
ssize_t tfi_untagged_cancel(tfi_ep_t *ep, tfi_ask_t *ask);
void tfi_untagged_free(tfi_ep_t *ep);

/* gone.c: peers that have ended */
/* Something is wanted from a peer; it is looked at when that is so for a while. */
void tfi_watch(tfi_ep_t *ep, peer_t *peer);
void tfi_gone_progress(tfi_ep_t *ep);
/* Whether the peer has ended; that is so once, for it may come again. */
bool tfi_is_gone(tfi_ep_t *ep, const peer_t *peer);
void tfi_watch_free(tfi_ep_t *ep);

/* pull.c: payloads that wait at their senders */
void tfi_pull_start(tfi_ep_t *ep, tfi_message_t *message, tfi_ask_t *ask);
void tfi_pull_progress(tfi_ep_t *ep);
/* The inner endpoint is done with the buffer, which has `length` bytes. */
void tfi_pull_end(tfi_ep_t *ep, tfi_pull_t *pull, size_t length, int err);
/* Gives up a payload that its sender was not asked for. */
void tfi_pull_fail(tfi_ep_t *ep, tfi_pull_t *pull, int err);
/* Reports a received message and frees both. */
void tfi_received(tfi_ep_t *ep, tfi_message_t *message, tfi_ask_t *ask, int err);
/* Bytes of a buffer in pieces. */
size_t tfi_length(const struct iovec *iov, size_t count);
/* Copies all pieces of a buffer to one address. */
void tfi_gather(const struct iovec *iov, size_t count, uint8_t *to);
/* Copies into the pieces of a buffer what fits; the bytes that did. */
size_t tfi_scatter(const struct iovec *iov, size_t count, const uint8_t *bytes, size_t length);
/* The first `length` bytes of a buffer in pieces; the number of pieces, at least 1. */
size_t tfi_cut(const struct iovec *iov, size_t count, size_t length, struct iovec *cut);

/* progress.c: what comes in by the inner endpoint */
#define TFI_HANDED 8192u   /* bytes of a payload that stays in the buffer it came in, at least */
#define TFI_BY_PARTS 2048u /* bytes of a message that is sent from the user's buffer, at least */
int tfi_frames_start(tfi_ep_t *ep);
void tfi_frames_free(tfi_ep_t *ep);
/* The buffer of a frame is free again. */
void tfi_frame_spare(tfi_ep_t *ep, uint8_t *bytes);
/* Waits a moment for something that comes in by the inner endpoints; false: there was nothing. */
bool tfi_inner_comes(tfi_ep_t *ep);
/* Whether it can go on without anything coming in by the inner endpoint. */
bool tfi_busy(const tfi_ep_t *ep);
void tfi_progress(tfi_ep_t *ep);

#endif
