// SPDX-License-Identifier: GPL-2.0-or-later
/* Nodes from the features of a file: tools/perf/Documentation/perf.data-file-format.txt. */
#include "profiler/ingest/session_nodes.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "profiler/base/cursor.h"
#include "profiler/base/memory.h"
#include "profiler/ingest/session_private.h"

#define NODES_MAX 1024  /* twice what any kernel is built for */
#define CPUS_MAX  65536 /* eight times what any kernel is built for */

/* Adds the processors of a list such as "0-3,8". */
static void take_cpus(struct session_nodes *nodes, int32_t node, const char *list)
{
	struct number_set set = { 0 };
	_cleanup_error_ struct error *error = number_set_parse(&set, list, 0, "");

	for (uint32_t cpu = 0; !error && cpu < nodes->cpu_count; cpu++)
		if (number_set_has(&set, cpu) && nodes->of_cpu[cpu] < 0)
			nodes->of_cpu[cpu] = node;
}

/* Number of nodes; of each: number, total and free memory, list of processors as a string. */
static void take_nodes(const struct session *session, struct session_nodes *nodes)
{
	struct cursor cursor = feature_cursor(session, FEATURE_NUMA_TOPOLOGY);
	uint32_t count = cursor_u32(&cursor);

	for (uint32_t i = 0; i < count && i < NODES_MAX && !cursor.failed; i++) {
		cursor_skip(&cursor, 4 + 8 + 8);

		uint32_t length = cursor_u32(&cursor);
		struct cursor list = cursor;
		const char *cpus;

		cursor_skip(&cursor, length);
		cpus = cursor_string(&list);
		if (cursor.failed)
			return;
		nodes->count = i + 1;
		if (cpus && strlen(cpus) < length)
			take_cpus(nodes, (int32_t)i, cpus);
	}
}

/* Version, bytes of a block, number of nodes; of each: number, bits of its bitmap, and the bitmap with its
 * own number of bits in front. */
static void take_memory(const struct session *session, struct session_nodes *nodes)
{
	struct cursor cursor = feature_cursor(session, FEATURE_MEM_TOPOLOGY);

	cursor_skip(&cursor, 8);
	nodes->block_size = cursor_u64(&cursor);

	uint64_t count = cursor_u64(&cursor);

	if (cursor.failed || count > NODES_MAX)
		return;
	nodes->memory = xcalloc(count, sizeof(*nodes->memory));
	for (uint64_t i = 0; i < count; i++) {
		struct node_memory *memory = &nodes->memory[i];

		memory->node = (int32_t)cursor_u64(&cursor);
		cursor_skip(&cursor, 8);
		memory->block_count = cursor_u64(&cursor);

		uint64_t words = memory->block_count / 64 + (memory->block_count % 64 != 0);

		if (cursor.failed || words > cursor_left(&cursor) / 8)
			return;
		memory->blocks = xcalloc(words, sizeof(*memory->blocks));
		for (uint64_t word = 0; word < words; word++)
			memory->blocks[word] = cursor_u64(&cursor);
		nodes->memory_count++;
	}
}

void session_nodes_init(const struct session *session, struct session_nodes *nodes)
{
	uint32_t cpus = session_processors(session);

	*nodes = (struct session_nodes){ .cpu_count = cpus < CPUS_MAX ? cpus : CPUS_MAX };
	nodes->of_cpu = xcalloc(nodes->cpu_count, sizeof(*nodes->of_cpu));
	for (uint32_t cpu = 0; cpu < nodes->cpu_count; cpu++)
		nodes->of_cpu[cpu] = -1;
	take_nodes(session, nodes);
	take_memory(session, nodes);
}

void session_nodes_deinit(struct session_nodes *nodes)
{
	for (uint32_t i = 0; i < nodes->memory_count; i++)
		free(nodes->memory[i].blocks);
	free(nodes->memory);
	free(nodes->of_cpu);
	*nodes = (struct session_nodes){ 0 };
}

int32_t session_nodes_of_memory(const struct session_nodes *nodes, uint64_t physical_address)
{
	if (!nodes->block_size)
		return -1;

	uint64_t block = physical_address / nodes->block_size;

	for (uint32_t i = 0; i < nodes->memory_count; i++) {
		const struct node_memory *memory = &nodes->memory[i];

		if (block < memory->block_count && memory->blocks[block / 64] >> block % 64 & 1)
			return memory->node;
	}
	return -1;
}

/* FEATURE_ARCH is what uname -m said: a string's length with padding, and the bytes with a NUL. */
bool session_is_aarch64(const struct session *session)
{
	struct cursor name = feature_cursor(session, FEATURE_ARCH);
	struct cursor number = feature_cursor(session, FEATURE_E_MACHINE);

	cursor_skip(&name, 4);
	const char *architecture = cursor_string(&name);
	uint32_t machine = cursor_u32(&number);

	return (architecture && !strcmp(architecture, "aarch64")) ||
	       (!number.failed && machine == EM_AARCH64);
}
