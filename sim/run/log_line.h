/* SPDX-License-Identifier: Apache-2.0 */
/* Line of the verdict log for a completion. */
#ifndef TMU_REPLAY_LOG_LINE_H
#define TMU_REPLAY_LOG_LINE_H

#include "tmu/tmu.h"
#include "tmu_verdict_log.h"

/* Of an operation's last completion; the verdict is 0 if no operation of a trace can have it. */
tmu_log_record_t log_line_of(const tmu_completion_t *completion);

#endif
