/* SPDX-License-Identifier: Apache-2.0
 *
 * The driver's end of vfio-user against a device that answers as it is told, right or wrong.
 */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "fixture.h"
#include "tmu/tmu_pci.h"
#include "vfu_protocol.h"

/* Faults of the device, which a right one does not have. */
typedef struct script {
    uint16_t major;
    uint16_t minor;
    uint32_t version_error; /* an errno value instead of a version */
    uint16_t vendor;
    uint16_t wrong_command; /* the command that is answered wrongly, */
    vfu_header_t wrong;     /* by adding this */
    uint16_t last_command;  /* the command that is not answered: the connection is closed */
} script_t;

static const script_t right = {.major = VFU_MAJOR, .minor = VFU_MINOR, .vendor = TMU_PCI_VENDOR};
static char path[64];
static int listener;
static script_t script;

static bool take(int socket, void *target, size_t bytes) {
    return bytes == 0 || recv(socket, target, bytes, MSG_WAITALL) == (ssize_t)bytes;
}

/* Fills what a right device answers; returns its bytes.  All registers are 0. */
static size_t answer_to(const vfu_header_t *header, const unsigned char *request,
                        unsigned char *answer) {
    vfu_version_t version = {.major = script.major, .minor = script.minor};
    uint16_t ids[2] = {script.vendor, TMU_PCI_DEVICE};
    vfu_access_t access = {0};
    switch (header->command) {
    case VFU_VERSION:
        memcpy(answer, &version, sizeof version);
        return sizeof version;
    case VFU_REGION_READ:
        memcpy(&access, request, sizeof access);
        memcpy(answer, &access, sizeof access);
        memset(answer + sizeof access, 0, access.count);
        if (access.region == VFU_REGION_CONFIG) {
            memcpy(answer + sizeof access, ids, sizeof ids);
        }
        return sizeof access + access.count;
    case VFU_REGION_WRITE:
        memcpy(answer, request, sizeof access);
        return sizeof access;
    case VFU_DEVICE_GET_REGION_INFO:
        memset(answer, 0, sizeof(vfu_region_info_t));
        return sizeof(vfu_region_info_t);
    case VFU_DEVICE_GET_IRQ_INFO:
        memset(answer, 0, sizeof(vfu_irq_info_t));
        return sizeof(vfu_irq_info_t);
    default:
        return 0;
    }
}

static void *serve(void *unused) {
    (void)unused;
    int socket = accept(listener, NULL, NULL);
    vfu_header_t header;
    while (take(socket, &header, sizeof header)) {
        unsigned char request[256];
        unsigned char answer[256];
        if (header.size - sizeof header > sizeof request ||
            !take(socket, request, header.size - sizeof header) ||
            header.command == script.last_command) {
            break;
        }
        size_t bytes = answer_to(&header, request, answer);
        vfu_header_t reply = {.id = header.id, .command = header.command, .flags = VFU_TYPE_REPLY};
        if (header.command == VFU_VERSION && script.version_error != 0) {
            reply.flags |= VFU_ERROR;
            reply.error = script.version_error;
            bytes = 0;
        }
        reply.size = (uint32_t)(sizeof reply + bytes);
        if (header.command == script.wrong_command) {
            reply.id = (uint16_t)(reply.id + script.wrong.id);
            reply.command = (uint16_t)(reply.command + script.wrong.command);
            reply.size += script.wrong.size;
            reply.flags ^= script.wrong.flags;
        }
        (void)send(socket, &reply, sizeof reply, MSG_NOSIGNAL);
        (void)send(socket, answer, bytes, MSG_NOSIGNAL);
    }
    (void)close(socket);
    return NULL;
}

/* Opens a device that follows `what`; nothing that it does makes a unit of it. */
static tmu_result_t open_scripted(script_t what) {
    pthread_t thread;
    tmu_t *device = NULL;
    char uri[128];
    script = what;
    (void)snprintf(uri, sizeof uri, "vfu:%s", path);
    if (pthread_create(&thread, NULL, serve, NULL) != 0) {
        abort();
    }
    tmu_result_t result = tmu_open(uri, &device);
    (void)pthread_join(thread, NULL);
    EXPECT(!device);
    return result;
}

/* The sentence, with the path of the socket left out. */
static void expect_sentence(const char *before, const char *after) {
    char expected[512];
    (void)snprintf(expected, sizeof expected, "%s%s%s", before, path, after);
    EXPECT_TEXT(tmu_error_text(NULL), expected);
}

static void a_device_that_is_not_there_is_explained(void) {
    tmu_t *device = NULL;
    char uri[300] = "vfu:";
    EXPECT_NUMBER(tmu_open("vfu:/nowhere/socket", &device), TMU_ERR_URI);
    EXPECT_TEXT(tmu_error_text(NULL), "there is no socket /nowhere/socket; start the device first: "
                                      "./tmu device --socket /nowhere/socket");
    EXPECT_NUMBER(tmu_open("vfu:", &device), TMU_ERR_URI);
    EXPECT_TEXT(tmu_error_text(NULL), "vfu: found a path of 0 characters, expected 1 to 107, the "
                                      "path of a device's socket");
    memset(uri + 4, 'x', 108);
    EXPECT_NUMBER(tmu_open(uri, &device), TMU_ERR_URI);
    EXPECT_TEXT(tmu_error_text(NULL), "vfu: found a path of 108 characters, expected 1 to 107, the "
                                      "path of a device's socket");
    EXPECT_NUMBER(tmu_open("vfu:/dev/null", &device), TMU_ERR_URI);
    EXPECT_TEXT(tmu_error_text(NULL), "nobody listens at /dev/null: the device has ended; start it "
                                      "again: ./tmu device --socket /dev/null");
    EXPECT(!device);
}

static void another_version_is_explained(void) {
    script_t what = right;
    what.major = 3;
    EXPECT_NUMBER(open_scripted(what), TMU_ERR_VERSION);
    expect_sentence("the device at ", " speaks vfio-user 3.1, this driver 0.0 to 0.1; use a device "
                                      "and a driver of the same release");
    what = right;
    what.minor = 2;
    EXPECT_NUMBER(open_scripted(what), TMU_ERR_VERSION);
    what = right;
    what.version_error = EPROTONOSUPPORT;
    EXPECT_NUMBER(open_scripted(what), TMU_ERR_VERSION);
    expect_sentence("the device at ", " does not speak vfio-user 0.1; use a device and a driver of "
                                      "the same release");
    what.version_error = EINVAL;
    EXPECT_NUMBER(open_scripted(what), TMU_ERR_DEVICE);
    expect_sentence("the device at ", " refused the version: Invalid argument");
}

static void a_device_that_another_client_has_is_explained(void) {
    script_t what = right;
    what.version_error = EBUSY;
    EXPECT_NUMBER(open_scripted(what), TMU_ERR_BUSY);
    expect_sentence("the device at ", " serves another client, and one at a time; wait for that "
                                      "one to end, or start a device of your own");
}

static void another_device_is_not_taken_for_a_unit(void) {
    script_t what = right;
    what.vendor = 0x8086;
    EXPECT_NUMBER(open_scripted(what), TMU_ERR_DEVICE);
    expect_sentence("the device at ", " is PCI device 8086:544d, expected 1234:544d; name the "
                                      "address or the socket of a unit");
    /* One that says it is a unit, and whose registers are those of none. */
    EXPECT_NUMBER(open_scripted(right), TMU_ERR_DEVICE);
    EXPECT_TEXT(tmu_error_text(NULL),
                "no tag-matching unit: magic is 0x00000000, expected 0x4f544d55");
}

static void a_device_that_goes_away_is_explained(void) {
    const struct {
        uint16_t command;
        const char *name;
    } last[] = {
        {VFU_VERSION, " has gone away during the version; "},
        {VFU_REGION_READ, " has gone away during a read of a region; "},
        {VFU_REGION_WRITE, " has gone away during a write of a region; "},
        {VFU_DEVICE_GET_REGION_INFO, " has gone away during the size of a region; "},
        {VFU_DEVICE_GET_IRQ_INFO, " has gone away during the number of interrupts; "},
    };
    for (size_t i = 0; i < sizeof last / sizeof last[0]; i++) {
        char after[200];
        script_t what = right;
        what.last_command = last[i].command;
        EXPECT_NUMBER(open_scripted(what), TMU_ERR_DEVICE);
        (void)snprintf(after, sizeof after, "%s%s", last[i].name,
                       "see what its process said, start it again and open it anew");
        expect_sentence("the device at ", after);
    }
}

static void wrong_replies_are_told_and_not_read(void) {
    const vfu_header_t wrong[] = {
        {.id = 1},
        {.command = 1},
        {.size = 1},
        {.size = 0x7fffffff},
        {.size = (uint32_t)-20},
        {.size = (uint32_t)-40},
        {.flags = 1},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        script_t what = right;
        what.wrong_command = VFU_REGION_READ;
        what.wrong = wrong[i];
        EXPECT_NUMBER(open_scripted(what), TMU_ERR_DEVICE);
        EXPECT(strstr(tmu_error_text(NULL), "answered a read of a region with command "));
    }
    script_t what = right;
    what.wrong_command = VFU_REGION_WRITE;
    what.wrong.size = 4;
    EXPECT_NUMBER(open_scripted(what), TMU_ERR_DEVICE);
    expect_sentence("the device at ", " answered a write of a region with command 10, 36 bytes and "
                                      "flags 0x1, expected its reply of 32 to 32 bytes");
}

static void a_device_without_interrupts_says_so(void) {
    tmu_t *device = NULL;
    tmu_queue_t *queue = NULL;
    tmu_queue_attr_t attr = {.endpoint = 1, .ring_log2 = 4};
    int fd = -1;
    must(tmu_open("ref:tiny", &device), NULL);
    must(tmu_queue_open(device, &attr, &queue), device);
    EXPECT_NUMBER(tmu_queue_event_fd(queue, &fd), TMU_ERR_INVALID);
    EXPECT_TEXT(tmu_error_text(device), "a device 'ref:' has no interrupts; poll the queue");
    EXPECT_NUMBER(tmu_queue_event_fd(NULL, &fd), TMU_ERR_INVALID);
    EXPECT_NUMBER(tmu_queue_event_fd(queue, NULL), TMU_ERR_INVALID);
    tmu_close(device);
}

int main(void) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    (void)snprintf(path, sizeof path, "/tmp/tmu-vfu-%ld.socket", (long)getpid());
    memcpy(address.sun_path, path, strlen(path) + 1);
    listener = socket(AF_UNIX, SOCK_STREAM, 0);
    if (bind(listener, (const struct sockaddr *)&address, sizeof address) != 0 ||
        listen(listener, 1) != 0) {
        abort();
    }
    RUN(a_device_that_is_not_there_is_explained);
    RUN(another_version_is_explained);
    RUN(a_device_that_another_client_has_is_explained);
    RUN(another_device_is_not_taken_for_a_unit);
    RUN(a_device_that_goes_away_is_explained);
    RUN(wrong_replies_are_told_and_not_read);
    RUN(a_device_without_interrupts_says_so);
    (void)close(listener);
    (void)unlink(path);
    return expect_summary();
}
