/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tmu-wire-fuzz: a target under spoiled packets, which are chosen by the branches that they reach.
 *
 * The model of the wire judges each of them: what is answered, completed, written and counted.  The
 * program is compiled with AddressSanitizer, and each receive has memory of its own size, so a
 * write outside ends it; a packet that never ends does as well.
 */
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>
#include <unistd.h>

#include "fuzz_coverage.h"
#include "fuzz_mutate.h"
#include "program.h"
#include "target_bench.h"

static const char usage[] =
    "usage: tmu-wire-fuzz [OPTION...]\n"
    "Gives spoiled packets to an Ultra Ethernet endpoint in software, chosen by the branches of "
    "its\n"
    "code that they reach, and compares all that it does with the model of the wire.\n"
    "  --packets N     how many (default 100000)\n"
    "  --seed K        of all that is drawn (default 1)\n"
    "  --json          figures as JSON\n"
    "  --progress      one line for each tenth, on standard error\n";

static const program_t program = {"tmu-wire-fuzz", usage, NULL};

/* Packets that one target gets before the next one begins, and seconds that these may take. */
enum { PACKETS_OF_A_TARGET = 4096, PATIENCE = 60, WRONG_OF_1024 = 60 };

typedef struct {
    uint64_t packets;
    uint64_t seed;
    bool json;
    bool progress;
    uint64_t given;
    uint64_t completed;
    uint64_t counted[WIRE_COUNTERS];
    fuzz_corpus_t corpus;
} fuzz_t;

static void give(fuzz_t *fuzz, target_bench_t *bench) {
    fuzz_frame_t frame;
    stream_t *from = NULL;
    uet_packet_t packet;
    lot_t *lot = &bench->forge.lot;
    while (!lot_chance(lot, 680)) {
        target_bench_disturb(bench);
    }
    frame.bytes = forge_frame(&bench->forge, frame.frame, &from, &packet);
    frame.envelope = packet.envelope;
    if (lot_chance(lot, 600)) {
        fuzz_mutate(&fuzz->corpus, lot, &frame);
    }
    fuzz_coverage_begin();
    target_bench_give(bench, frame.frame, frame.bytes, from, &packet);
    if (fuzz_coverage_is_new()) {
        fuzz_corpus_keep(&fuzz->corpus, &frame);
    }
    fuzz->given++;
}

/* All packets of one target; the exit code of the program. */
static int run_target(fuzz_t *fuzz) {
    static target_bench_t bench;
    const uint64_t target = fuzz->given / PACKETS_OF_A_TARGET;
    const struct itimerval patience = {.it_value = {.tv_sec = PATIENCE}};
    (void)setitimer(ITIMER_PROF, &patience, NULL); /* of processor time */
    if (!target_bench_begin(&bench, fuzz->seed + (target << 32), WRONG_OF_1024)) {
        return program_fails(&program, EXIT_DIFFERENCE, "no memory for a target");
    }
    do {
        give(fuzz, &bench);
    } while (fuzz->given < fuzz->packets && fuzz->given % PACKETS_OF_A_TARGET != 0 &&
             target_bench_error(&bench)[0] == '\0');
    fuzz->completed += bench.completed;
    const char *error = target_bench_end(&bench, fuzz->counted);
    if (error[0] != '\0') {
        return program_fails(&program, EXIT_DIFFERENCE,
                             "packet %" PRIu64 ": %s; --seed %" PRIu64 " repeats it", fuzz->given,
                             error, fuzz->seed);
    }
    return EXIT_WELL;
}

static void report(const fuzz_t *fuzz) {
    const struct {
        const char *name;
        uint64_t value;
    } figures[] = {
        {"packets", fuzz->given},
        {"malformed", fuzz->counted[WIRE_REFUSED_FRAME]},
        {"foreign", fuzz->counted[WIRE_FOREIGN]},
        {"unsupported", fuzz->counted[WIRE_UNSUPPORTED]},
        {"mismatch", fuzz->counted[WIRE_MISMATCH]},
        {"taken", fuzz->counted[WIRE_TAKEN]},
        {"received", fuzz->completed},
        {"edges", fuzz_coverage_edges()},
        {"kept", fuzz->corpus.count},
    };
    const size_t count = sizeof figures / sizeof *figures;
    if (fuzz->json) {
        (void)printf("{\"seed\": %" PRIu64, fuzz->seed);
        for (size_t i = 0; i < count; i++) {
            (void)printf(", \"%s\": %" PRIu64, figures[i].name, figures[i].value);
        }
        (void)printf("}\n");
        return;
    }
    for (size_t i = 0; i < count; i++) {
        (void)printf("%-12s %12" PRIu64 "\n", figures[i].name, figures[i].value);
    }
    (void)printf("no write outside, no wrong match, no wrong answer; seed %" PRIu64 "\n",
                 fuzz->seed);
}

static void too_long(int number) {
    static const char sentence[] =
        "tmu-wire-fuzz: packets of one target take more than 60 seconds\n";
    (void)number;
    (void)!write(STDERR_FILENO, sentence, sizeof sentence - 1);
    _exit(EXIT_DIFFERENCE);
}

int main(int count, char **values) {
    fuzz_t fuzz = {.packets = 100000, .seed = 1};
    const program_option_t options[] = {
        OPTION_NUMBER("packets", fuzz.packets, 1, 1000000000),
        OPTION_NUMBER("seed", fuzz.seed, 0, UINT64_MAX),
        OPTION_FLAG("json", fuzz.json),
        OPTION_FLAG("progress", fuzz.progress),
        {0},
    };
    (void)program_options(&program, options, count, values);
    (void)signal(SIGPROF, too_long);
    int code = fuzz_corpus_begin(&fuzz.corpus) ? EXIT_WELL : EXIT_DIFFERENCE;
    uint64_t shown = 0;
    while (code == EXIT_WELL && fuzz.given < fuzz.packets) {
        code = run_target(&fuzz);
        if (fuzz.progress && 10 * fuzz.given / fuzz.packets > shown) {
            shown = 10 * fuzz.given / fuzz.packets;
            (void)fprintf(stderr, "%s: %" PRIu64 " packets\n", program.name, fuzz.given);
        }
    }
    if (code == EXIT_WELL) {
        report(&fuzz);
    }
    fuzz_corpus_end(&fuzz.corpus);
    return code;
}
