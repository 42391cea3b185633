/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two processes that find each other by host and port alone.  The server listens at a port of every
 * address of this machine; the client asks fi_getinfo for that host and port, and its first message
 * brings its own name.  Ends with 1 where an answer is not as it has to be.
 */
#include "fabric_sides.h"

#include <arpa/inet.h>
#include <sys/wait.h>
#include <unistd.h>

#define HOST "127.0.0.1"

static char port[8];

/* One that nobody has; the client and the server begin with the same. */
static void choose_port(void) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    socklen_t size = sizeof address;
    const int probe = socket(AF_INET, SOCK_STREAM, 0);
    must(bind(probe, (struct sockaddr *)&address, size), "bind");
    must(getsockname(probe, (struct sockaddr *)&address, &size), "getsockname");
    (void)snprintf(port, sizeof port, "%u", (unsigned)ntohs(address.sin_port));
    (void)close(probe);
}

static void open_by_name(const char *node, const char *service, uint64_t flags) {
    struct fi_info *hints = fi_allocinfo();
    hints->caps = FI_TAGGED | FI_MSG | FI_DIRECTED_RECV | FI_SOURCE;
    hints->ep_attr->type = FI_EP_RDM;
    hints->addr_format = FI_SOCKADDR_IN;
    hints->fabric_attr->prov_name = strdup("tmu");
    must(fi_getinfo(FI_VERSION(1, 9), node, service, flags, hints, &info), "fi_getinfo");
    EXPECT(info->addr_format == FI_SOCKADDR_IN);
    fi_freeinfo(hints);
    must(fi_fabric(info->fabric_attr, &fabric, NULL), "fi_fabric");
    must(fi_domain(fabric, info, &domain, NULL), "fi_domain");
    open_side(&a, 0);
}

/* The one completion of a with this context. */
static struct fi_cq_err_entry done(const void *context, fi_addr_t source) {
    fi_addr_t from = FI_ADDR_NOTAVAIL;
    struct fi_cq_err_entry entry = {0};
    struct fi_cq_tagged_entry tagged = {0};
    const time_t start = time(NULL);
    ssize_t got;
    while ((got = fi_cq_readfrom(a.cq, &tagged, 1, &from)) == -FI_EAGAIN) {
        if (time(NULL) - start > SECONDS) {
            must(-FI_ETIMEDOUT, "a completion");
        }
    }
    if (got == -FI_EAVAIL) {
        EXPECT(fi_cq_readerr(a.cq, &entry, 0) == 1 && entry.err == 0);
    }
    EXPECT(got == 1 && tagged.op_context == context && from == source);
    entry.len = tagged.len;
    return entry;
}

#define SENT(call, context)                                                                        \
    do {                                                                                           \
        SEND(call);                                                                                \
        (void)done(context, FI_ADDR_NOTAVAIL);                                                     \
    } while (0)

/* ---- the server ---------------------------------------------------------------------------- */

/* The client is inserted by the name that its first message brings; what it sent before that is its
 * own all the same (R7). */
static int serve(void) {
    fi_addr_t source = FI_ADDR_NOTAVAIL;
    open_by_name(NULL, port, FI_SOURCE);
    must(fi_trecv(a.ep, in, 64, NULL, FI_ADDR_UNSPEC, 1, 0, &in), "fi_trecv");
    (void)done(&in, FI_ADDR_NOTAVAIL);
    EXPECT(fi_av_insert(a.av, in, 1, &a.peer, 0, NULL) == 1);
    must(fi_trecv(a.ep, in, LONG_BYTES, NULL, a.peer, 2, 0, &in), "fi_trecv");
    EXPECT(done(&in, a.peer).len == LONG_BYTES && in[LONG_BYTES - 1] == 2);
    /* Two untagged ones that nobody has asked for are before that, one of them long. */
    for (unsigned i = 0; i < 2; ++i) {
        must(fi_recv(a.ep, in, LONG_BYTES, NULL, i == 0 ? a.peer : FI_ADDR_UNSPEC, &in), "fi_recv");
        EXPECT(done(&in, a.peer).len == (i == 0 ? 5 : LONG_BYTES));
    }
    SENT(fi_tsend(a.ep, "short", 5, NULL, a.peer, 3, &out), &out);
    SENT(fi_tsend(a.ep, out, LONG_BYTES, NULL, a.peer, 4, &out), &out);
    SENT(fi_send(a.ep, out, LONG_BYTES, NULL, a.peer, &out), &out);
    must(fi_trecv(a.ep, in, 8, NULL, a.peer, 5, 0, &source), "fi_trecv");
    (void)done(&source, a.peer);
    close_side(&a);
    close_all();
    return wrong == 0 ? 0 : 1;
}

/* ---- the client ---------------------------------------------------------------------------- */

/* One address has one index, by whatever call it is inserted, and reads as what it is. */
static void insert_by_name(void) {
    char text[64];
    char expected[64];
    char name[64];
    size_t size = sizeof text;
    fi_addr_t index = FI_ADDR_NOTAVAIL;
    EXPECT(fi_av_insert(a.av, info->dest_addr, 1, &a.peer, 0, NULL) == 1 && a.peer == 0);
    EXPECT(fi_av_insertsvc(a.av, HOST, port, &index, 0, NULL) == 1 && index == a.peer);
    index = FI_ADDR_NOTAVAIL;
    EXPECT(fi_av_insertsym(a.av, HOST, 1, port, 1, &index, 0, NULL) == 1 && index == a.peer);
    for (int i = 0; i < 2; ++i) {
        must(fi_av_remove(a.av, &index, 1, 0), "fi_av_remove");
    }
    EXPECT(fi_av_insertsvc(a.av, HOST, "no-such-service", &index, 0, NULL) <= 0);
    EXPECT(fi_av_insertsvc(a.av, HOST, port, &index, FI_SYNC_ERR, &index) == -FI_EBADFLAGS);
    EXPECT(fi_av_insertsym(a.av, HOST, 0, port, 1, &index, 0, NULL) == -FI_EINVAL);
    (void)snprintf(expected, sizeof expected, "fi_sockaddr_in://%s:%s", HOST, port);
    EXPECT(strcmp(fi_av_straddr(a.av, info->dest_addr, text, &size), expected) == 0);
    size = sizeof name;
    EXPECT(fi_av_lookup(a.av, a.peer, name, &size) == 0 && size == info->dest_addrlen);
    EXPECT(memcmp(name, info->dest_addr, size) == 0);
}

/* With FI_SYNC_ERR each address has an error of its own. */
static void insert_with_errors(void) {
    struct sockaddr_in addresses[3] = {{0}};
    fi_addr_t indices[3];
    int errors[3] = {-1, -1, -1};
    memcpy(&addresses[0], info->dest_addr, sizeof addresses[0]);
    addresses[2] = addresses[0];
    EXPECT(fi_av_insert(a.av, addresses, 3, indices, FI_SYNC_ERR, NULL) == -FI_EINVAL);
    EXPECT(fi_av_insert(a.av, addresses, 3, indices, FI_EVENT, NULL) == -FI_EBADFLAGS);
    EXPECT(fi_av_insert(a.av, addresses, 3, indices, FI_SYNC_ERR, errors) == 2);
    EXPECT(errors[0] == 0 && errors[1] == FI_EINVAL && errors[2] == 0);
    EXPECT(indices[0] == a.peer && indices[1] == FI_ADDR_NOTAVAIL && indices[2] == a.peer);
    for (int i = 0; i < 2; ++i) {
        must(fi_av_remove(a.av, &a.peer, 1, 0), "fi_av_remove");
    }
}

/* The server is everywhere; its messages come from the address that it was found by. */
static void receive(void) {
    must(fi_trecv(a.ep, in, 8, NULL, a.peer, 3, 0, &in), "fi_trecv");
    EXPECT(done(&in, a.peer).len == 5 && memcmp(in, "short", 5) == 0);
    must(fi_trecv(a.ep, in, LONG_BYTES, NULL, a.peer, 4, 0, &in), "fi_trecv");
    EXPECT(done(&in, a.peer).len == LONG_BYTES);
    must(fi_recv(a.ep, in, LONG_BYTES, NULL, a.peer, &in), "fi_recv");
    EXPECT(done(&in, a.peer).len == LONG_BYTES);
}

static void ask(void) {
    char name[64];
    size_t size = sizeof name;
    open_by_name(HOST, port, 0);
    insert_by_name();
    insert_with_errors();
    must(fi_getname(&a.ep->fid, name, &size), "fi_getname");
    out[LONG_BYTES - 1] = 2;
    SENT(fi_tsend(a.ep, name, size, NULL, a.peer, 1, &out), &out);
    SENT(fi_send(a.ep, "hello", 5, NULL, a.peer, &in), &in);
    SEND(fi_send(a.ep, out, LONG_BYTES, NULL, a.peer, &out)); /* ends after that which follows */
    SENT(fi_tsend(a.ep, out, LONG_BYTES, NULL, a.peer, 2, &in), &in);
    (void)done(&out, FI_ADDR_NOTAVAIL);
    receive();
    SENT(fi_tsend(a.ep, "end", 3, NULL, a.peer, 5, &out), &out);
    close_side(&a);
}

int main(void) {
    int status = 0;
    choose_port();
    const pid_t server = fork();
    if (server == 0) {
        return serve();
    }
    ask();
    EXPECT(waitpid(server, &status, 0) == server && WIFEXITED(status) && WEXITSTATUS(status) == 0);
    return outcome("host and port are enough");
}
