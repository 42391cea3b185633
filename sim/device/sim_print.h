/* SPDX-License-Identifier: Apache-2.0 */
/* Prints of the simulation go into the unit's error text: a library does not write to stdout. */
#ifndef TMU_SIM_PRINT_H
#define TMU_SIM_PRINT_H

#include <stdarg.h>

#ifdef __cplusplus
#include <string>

namespace device {
// Destination of the unit whose clock runs on this thread; null discards its prints.
extern thread_local std::string *printed;
} // namespace device

extern "C" {
#endif

int tmu_sim_print(const char *format, ...) __attribute__((format(printf, 1, 2)));
int tmu_sim_vprint(const char *format, va_list arguments);

#ifdef __cplusplus
}
#endif

#define VL_PRINTF tmu_sim_print
#define VL_VPRINTF tmu_sim_vprint

#endif
