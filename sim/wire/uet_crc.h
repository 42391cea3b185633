/* SPDX-License-Identifier: Apache-2.0 */
/* CRC32C (Castagnoli), reflected, initial and final value all ones. */
#ifndef UET_CRC_H
#define UET_CRC_H

#include <stddef.h>
#include <stdint.h>

uint32_t uet_crc32c(const uint8_t *bytes, size_t count);

#endif
