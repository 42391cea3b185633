/* SPDX-License-Identifier: Apache-2.0 */
#include "switch_run.h"
#include "link_capture.h"

#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Frames of one port before the others have their turn. */
#define TURN 64
#define POLLED (2 * LINK_PORTS_MAX + 1)

typedef struct running {
    const switch_options_t *options;
    link_switch_t *sw;
    link_capture_t *capture;          /* NULL: none */
    int listener[LINK_PORTS_MAX + 1]; /* of each port, then that of the lowest free one */
    link_t *link[LINK_PORTS_MAX];     /* NULL: the port is free */
    bool more[LINK_PORTS_MAX];        /* its turn was over before its frames were */
} running_t;

static volatile sig_atomic_t ending;

static void end(int signal) {
    (void)signal;
    ending = 1;
}

/* A path, one byte more so that a longer one is noticed, and the number of a port behind it. */
#define PATH_ROOM (LINK_PATH_MAX + 16)

static uint64_t in_ns(const struct timespec *time) {
    return (uint64_t)time->tv_sec * UINT64_C(1000000000) + (uint64_t)time->tv_nsec;
}

static uint64_t now_ns(void) {
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return in_ns(&now);
}

/* For the capture alone: it can be set, so nothing waits by it. */
static uint64_t time_of_day_ns(void) {
    struct timespec now;
    (void)timespec_get(&now, TIME_UTC);
    return in_ns(&now);
}

static void path_of(const running_t *run, unsigned listener, char path[PATH_ROOM]) {
    const char *socket = run->options->socket;
    if (listener == run->options->shape.ports) {
        (void)snprintf(path, PATH_ROOM, "%.*s", (int)LINK_PATH_MAX + 1, socket);
    } else {
        (void)snprintf(path, PATH_ROOM, "%.*s.%u", (int)LINK_PATH_MAX + 1, socket, listener);
    }
}

static void stop_listening(running_t *run, unsigned listeners) {
    char path[PATH_ROOM];
    for (unsigned listener = 0; listener < listeners; listener++) {
        path_of(run, listener, path);
        (void)close(run->listener[listener]);
        (void)unlink(path);
    }
}

static bool start_listening(running_t *run) {
    char path[PATH_ROOM];
    char error[LINK_ERROR_BYTES];
    for (unsigned listener = 0; listener <= run->options->shape.ports; listener++) {
        path_of(run, listener, path);
        run->listener[listener] = link_listen(path, error);
        if (run->listener[listener] < 0) {
            (void)fprintf(stderr, "tmu-switch: --socket %s\n", error);
            stop_listening(run, listener);
            return false;
        }
    }
    return true;
}

static void close_port(running_t *run, unsigned port, link_status_t why) {
    if (why == LINK_BROKEN) {
        (void)fprintf(stderr, "tmu-switch: port %u: %s; closed\n", port,
                      link_error(run->link[port]));
    }
    link_close(run->link[port]);
    run->link[port] = NULL;
    run->more[port] = false;
    link_switch_close(run->sw, port, now_ns());
}

static unsigned free_port(const running_t *run) {
    unsigned port = 0;
    while (port < run->options->shape.ports && run->link[port]) {
        port++;
    }
    return port;
}

static void connect_port(running_t *run, unsigned listener) {
    const unsigned ports = run->options->shape.ports;
    link_t *link = link_accept(run->listener[listener]);
    const unsigned port = listener == ports ? free_port(run) : listener;
    if (!link) {
        return;
    }
    if (port == ports || run->link[port]) {
        (void)fprintf(stderr, "tmu-switch: found a connection to %s, expected none; closed\n",
                      port == ports ? "more ports than there are" : "a port in use");
        link_close(link);
        return;
    }
    run->link[port] = link;
    link_switch_open(run->sw, port);
}

static void capture(running_t *run, unsigned port, const uint8_t *frame, size_t bytes,
                    const link_fate_t *fate) {
    char text[128];
    if (run->capture) {
        link_fate_text(fate, text, sizeof text);
        (void)link_capture_write(run->capture, port, time_of_day_ns(), frame, bytes, true, text);
    }
}

static void receive(running_t *run, unsigned port) {
    for (unsigned frames = 0; frames < TURN; frames++) {
        const uint8_t *frame = NULL;
        size_t bytes = 0;
        const link_status_t status = link_receive(run->link[port], &frame, &bytes);
        if (status != LINK_FRAME) {
            run->more[port] = false;
            if (status != LINK_NOTHING) {
                close_port(run, port, status);
            }
            return;
        }
        const link_fate_t fate = link_switch_receive(run->sw, port, frame, bytes, now_ns());
        capture(run, port, frame, bytes, &fate);
    }
    run->more[port] = true;
}

/* Hands a port's link what may leave; a link that is full keeps the rest in the port's queue. */
static void transmit(running_t *run, unsigned port, uint64_t now) {
    link_t *link = run->link[port];
    const uint8_t *frame;
    size_t bytes;
    while ((frame = link_switch_ready(run->sw, port, now, &bytes)) &&
           link_send(link, frame, bytes)) {
        link_switch_sent(run->sw, port);
    }
    if (!link_flush(link)) {
        close_port(run, port, LINK_CLOSED); /* it does not read any more */
    }
}

/* Nanoseconds until something is to be done without anybody asking, LINK_NEVER if nothing is. */
static uint64_t pause_of(running_t *run) {
    const uint64_t now = now_ns();
    uint64_t next = link_switch_release(run->sw, now, false);
    for (unsigned port = 0; port < run->options->shape.ports; port++) {
        if (run->more[port]) {
            return 0;
        }
        if (run->link[port] && !link_waits(run->link[port])) {
            const uint64_t leaves = link_switch_leaves(run->sw, port);
            next = leaves < next ? leaves : next;
        }
    }
    return next == LINK_NEVER ? LINK_NEVER : next > now ? next - now : 0;
}

static void wait_for(running_t *run, struct pollfd *polled, const sigset_t *unblocked) {
    const unsigned ports = run->options->shape.ports;
    const uint64_t pause = pause_of(run);
    const struct timespec time = {(time_t)(pause / 1000000000), (long)(pause % 1000000000)};
    for (unsigned listener = 0; listener <= ports; listener++) {
        polled[ports + listener] = (struct pollfd){.fd = run->listener[listener], .events = POLLIN};
    }
    for (unsigned port = 0; port < ports; port++) {
        link_t *link = run->link[port];
        polled[port] = (struct pollfd){.fd = link ? link_fd(link) : -1, .events = POLLIN};
        if (link && link_waits(link)) {
            polled[port].events |= POLLOUT;
        }
    }
    if (ppoll(polled, 2 * ports + 1, pause == LINK_NEVER ? NULL : &time, unblocked) < 0) {
        memset(polled, 0, sizeof *polled * POLLED); /* interrupted: nothing was found */
    }
}

static void serve(running_t *run, const sigset_t *unblocked) {
    struct pollfd polled[POLLED];
    const unsigned ports = run->options->shape.ports;
    while (!ending) {
        wait_for(run, polled, unblocked);
        for (unsigned port = 0; port < ports; port++) {
            if (run->link[port] && (polled[port].revents || run->more[port])) {
                receive(run, port);
            }
        }
        for (unsigned listener = 0; listener <= ports; listener++) {
            if (polled[ports + listener].revents) {
                connect_port(run, listener);
            }
        }
        (void)link_switch_release(run->sw, now_ns(), false);
        for (unsigned port = 0; port < ports; port++) {
            if (run->link[port]) {
                transmit(run, port, now_ns());
            }
        }
        if (run->capture) {
            (void)link_capture_flush(run->capture); /* who watches it sees what has happened */
        }
    }
}

static bool open_capture(running_t *run) {
    static char names[LINK_PORTS_MAX][16];
    const char *pointers[LINK_PORTS_MAX];
    char error[LINK_CAPTURE_ERROR_BYTES];
    if (!run->options->pcap) {
        return true;
    }
    for (unsigned port = 0; port < run->options->shape.ports; port++) {
        (void)snprintf(names[port], sizeof names[port], "port %u", port);
        pointers[port] = names[port];
    }
    run->capture = link_capture_open(run->options->pcap, "tmu-switch", pointers,
                                     run->options->shape.ports, error);
    if (!run->capture) {
        (void)fprintf(stderr, "tmu-switch: --pcap %s\n", error);
    }
    return run->capture;
}

/* Counters at the end, and whether all is as it should be. */
static int finish(running_t *run) {
    link_counts_t counts[LINK_PORTS_MAX];
    char error[LINK_ERROR_BYTES];
    int code = 0;
    (void)link_switch_release(run->sw, now_ns(), true);
    for (unsigned port = 0; port < run->options->shape.ports; port++) {
        if (run->link[port]) {
            transmit(run, port, now_ns());
        }
        counts[port] = *link_switch_counts(run->sw, port);
        link_close(run->link[port]);
    }
    switch_print(run->options, counts);
    if (!link_counts_agree(counts, run->options->shape.ports, error)) {
        (void)fprintf(stderr, "tmu-switch: %s\n", error);
        code = 1;
    }
    if (run->capture && !link_capture_close(run->capture)) {
        (void)fprintf(stderr, "tmu-switch: --pcap %s: not all could be written\n",
                      run->options->pcap);
        code = 1;
    }
    link_switch_free(run->sw);
    return code;
}

/* SIGTERM and SIGINT come only while it waits. */
static void watch_signals(sigset_t *unblocked) {
    const struct sigaction action = {.sa_handler = end};
    sigset_t blocked;
    (void)sigemptyset(&blocked);
    (void)sigaddset(&blocked, SIGTERM);
    (void)sigaddset(&blocked, SIGINT);
    (void)sigprocmask(SIG_BLOCK, &blocked, unblocked);
    (void)sigdelset(unblocked, SIGTERM);
    (void)sigdelset(unblocked, SIGINT);
    (void)sigaction(SIGTERM, &action, NULL);
    (void)sigaction(SIGINT, &action, NULL);
}

int switch_run(const switch_options_t *options) {
    static running_t run;
    sigset_t unblocked;
    run = (running_t){.options = options};
    watch_signals(&unblocked);
    if (!start_listening(&run)) {
        return 2;
    }
    run.sw = link_switch_new(&options->shape);
    if (!run.sw || !open_capture(&run)) {
        stop_listening(&run, options->shape.ports + 1);
        link_switch_free(run.sw);
        return 2;
    }
    (void)fprintf(stderr, "tmu-switch: %u ports at %s, seed %" PRIu64 "\n", options->shape.ports,
                  options->socket, options->shape.impairments.seed);
    serve(&run, &unblocked);
    stop_listening(&run, options->shape.ports + 1);
    return finish(&run);
}
