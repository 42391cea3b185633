/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A Verilated unit in this process: registers, doorbells and host memory behind a C interface.
 *
 * The library holds one preset.  Nothing runs by itself: the caller advances the clock.
 * Not thread-safe; one caller at a time per unit.
 */
#ifndef TMU_SIM_H
#define TMU_SIM_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Picoseconds that a clock lasts in a waveform: 125 MHz, a round figure and no promise. */
#define TMU_SIM_WAVE_PS 8000

typedef struct tmu_sim tmu_sim_t;

/*
 * Powers a unit up and resets it.  Options are `name=value` pairs joined by `&`:
 *   pauses=SEED  every AXI channel pauses at random (SEED is a decimal number)
 *   lulls=CLOCKS  with pauses: no channel pauses in stretches of up to so many clocks at random,
 *                and between them there are stretches of the same kind with pauses
 *   memory_latency=CLOCKS  from a read's address to its first beat, and from a write to its
 *                answer, at the port to spill memory (1 to 10,000; 30 without this option); with
 *                pauses up to twice as many
 *   memory_spread=CLOCKS  up to so many more for each access, at random: what is read and written
 *                under different ids change their order (0 to 10,000; 0 without this option)
 *   memory_gap=CLOCKS  from one beat that is read there to the next, at least: 64 bytes in so many
 *                clocks (1 to 10,000; 1 without this option)
 *   wave=FILE    writes an FST waveform, a clock in TMU_SIM_WAVE_PS; only libraries built for it
 *                can
 *   window=FILE  the same, but it is paused at first (tmu_sim_wave)
 *   link=ADDRESS  of a card: `unix:PATH` or `tap:NAME`, where its frames come from and go to
 *   record=STEM  of a card: what its unit decides as STEM.trace and STEM.verdicts, which must not
 *                exist
 * Returns NULL and a sentence in `error` for an option that is unknown or cannot be honoured.
 */
tmu_sim_t *tmu_sim_open(const char *options, char *error, size_t error_size);
void tmu_sim_close(tmu_sim_t *sim);

/* Register access: 0, 1 where the unit answers SLVERR, -1 on failure (tmu_sim_error). */
int tmu_sim_read32(tmu_sim_t *sim, uint32_t offset, uint32_t *value_p);
int tmu_sim_write32(tmu_sim_t *sim, uint32_t offset, uint32_t value);

/*
 * Queues a doorbell write of 4 or 64 bytes at a multiple of its size; writes are made in order.
 * Returns 0, 1 when too many wait (advance, then repeat), -1 on failure.
 */
int tmu_sim_doorbell(tmu_sim_t *sim, uint64_t offset, const void *data, size_t size);

/*
 * Reads 8 bytes of the doorbell pages, at a multiple of 8, when all writes queued before are made.
 * 0, 1 where the unit answers SLVERR, -1 on failure.
 */
int tmu_sim_doorbell_read(tmu_sim_t *sim, uint64_t offset, uint64_t *value_p);

/*
 * Zeroed host memory that the unit may reach, and its bus address.  An access outside of all such
 * memory is answered with DECERR and changes nothing.  Memory must be freed before the unit is
 * closed. A write by the spill port outside of the segments that are registered with the unit is an
 * error of the hardware, as a failed assertion is.
 */
void *tmu_sim_memory_alloc(tmu_sim_t *sim, size_t bytes, uint64_t *bus_address_p);
void tmu_sim_memory_free(tmu_sim_t *sim, void *memory);

/*
 * Lets the unit reach memory of the caller's, at a bus address of the caller's choice: reading (1),
 * writing (2) or both (3).  Address and memory are multiples of 4,096.
 * Returns 0, or 1 where some of it overlaps what the unit reaches already; nothing changes then.
 */
int tmu_sim_memory_map(tmu_sim_t *sim, void *memory, size_t bytes, uint64_t bus_address,
                       unsigned access);

/* Takes back what was mapped at this address; what the unit writes there later is answered with
 * DECERR. */
void tmu_sim_memory_unmap(tmu_sim_t *sim, uint64_t bus_address);

/* Tells of each completion that the unit writes: where, and 1 if memory is there, otherwise 0. */
typedef void (*tmu_sim_written_fn)(void *user, uint64_t bus_address, int stored);
void tmu_sim_listen(tmu_sim_t *sim, tmu_sim_written_fn written, void *user);

/*
 * Pulls the unit's reset for some clocks: all that it held is gone, and all that was on its way at
 * its ports is lost.  Memory stays mapped.  0, or -1 on failure.
 */
int tmu_sim_reset(tmu_sim_t *sim);

/*
 * Runs until the unit wrote a completion or max_clocks have passed: clocks run, or -1 when an
 * assertion of the hardware failed; the unit is then dead.
 */
int tmu_sim_progress(tmu_sim_t *sim, unsigned max_clocks);

/* Pauses the waveform, or has it go on: 1 when it does now, 0 when not, -1 where none is written.
 */
int tmu_sim_wave(tmu_sim_t *sim);

/* Clocks since power-up. */
uint64_t tmu_sim_clock(const tmu_sim_t *sim);

/* The failure, in a sentence; empty if there was none. */
const char *tmu_sim_error(const tmu_sim_t *sim);

#ifdef __cplusplus
}
#endif

#endif
