/* SPDX-License-Identifier: Apache-2.0
 *
 * Lines that the help texts of the tools share.
 */
#ifndef TMU_TOOL_HELP_H
#define TMU_TOOL_HELP_H

/* The devices that tmu_open takes, as lines of a help text. */
#define TOOL_DEVICES                                                                               \
    "  ref:PRESET     a functional model in this process, with ?engine=NAME a software engine\n"   \
    "  sim:LIBRARY    the simulated hardware in this process\n"                                    \
    "  vfu:SOCKET     a PCI device in another process, which tmu-device serves\n"                  \
    "  vfio:ADDRESS   a PCI function by Linux' VFIO, as vfio:0000:03:00.0\n"                       \
    "  share:SOCKET   a session of a unit that tmu-share serves, with ?endpoints=N\n"              \
    "  dev:FILE       a session of the kernel driver, as dev:/dev/tmu0, with ?endpoints=N\n"

#define TOOL_EXITS "Exit codes: 0 all well, 1 the device failed, 2 usage or an unusable URI.\n"

#endif
