/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The log is a shared mapping of its file, so what a rank recorded survives its crash.
 * When the disk is full the rank says so once and records no further; the program goes on.
 */
#define _GNU_SOURCE
#include "recorder.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

_Static_assert(sizeof(struct rec_entry) == 64, "the reader expects 64-byte records");

enum { PIECE_ENTRIES = 16384 };
static const size_t piece_bytes = PIECE_ENTRIES * sizeof(struct rec_entry);

static struct {
    pthread_mutex_t lock;
    bool active;
    pid_t owner; /* a forked child shares the mapping and must stay out of it */
    int file;
    FILE *notes;
    struct rec_entry *piece;
    struct rec_entry *last;
    size_t used; /* in this piece */
    pthread_t thread;
    bool one_thread;
    off_t end;
} log_state = {.lock = PTHREAD_MUTEX_INITIALIZER};

uint64_t rec_log_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

/* posix_fallocate, unlike ftruncate, fails here and not with a signal at the first write. */
static bool next_piece(void) {
    if (log_state.piece) {
        munmap(log_state.piece, piece_bytes);
    }
    log_state.piece = NULL;
    log_state.last = NULL;
    errno = posix_fallocate(log_state.file, log_state.end, (off_t)piece_bytes);
    if (errno != 0) {
        return false;
    }
    void *piece =
        mmap(NULL, piece_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, log_state.file, log_state.end);
    if (piece == MAP_FAILED) {
        return false;
    }
    log_state.piece = piece;
    log_state.used = 0;
    log_state.end += (off_t)piece_bytes;
    return true;
}

static bool refuse(const char *path, int rank) {
    fprintf(stderr, "tmu recorder: rank %d is not recorded: cannot make %s: %s\n", rank, path,
            strerror(errno));
    return false;
}

/* A command may start several MPI jobs one after another; each has a folder of its own. */
static void job_folder(const char *folder, char *path, size_t size) {
    const char *job = getenv("PMIX_NAMESPACE");
    if (job && !strchr(job, '/')) {
        snprintf(path, size, "%s/job-%s", folder, job);
    } else {
        snprintf(path, size, "%s/job-alone-%ld", folder, (long)getpid());
    }
}

bool rec_log_open(const char *folder, int rank) {
    char job[3072];
    char path[4096];
    job_folder(folder, job, sizeof job);
    if (mkdir(job, 0755) != 0 && errno != EEXIST) {
        return refuse(job, rank);
    }
    snprintf(path, sizeof path, "%s/rank-%d.log", job, rank);
    log_state.file = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    if (log_state.file < 0 || !next_piece()) {
        return refuse(path, rank);
    }
    snprintf(path, sizeof path, "%s/rank-%d.txt", job, rank);
    log_state.notes = fopen(path, "wxe");
    if (!log_state.notes) {
        return refuse(path, rank);
    }
    log_state.owner = getpid();
    log_state.thread = pthread_self();
    log_state.one_thread = true;
    log_state.active = true;
    rec_note("version %d", REC_LOG_VERSION);
    return true;
}

bool rec_log_active(void) { return log_state.active; }

void rec_log_close(void) {
    pthread_mutex_lock(&log_state.lock);
    log_state.active = false;
    if (log_state.notes) {
        fclose(log_state.notes);
    }
    log_state.notes = NULL;
    if (log_state.piece) {
        munmap(log_state.piece, piece_bytes);
    }
    log_state.piece = NULL;
    pthread_mutex_unlock(&log_state.lock);
}

/* The caller holds the lock. */
static void append(const struct rec_entry *entry) {
    if (log_state.used == PIECE_ENTRIES && !next_piece()) {
        fprintf(stderr, "tmu recorder: the log cannot grow (%s): this rank records no further\n",
                strerror(errno));
        fprintf(log_state.notes, "cut\n");
        fflush(log_state.notes);
        log_state.active = false;
        return;
    }
    if (log_state.one_thread && !pthread_equal(log_state.thread, pthread_self())) {
        log_state.one_thread = false;
        fprintf(log_state.notes, "threads\n");
        fflush(log_state.notes);
    }
    log_state.last = &log_state.piece[log_state.used++];
    *log_state.last = *entry;
    log_state.last->time = rec_log_now();
}

void rec_log_add(const struct rec_entry *entry) {
    pthread_mutex_lock(&log_state.lock);
    if (log_state.active && getpid() == log_state.owner) {
        append(entry);
    }
    pthread_mutex_unlock(&log_state.lock);
}

void rec_log_miss(const struct rec_entry *entry) {
    pthread_mutex_lock(&log_state.lock);
    struct rec_entry *last = log_state.last;
    if (log_state.active && getpid() == log_state.owner) {
        if (last && last->kind == entry->kind && last->comm == entry->comm &&
            last->peer == entry->peer && last->tag == entry->tag && last->flags == entry->flags) {
            last->repeats++;
            last->time = rec_log_now();
        } else {
            append(entry);
        }
    }
    pthread_mutex_unlock(&log_state.lock);
}

void rec_note(const char *format, ...) {
    pthread_mutex_lock(&log_state.lock);
    if (log_state.active && getpid() == log_state.owner) {
        va_list arguments;
        va_start(arguments, format);
        vfprintf(log_state.notes, format, arguments);
        va_end(arguments);
        fputc('\n', log_state.notes);
        fflush(log_state.notes);
    }
    pthread_mutex_unlock(&log_state.lock);
}

void rec_note_call(const char *call) { rec_note("unrecorded %s", call); }
