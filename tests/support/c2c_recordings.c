// SPDX-License-Identifier: GPL-2.0-or-later
/* See c2c_recordings.h. The data sources are those that the kernel's drivers make:
 * arch/x86/events/intel/ds.c, arch/x86/events/amd/ibs.c, and perf's util/arm-spe.c. */
#include "tests/support/c2c_recordings.h"

#include <linux/perf_event.h>
#include <stddef.h>
#include <string.h>

#include "tests/support/perf_data_writer.h"

#define SAMPLES 240

#define LOAD(level)  (PERF_MEM_S(OP, LOAD) | PERF_MEM_S(LVL, level) | PERF_MEM_S(LVL, HIT))
#define STORE(level) (PERF_MEM_S(OP, STORE) | PERF_MEM_S(LVL, level))
#define SNOOP(what)  PERF_MEM_S(SNOOP, what)
#define PEER         (UINT64_C(2) << PERF_MEM_SNOOPX_SHIFT) /* since Linux 6.1 */
#define REMOTE       PERF_MEM_S(REMOTE, REMOTE)
#define HOPS         (UINT64_C(1) << PERF_MEM_HOPS_SHIFT)
#define LOCKED       PERF_MEM_S(LOCK, LOCKED)
#define BLOCKED      (PERF_MEM_S(BLK, DATA) | PERF_MEM_S(BLK, ADDR))

static const uint64_t intel[] = {
	LOAD(L1) | SNOOP(NONE),
	LOAD(LFB) | SNOOP(NONE),
	LOAD(L2) | SNOOP(NONE),
	LOAD(L3) | SNOOP(NONE),
	LOAD(L3) | SNOOP(MISS) | LOCKED,
	LOAD(L3) | SNOOP(HIT),
	LOAD(L3) | SNOOP(HITM),
	LOAD(L3) | SNOOP(HITM) | LOCKED,
	LOAD(REM_CCE1) | SNOOP(HIT),
	LOAD(REM_CCE1) | SNOOP(HITM),
	LOAD(LOC_RAM) | SNOOP(HIT),
	LOAD(LOC_RAM) | SNOOP(MISS),
	LOAD(REM_RAM1) | SNOOP(HIT),
	LOAD(REM_RAM1) | SNOOP(NONE),
	LOAD(L3) | REMOTE | SNOOP(HITM), /* Skylake */
	LOAD(IO) | SNOOP(NONE),
	LOAD(UNC) | SNOOP(NONE),
	LOAD(L1) | BLOCKED,
	PERF_MEM_S(OP, LOAD) | PERF_MEM_S(LVL, L3) | PERF_MEM_S(LVL, MISS),
	STORE(L1) | PERF_MEM_S(LVL, HIT),
	STORE(L1) | PERF_MEM_S(LVL, HIT) | LOCKED,
	STORE(L1) | PERF_MEM_S(LVL, MISS),
	STORE(UNC) | PERF_MEM_S(LVL, HIT),
	STORE(NA),
	PERF_MEM_S(OP, NA) | PERF_MEM_S(LVL, NA),
};

static const uint64_t amd[] = {
	LOAD(L1),
	LOAD(L2),
	LOAD(L3) | SNOOP(HIT),
	LOAD(L3) | SNOOP(HITM),
	LOAD(REM_CCE1) | REMOTE | HOPS | SNOOP(HITM),
	LOAD(REM_CCE2) | REMOTE | HOPS | SNOOP(HIT),
	LOAD(LOC_RAM),
	LOAD(REM_RAM1) | REMOTE | HOPS,
	LOAD(L1) | LOCKED,
	STORE(L1) | PERF_MEM_S(LVL, HIT),
	STORE(L1) | PERF_MEM_S(LVL, MISS),
	STORE(NA) | LOCKED,
	PERF_MEM_S(OP, LOAD) | PERF_MEM_S(OP, STORE) | PERF_MEM_S(LVL, L1) | PERF_MEM_S(LVL, HIT),
};

static const uint64_t arm[] = {
	LOAD(L1),
	LOAD(L2),
	LOAD(L2) | PEER,
	LOAD(L3) | PEER,
	LOAD(L3),
	LOAD(L3) | SNOOP(HITM),
	LOAD(REM_CCE1) | REMOTE | PEER,
	LOAD(REM_CCE1) | PEER,
	LOAD(LOC_RAM) | SNOOP(NONE),
	LOAD(REM_RAM1) | SNOOP(HIT),
	STORE(L1) | PERF_MEM_S(LVL, HIT),
	STORE(L1) | PERF_MEM_S(LVL, MISS),
	STORE(NA),
};

static const struct machine {
	const char *name;
	struct written_machine says;
	const uint64_t *sources;
	size_t source_count;
} machines[] = {
#define SAYS(arch_, ...)                                                                           \
	{                                                                                          \
		.arch = arch_, .events = { __VA_ARGS__ }, .cpus = 4,                               \
		.node_cpus = { "0-1", "2-3" }, .node_count = 2, .node_memory = 16 << 20            \
	}
	[C2C_INTEL] = { "intel", SAYS("x86_64", "cpu/mem-loads,ldlat=30/P", "cpu/mem-stores/P"),
			intel, sizeof(intel) / sizeof(*intel) },
	[C2C_AMD] = { "amd", SAYS("x86_64", "ibs_op//"), amd, sizeof(amd) / sizeof(*amd) },
	[C2C_CHAINS] = { "chains", SAYS("x86_64", "cpu/mem-loads,ldlat=30/P"), intel,
			 sizeof(intel) / sizeof(*intel) },
	[C2C_ARM] = { "arm", SAYS("aarch64", "arm_spe_0//"), arm, sizeof(arm) / sizeof(*arm) },
};

const char *c2c_recording_name(enum c2c_recording recording)
{
	return machines[recording].name;
}

/* Knuth's MMIX generator; the high bits are the better ones. */
static uint32_t next(uint64_t *state, uint32_t below)
{
	*state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)(*state >> 33) % below;
}

#define PROGRAM   UINT64_C(0x400000)
#define DATA      UINT64_C(0x600000)
#define HEAP      UINT64_C(0x7f1200000000)
#define UNMAPPED  UINT64_C(0x7e0000000000)
#define KERNEL    UINT64_C(0xffffffff81000000)
#define PROCESSES 2

static uint64_t some_address(uint64_t *state)
{
	uint32_t where = next(state, 20), line = next(state, 3) * 64, offset = next(state, 3) * 16;

	if (where == 0)
		return 0;
	if (where == 1)
		return UNMAPPED + line + offset;
	return (where < 6 ? DATA : HEAP) + line + offset;
}

static void add_samples(struct perf_data_writer *writer, const struct machine *machine)
{
	uint64_t state = 20;

	for (int i = 0; i < SAMPLES; i++) {
		uint64_t source = machine->sources[next(&state, (uint32_t)machine->source_count)];
		uint32_t pid = 100 + 100 * next(&state, PROCESSES), thread = next(&state, 3);
		uint64_t address = some_address(&state);
		bool kernel = next(&state, 16) == 0;

		perf_data_add_sample(
			writer,
			&(struct written_sample){
				.ip = (kernel ? KERNEL : PROGRAM) + 0x1000 + 16 * next(&state, 6),
				.address = address,
				.pid = pid,
				.tid = pid + thread,
				.cpu = (thread + pid / 100) % 4,
				.period = 1,
				.weight = 5 + next(&state, 400),
				.data_source = source,
				.physical_address = address && next(&state, 8)
							    ? (address & 0xffffff) + (pid << 12)
							    : 0,
				.event = machine->says.events[1] && source & PERF_MEM_S(OP, STORE)
						 ? 1
						 : 0,
				.callers = { PROGRAM + 0x2000 + 16 * (uint64_t)(i % 3),
					     PROGRAM + 0x3000 },
				.kernel = kernel });
	}
}

struct error *c2c_recording_write(enum c2c_recording recording, const char *path)
{
	const struct machine *machine = &machines[recording];
	struct written_machine says = machine->says;
	struct perf_data_writer writer;
	struct error *error;

	perf_data_writer_init(&writer);
	says.chains = recording == C2C_CHAINS;
	writer.machine = &says;
	for (uint32_t process = 1; process <= PROCESSES; process++) {
		uint32_t pid = 100 * process;

		for (uint32_t thread = 0; thread < 3; thread++)
			perf_data_add_comm(&writer, pid, pid + thread, thread ? "worker" : "prog");
		perf_data_add_map(&writer, pid, PROGRAM, 0x10000, 0, "/nowhere/prog");
		perf_data_add_map(&writer, pid, DATA, 0x10000, 0x200000, "/nowhere/prog");
		perf_data_add_map(&writer, pid, HEAP, 0x10000, 0, "//anon");
	}
	add_samples(&writer, machine);
	error = perf_data_write(&writer, path);
	perf_data_writer_deinit(&writer);
	return error;
}
