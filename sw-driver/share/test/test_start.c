/* SPDX-License-Identifier: Apache-2.0
 *
 * Programs tmu-share that start at the same path at the same time.
 */
#include <fcntl.h>

#include "share_fixture.h"

/* Of several that start at once where one was killed, one serves and the others say so. */
static void one_of_many_starts(void) {
    enum { STARTED = 6, ROUNDS = 8 };
    for (int round = 0; round < ROUNDS; round++) {
        pid_t processes[STARTED];
        int refused = 0;
        (void)close(listen_at(SOCK_SEQPACKET)); /* what a killed one leaves */
        (void)fflush(NULL);
        for (size_t i = 0; i < STARTED; i++) {
            processes[i] = fork();
            if (processes[i] == 0) {
                int file = open("/dev/null", O_WRONLY);
                (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
                (void)dup2(file, 1);
                (void)dup2(file, 2);
                (void)execl(share_program, "tmu-share", "ref:tiny", share_path, (char *)NULL);
                _exit(127);
            }
        }
        for (int ended = 0; ended < STARTED - 1; ended++) {
            int status = -1;
            pid_t process = wait(&status);
            refused += WIFEXITED(status) && WEXITSTATUS(status) == 2;
            for (size_t i = 0; i < STARTED; i++) {
                processes[i] = processes[i] == process ? 0 : processes[i];
            }
        }
        EXPECT_NUMBER(refused, STARTED - 1);
        EXPECT(session_waits(""));
        for (size_t i = 0; i < STARTED; i++) {
            int status = -1;
            if (processes[i] != 0) {
                EXPECT_NUMBER(kill(processes[i], SIGTERM), 0);
                EXPECT(waitpid(processes[i], &status, 0) == processes[i] && status == 0);
            }
        }
        EXPECT(access(share_path, F_OK) != 0);
    }
}

int main(int argc, char **argv) {
    share_begin(argc, argv);
    RUN(one_of_many_starts);
    return share_summary();
}
