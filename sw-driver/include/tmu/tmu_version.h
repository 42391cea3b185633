/* SPDX-License-Identifier: Apache-2.0
 *
 * The release of the library; a part of tmu/tmu.h.  That of the hardware's interface is in
 * tmu/tmu_regs.h.
 */
#ifndef TMU_TMU_VERSION_H
#define TMU_TMU_VERSION_H

#define TMU_VERSION_MAJOR 0
#define TMU_VERSION_MINOR 2
#define TMU_VERSION_PATCH 0
/** The release whose headers a program was compiled with. */
#define TMU_VERSION "0.2.0"

#ifdef __cplusplus
extern "C" {
#endif

/** The release of the library that the program runs with, as TMU_VERSION.  Never NULL. */
const char *tmu_version(void);

#ifdef __cplusplus
}
#endif

#endif
