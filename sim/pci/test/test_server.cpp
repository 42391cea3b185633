// SPDX-License-Identifier: Apache-2.0
// One client after the other at a socket, whatever becomes of each; argument: the stub unit's
// library.
#include "bench.h"
#include "server.h"

#include <cerrno>
#include <cstdlib>
#include <sys/eventfd.h>
#include <sys/un.h>
#include <thread>

namespace {

constexpr int kPatienceMs = 5000;
constexpr uint64_t kBus = 0x7f1200000000;

// A server in a thread of its own, at a socket in a folder of its own.
struct Process {
    explicit Process(const std::string &options = "")
        : device(stub_library + options), wake(::eventfd(0, EFD_CLOEXEC)) {
        char pattern[] = "/tmp/tmu-server-XXXXXX";
        folder = ::mkdtemp(pattern);
        path = folder + "/socket";
        server = std::make_unique<vfu::Server>(device, path, nullptr);
        thread = std::thread([this] {
            try {
                server->serve(wake.number());
            } catch (const vfu::UnitFailure &caught) {
                failure = caught.what();
                server.reset();
            }
        });
    }
    ~Process() {
        stop();
        server.reset();
        (void)::rmdir(folder.c_str());
    }

    void stop() {
        const uint64_t one = 1;
        (void)!::write(wake.number(), &one, sizeof one);
        if (thread.joinable()) {
            thread.join();
        }
    }

    Client connect() const {
        sockaddr_un address{};
        address.sun_family = AF_UNIX;
        std::memcpy(address.sun_path, path.c_str(), path.size());
        const int socket = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
        EXPECT_NUMBER(
            ::connect(socket, reinterpret_cast<const sockaddr *>(&address), sizeof address), 0);
        return Client(socket);
    }

    std::string report() const {
        char text[2000] = "";
        std::FILE *file = ::fmemopen(text, sizeof text, "w");
        server->report(file);
        (void)std::fclose(file);
        return text;
    }

    vfu::Device device;
    vfu::Descriptor wake;
    std::string folder;
    std::string path;
    std::unique_ptr<vfu::Server> server;
    std::thread thread;
    std::string failure;
};

int ask(Client &client, uint16_t command, const std::vector<uint8_t> &payload,
        const std::vector<int> &files = {}) {
    client.send(command, payload, files);
    return client.receive(kPatienceMs).error();
}

int agree(Client &client) { return ask(client, VFU_VERSION, bytes_of(version(0, 1))); }

bool contains(const std::string &text, const char *part) {
    return text.find(part) != std::string::npos;
}

void clients_come_one_after_another() {
    Process p;
    for (int i = 0; i < 3; ++i) {
        Client client = p.connect();
        EXPECT_NUMBER(agree(client), 0);
    }
    p.stop();
    EXPECT(contains(p.report(), "\"clients\": 3,"));
    EXPECT(contains(p.report(), "\"clients_dropped\": 0,"));
}

void a_second_client_is_told_at_once() {
    Process p;
    Client first = p.connect();
    EXPECT_NUMBER(agree(first), 0);
    Client second = p.connect();
    EXPECT_NUMBER(agree(second), EBUSY);
    EXPECT_NUMBER(ask(first, VFU_DEVICE_RESET, {}), 0); // the first one does not notice
    first.close();
    Client third = p.connect();
    EXPECT_NUMBER(agree(third), 0);
    p.stop();
    EXPECT(contains(p.report(), "\"clients_turned_away\": 1,"));
}

void who_has_asked_nothing_yet_gets_the_next_turn() {
    Process p;
    Client first = p.connect();
    EXPECT_NUMBER(agree(first), 0);
    Client second = p.connect();
    EXPECT_NUMBER(ask(first, VFU_DEVICE_RESET, {}), 0);
    first.close();
    EXPECT_NUMBER(agree(second), 0);
    p.stop();
    EXPECT(contains(p.report(), "\"clients_turned_away\": 0,"));
}

void who_says_nothing_keeps_nobody_out() {
    Process p;
    std::vector<Client> silent;
    for (int i = 0; i < 40; ++i) {
        silent.push_back(p.connect());
    }
    {
        Client first = p.connect();
        EXPECT_NUMBER(agree(first), 0);
        for (int i = 0; i < 40; ++i) {
            silent.push_back(p.connect());
        }
        Client second = p.connect();
        EXPECT_NUMBER(agree(second), EBUSY); // told at once, and the first one goes on
        EXPECT_NUMBER(ask(first, VFU_DEVICE_RESET, {}), 0);
    }
    Client third = p.connect();
    EXPECT_NUMBER(agree(third), 0);
    third.close();
    EXPECT_NUMBER(agree(silent.back()), 0); // those that came last are still there
    p.stop();
    EXPECT(contains(p.report(), "\"clients\": 3,"));
}

void nothing_of_a_client_is_left_for_the_next_r13() {
    Process p;
    const SharedMemory memory(4096);
    const vfu_dma_map_t map{32, VFU_MAY_READ | VFU_MAY_WRITE, 0, kBus, 4096};
    const uint32_t value = 77;
    const auto word = bytes_of(value);
    const vfu_access_t access{TMU_REG_QUOTA_POSTED, TMU_PCI_BAR_REGISTERS, 4};
    {
        Client first = p.connect();
        EXPECT_NUMBER(agree(first), 0);
        EXPECT_NUMBER(ask(first, VFU_DMA_MAP, bytes_of(map), {memory.file.number()}), 0);
        EXPECT_NUMBER(ask(first, VFU_REGION_WRITE, bytes_of(access) + word), 0);
    }
    Client second = p.connect();
    EXPECT_NUMBER(agree(second), 0);
    EXPECT_NUMBER(ask(second, VFU_DMA_MAP, bytes_of(map), {memory.file.number()}), 0);
    second.send(VFU_REGION_READ, bytes_of(access));
    const Reply reply = second.receive(kPatienceMs);
    EXPECT_NUMBER(reply.payload.at(sizeof access), 0);
    p.stop();
    EXPECT(contains(p.report(), "\"resets\": 1,"));
}

void garbage_costs_its_sender_the_connection_r13() {
    Process p;
    Client first = p.connect();
    first.send_raw(std::vector<uint8_t>(1000, 0xff));
    EXPECT_NUMBER(first.receive(kPatienceMs).error(), -1);
    Client second = p.connect();
    EXPECT_NUMBER(agree(second), 0);
    p.stop();
    EXPECT(contains(p.report(), "\"clients_dropped\": 1,"));
}

void who_takes_memory_back_is_dropped_r13() {
    Process p;
    const SharedMemory memory(4096);
    Client first = p.connect();
    EXPECT_NUMBER(agree(first), 0);
    const uint16_t master = 4;
    EXPECT_NUMBER(ask(first, VFU_REGION_WRITE,
                      bytes_of(vfu_access_t{4, VFU_REGION_CONFIG, 2}) + bytes_of(master)),
                  0);
    const vfu_dma_map_t map{32, VFU_MAY_READ | VFU_MAY_WRITE, 0, 0, 4096};
    EXPECT_NUMBER(ask(first, VFU_DMA_MAP, bytes_of(map), {memory.file.number()}), 0);
    EXPECT_NUMBER(::ftruncate(memory.file.number(), 0), 0);
    const vfu_access_t doorbell{0, TMU_PCI_BAR_DOORBELLS, 64};
    (void)ask(first, VFU_REGION_WRITE, bytes_of(doorbell) + std::vector<uint8_t>(64));
    EXPECT_NUMBER(first.receive(kPatienceMs).error(), -1);
    Client second = p.connect();
    EXPECT_NUMBER(agree(second), 0);
    p.stop();
    EXPECT(contains(p.report(), "\"clients_dropped\": 1,"));
}

void dead_hardware_ends_the_device() {
    Process p("?die");
    Client client = p.connect();
    EXPECT_NUMBER(agree(client), 0);
    const vfu_access_t doorbell{0, TMU_PCI_BAR_DOORBELLS, 64};
    (void)ask(client, VFU_REGION_WRITE, bytes_of(doorbell) + std::vector<uint8_t>(64));
    EXPECT_NUMBER(client.receive(kPatienceMs).error(), -1);
    p.thread.join();
    EXPECT(contains(p.failure, "simulated hardware, clock "));
    EXPECT(contains(p.failure, ": assertion failed"));
    EXPECT(::access(p.path.c_str(), F_OK) != 0);
}

std::string refusal(vfu::Device &device, const std::string &path) {
    try {
        const vfu::Server server(device, path, nullptr);
    } catch (const vfu::SocketFailure &failure) {
        return failure.what();
    }
    return "";
}

void sockets_that_cannot_be_had_are_explained() {
    Process p;
    vfu::Device device(stub_library);
    EXPECT_TEXT(refusal(device, p.path).c_str(),
                (p.path + ": found another device that listens there").c_str());
    EXPECT_TEXT(refusal(device, std::string(108, 'x')).c_str(),
                "--socket: found a path of 108 characters, expected 1 to 107");
    EXPECT_TEXT(
        refusal(device, p.folder + "/no/socket").c_str(),
        (p.folder + "/no/socket: no socket can be made there: No such file or directory").c_str());
    EXPECT_TEXT(refusal(device, p.folder).c_str(),
                (p.folder + ": no socket can be made there: Address already in use").c_str());
}

void a_socket_left_behind_is_taken_over() {
    Process p;
    const std::string path = p.folder + "/stale";
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, path.c_str(), path.size());
    const vfu::Descriptor stale(::socket(AF_UNIX, SOCK_STREAM, 0));
    EXPECT_NUMBER(
        ::bind(stale.number(), reinterpret_cast<const sockaddr *>(&address), sizeof address), 0);
    vfu::Device device(stub_library);
    EXPECT_TEXT(refusal(device, path).c_str(), "");
}

std::string start(const std::string &library) {
    try {
        const vfu::Device device(library);
    } catch (const vfu::UnitFailure &failure) {
        return failure.what();
    }
    return "";
}

void libraries_that_are_no_unit_are_explained() {
    EXPECT(contains(start("/nowhere/tiny.so"), "'/nowhere/tiny.so' cannot be loaded: "));
    EXPECT(contains(start("libm.so.6"), "is no simulated device: it has no function tmu_sim_open"));
    EXPECT(contains(start(std::string(stub_library) + "?refuse"),
                    "does not start with options 'refuse': told to refuse"));
}

} // namespace

int main(int count, char **values) {
    if (count != 2) {
        return 2;
    }
    stub_library = values[1];
    RUN(clients_come_one_after_another);
    RUN(a_second_client_is_told_at_once);
    RUN(who_has_asked_nothing_yet_gets_the_next_turn);
    RUN(who_says_nothing_keeps_nobody_out);
    RUN(nothing_of_a_client_is_left_for_the_next_r13);
    RUN(garbage_costs_its_sender_the_connection_r13);
    RUN(who_takes_memory_back_is_dropped_r13);
    RUN(dead_hardware_ends_the_device);
    RUN(sockets_that_cannot_be_had_are_explained);
    RUN(a_socket_left_behind_is_taken_over);
    RUN(libraries_that_are_no_unit_are_explained);
    return expect_summary();
}
