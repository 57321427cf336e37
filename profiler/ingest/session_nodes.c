// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Implements session_nodes.h. The layouts of features are described in
 * tools/perf/Documentation/perf.data-file-format.txt.
 */
#include "profiler/ingest/session_nodes.h"

#include <stdlib.h>
#include <string.h>

#include "profiler/base/cursor.h"
#include "profiler/base/memory.h"
#include "profiler/ingest/session_private.h"

#define NODES_MAX 1024  /* twice what any kernel is built for */
#define CPUS_MAX  65536 /* eight times what any kernel is built for */

/* Adds the processors of a list such as "0-3,8" to a node. A malformed list adds none. */
static void take_cpus(struct session_nodes *nodes, int32_t node, const char *list)
{
	struct number_set set = { 0 };
	_cleanup_error_ struct error *error = number_set_parse(&set, list, 0, "");

	for (uint32_t cpu = 0; !error && cpu < nodes->cpu_count; cpu++)
		if (number_set_has(&set, cpu) && nodes->of_cpu[cpu] < 0)
			nodes->of_cpu[cpu] = node;
}

/*
 * Reads NUMA_TOPOLOGY: number of nodes; for each its number, its total and free memory, and the
 * list of its processors as a string.
 */
static void take_nodes(const struct session *session, struct session_nodes *nodes)
{
	struct cursor cursor = feature_cursor(session, FEATURE_NUMA_TOPOLOGY);
	uint32_t count = cursor_u32(&cursor);

	for (uint32_t i = 0; i < count && i < NODES_MAX && !cursor.failed; i++) {
		cursor_skip(&cursor, 4 + 8 + 8);

		const char *cpus = feature_string(&cursor);

		if (cursor.failed)
			return;
		nodes->count = i + 1;
		if (cpus)
			take_cpus(nodes, (int32_t)i, cpus);
	}
}

/*
 * Reads MEM_TOPOLOGY: version, bytes of a block, number of nodes; for each its number, the size of
 * its bitmap in bits, and the bitmap, which begins with its size once more.
 */
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
