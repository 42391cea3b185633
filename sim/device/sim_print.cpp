// SPDX-License-Identifier: Apache-2.0
#include "sim_print.h"

#include <cstdio>

thread_local std::string *device::printed = nullptr;

extern "C" int tmu_sim_vprint(const char *format, va_list arguments) {
    char text[1024];
    const int length = std::vsnprintf(text, sizeof text, format, arguments);
    if (device::printed != nullptr) {
        device::printed->append(text);
    }
    return length;
}

extern "C" int tmu_sim_print(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    const int length = tmu_sim_vprint(format, arguments);
    va_end(arguments);
    return length;
}
