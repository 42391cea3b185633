// SPDX-License-Identifier: Apache-2.0
// tmu-bench: cells of the benchmark, or a random campaign, on the Verilated matching unit.
#include "campaign.h"
#include "measure.h"

#include <getopt.h>

#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <iostream>

namespace {

enum { kWell = 0, kDifferent = 1, kUsage = 2 };

const char kHelp[] =
    "usage: tmu-bench --shape "
    "ENDPOINTS:POSTED:UNEXPECTED:POSTED_SLOTS:UNEXPECTED_SLOTS:ARRAY:ID_BITS:QUEUES [--seed N]\n"
    "                 (--random N [--flowing] [--progress] | [--pauses] CELL...)\n"
    "  --shape     the configuration that was Verilated\n"
    "  --seed N    of everything that is drawn at random (default 1)\n"
    "  --random N  a campaign of N random operations, with pauses unless --flowing\n"
    "  --progress  lines 'progress DONE TOTAL' on standard error\n"
    "  --pauses    random pauses of the bench around the cells\n"
    "  CELL        KIND:QUEUE:POSITION:DEPTH:STEPS; each prints one JSON object on a line\n"
    "Exit code 0: every verdict is the model's; 1: a difference; 2: bad input.\n";

struct Arguments {
    bench::Shape shape;
    uint64_t seed = 1;
    uint64_t random = 0;
    bool flowing = false;
    bool progress = false;
    bool pauses = false;
    std::vector<bench::Cell> cells;
};

uint64_t number(const char *option, const char *text) {
    char *end = nullptr;
    errno = 0;
    const uint64_t value = std::strtoull(text, &end, 10);
    if (text[0] < '0' || text[0] > '9' || *end != '\0' || errno != 0) {
        throw bench::BadInput(std::string(option) + ": found '" + text +
                              "', expected a decimal number");
    }
    return value;
}

bench::Shape shape_of(const char *text) {
    bench::Shape s;
    char more = '\0';
    const int found = std::sscanf(text,
                                  "%" SCNu32 ":%" SCNu32 ":%" SCNu32 ":%" SCNu32 ":%" SCNu32
                                  ":%" SCNu32 ":%" SCNu32 ":%" SCNu32 "%c",
                                  &s.endpoints, &s.posted, &s.unexpected, &s.slots[bench::kArrival],
                                  &s.slots[bench::kPost], &s.array, &s.id_bits, &s.queues, &more);
    if (found != 8 || s.queues == 0) {
        throw bench::BadInput(
            std::string("--shape: found '") + text +
            "', expected "
            "ENDPOINTS:POSTED:UNEXPECTED:POSTED_SLOTS:UNEXPECTED_SLOTS:ARRAY:ID_BITS:QUEUES");
    }
    return s;
}

Arguments parse(int argc, char **argv) {
    enum { kShape = 1, kSeed, kRandom, kFlowing, kProgress, kPauses, kHelpOption };
    static const option options[] = {{"shape", required_argument, nullptr, kShape},
                                     {"seed", required_argument, nullptr, kSeed},
                                     {"random", required_argument, nullptr, kRandom},
                                     {"flowing", no_argument, nullptr, kFlowing},
                                     {"progress", no_argument, nullptr, kProgress},
                                     {"pauses", no_argument, nullptr, kPauses},
                                     {"help", no_argument, nullptr, kHelpOption},
                                     {nullptr, 0, nullptr, 0}};
    Arguments a;
    int found = 0;
    while ((found = getopt_long(argc, argv, "", options, nullptr)) != -1) {
        switch (found) {
        case kShape:
            a.shape = shape_of(optarg);
            break;
        case kSeed:
            a.seed = number("--seed", optarg);
            break;
        case kRandom:
            a.random = number("--random", optarg);
            break;
        case kFlowing:
            a.flowing = true;
            break;
        case kProgress:
            a.progress = true;
            break;
        case kPauses:
            a.pauses = true;
            break;
        case kHelpOption:
            std::cout << kHelp;
            std::exit(kWell);
        default:
            throw bench::BadInput(std::string("see tmu-bench --help"));
        }
    }
    for (int i = optind; i < argc; ++i) {
        a.cells.push_back(bench::parse_cell(argv[i]));
    }
    if (a.shape.endpoints == 0) {
        throw bench::BadInput("found no --shape, expected the configuration");
    }
    if ((a.random == 0) == a.cells.empty()) {
        throw bench::BadInput("found " + std::to_string(a.cells.size()) + " cells and --random " +
                              std::to_string(a.random) + ", expected cells or a campaign");
    }
    return a;
}

void run(const Arguments &a) {
    if (a.random != 0) {
        bench::CampaignOptions options;
        options.operations = a.random;
        options.seed = a.seed;
        options.pauses = !a.flowing;
        if (a.progress) {
            options.progress = [&](uint64_t done) {
                std::cerr << "progress " << done << " " << a.random << std::endl;
            };
        }
        std::cout << bench::campaign(a.shape, options) << std::endl;
    }
    for (const bench::Cell &cell : a.cells) {
        try {
            std::cout << bench::measure(cell, a.shape, {a.seed, a.pauses}) << std::endl;
        } catch (const bench::Difference &difference) {
            throw bench::Difference("cell " + cell.kind_name + ", queue " +
                                    bench::name_of(cell.queue) + ", position " +
                                    bench::name_of(cell.position) + ", depth " +
                                    std::to_string(cell.depth) + ", " + difference.what());
        }
    }
}

} // namespace

int main(int argc, char **argv) {
    uint64_t seed = 1;
    try {
        const Arguments arguments = parse(argc, argv);
        seed = arguments.seed;
        run(arguments);
        return kWell;
    } catch (const bench::Difference &difference) {
        std::cerr << "tmu-bench: seed " << seed << ": " << difference.what() << std::endl;
        return kDifferent;
    } catch (const bench::BadInput &bad) {
        std::cerr << "tmu-bench: " << bad.what() << std::endl;
        return kUsage;
    } catch (const std::exception &error) {
        std::cerr << "tmu-bench: " << error.what() << std::endl;
        return kDifferent;
    }
}
