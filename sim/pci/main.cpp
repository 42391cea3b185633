// SPDX-License-Identifier: Apache-2.0
// tmu-device: a simulated unit as a PCI device, served over vfio-user at a socket.
#include "server.h"

#include <cinttypes>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <getopt.h>
#include <string>
#include <sys/signalfd.h>

namespace {

enum { kWell = 0, kFailed = 1, kUsage = 2 };

constexpr char kUsageText[] =
    "usage: tmu-device --library LIB[?options] --socket PATH [--stats]\n"
    "  --library LIB  the simulated unit, with the options of a sim: URI\n"
    "                 (pauses=SEED&wave=FILE&window=FILE&memory_latency=CLOCKS)\n"
    "  --socket PATH  where clients find it: vfu:PATH\n"
    "  --stats        print what happened at the end, as one line of JSON\n"
    "SIGUSR1 prints that line at any time; SIGUSR2 pauses the waveform, or has it go on; with\n"
    "window=FILE it is paused at first; SIGINT and SIGTERM end the device.\n";

struct Arguments {
    std::string library;
    std::string socket;
    bool stats = false;
};

[[noreturn]] void usage(const char *problem) {
    (void)std::fprintf(stderr, "tmu-device: found %s\n%s", problem, kUsageText);
    std::exit(kUsage);
}

Arguments parse(int count, char **values) {
    static const option options[] = {
        {"library", required_argument, nullptr, 'l'},
        {"socket", required_argument, nullptr, 's'},
        {"stats", no_argument, nullptr, 't'},
        {"help", no_argument, nullptr, 'h'},
        {nullptr, 0, nullptr, 0},
    };
    Arguments arguments;
    int option = 0;
    while ((option = getopt_long(count, values, "", options, nullptr)) != -1) {
        switch (option) {
        case 'l':
            arguments.library = optarg;
            break;
        case 's':
            arguments.socket = optarg;
            break;
        case 't':
            arguments.stats = true;
            break;
        case 'h':
            (void)std::fputs(kUsageText, stdout);
            std::exit(kWell);
        default:
            (void)std::fputs(kUsageText, stderr);
            std::exit(kUsage);
        }
    }
    if (optind < count) {
        usage("a word that is no option");
    }
    if (arguments.library.empty()) {
        usage("no --library");
    }
    if (arguments.socket.empty()) {
        usage("no --socket");
    }
    return arguments;
}

vfu::Descriptor signals() {
    sigset_t set;
    (void)sigemptyset(&set);
    for (const int signal : {SIGINT, SIGTERM, SIGUSR1, SIGUSR2}) {
        (void)sigaddset(&set, signal);
    }
    (void)sigprocmask(SIG_BLOCK, &set, nullptr);
    // A client may hand over as an eventfd what is none.
    (void)std::signal(SIGPIPE, SIG_IGN);
    return vfu::Descriptor(signalfd(-1, &set, SFD_CLOEXEC));
}

// Says at which clock the waveform was paused, or has gone on.
void turn_wave(vfu::Device &device) {
    const int on = device.wave();
    if (on < 0) {
        (void)std::fputs("tmu-device: no waveform is written; start the device with one: "
                         "./tmu device --wave FILE\n",
                         stderr);
    } else {
        (void)std::fprintf(stderr, "tmu-device: the waveform %s at clock %" PRIu64 "\n",
                           on == 0 ? "pauses" : "goes on", device.clock());
    }
}

void run(const Arguments &arguments) {
    const vfu::Descriptor wake = signals();
    vfu::Device device(arguments.library);
    vfu::Server server(device, arguments.socket, stderr);
    (void)std::fprintf(stderr, "tmu-device: preset %s at %s\n", device.preset(),
                       arguments.socket.c_str());
    for (;;) {
        server.serve(wake.number());
        signalfd_siginfo told{};
        const bool heard = ::read(wake.number(), &told, sizeof told) == sizeof told;
        if (!heard) {
            continue;
        }
        if (told.ssi_signo == SIGUSR2) {
            turn_wave(device);
            continue;
        }
        const bool ends = told.ssi_signo != SIGUSR1;
        if (!ends || arguments.stats) {
            server.report(stdout);
        }
        if (ends) {
            return;
        }
    }
}

} // namespace

int main(int count, char **values) {
    const Arguments arguments = parse(count, values);
    try {
        run(arguments);
        return kWell;
    } catch (const vfu::SocketFailure &failure) {
        (void)std::fprintf(stderr, "tmu-device: %s\n", failure.what());
        return kUsage;
    } catch (const vfu::UnitFailure &failure) {
        (void)std::fprintf(stderr, "tmu-device: %s\n", failure.what());
        return kFailed;
    }
}
