// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Grouping of samples into lines and rows: see c2c_table.h.
 *
 * Lines and rows are found by hash of what identifies them. At the end they are sorted for the
 * table; where that order does not decide, by their identities.
 */
#include "report/c2c/c2c_table.h"

#include <linux/perf_event.h>

#include "base/hash.h"
#include "base/memory.h"

#define DISPLAY_SHARE 0.001 /* lines below this share are not shown, as in perf */
#define CPUS_MAX      65536 /* of a machine; processors beyond are not counted */

/* A row that is not in its line's array yet. */
struct open_row {
	uint32_t line; /* index in table->lines */
	struct c2c_row row;
};

/* The state of a table that samples are added to. */
struct c2c_builder {
	struct hash_map shared; /* hashes of the lines with HITM or peer accesses */
	struct hash_index line_index, row_index;
	size_t line_capacity;
	struct open_row *rows;
	size_t row_count, row_capacity;
	struct arena data; /* of the first samples */
};

uint64_t c2c_displayed(const struct c2c_count *count, enum c2c_display display)
{
	switch (display) {
	case C2C_LOCAL_HITM: return count->lcl_hitm;
	case C2C_REMOTE_HITM: return count->rmt_hitm;
	case C2C_PEER: return c2c_peer(count);
	case C2C_TOTAL_HITM: break;
	}
	return c2c_hitm(count);
}

/* ---- identities ---- */

/* Returns the address that identifies the line: of mapped files the file offset. */
static uint64_t identity_address(const struct c2c_sample *sample)
{
	return sample->mapped ? sample->data->address : sample->address;
}

static int level_rank(char level)
{
	static const char levels[] = "k.Hgu"; /* the order of PERF_RECORD_MISC_KERNEL, _USER ... */
	const char *found = strchr(levels, level);

	return found ? (int)(found - levels) : (int)sizeof(levels);
}

static int compare_lines(const struct c2c_table *table, const struct c2c_sample *a,
			 const struct c2c_sample *b)
{
	uint64_t mask = -table->options.cacheline;

	COMPARE(level_rank(a->level), level_rank(b->level));
	COMPARE(!a->mapped, !b->mapped);
	if (a->mapped) {
		/* private memory comes first, then files by their paths */
		COMPARE(b->is_private, a->is_private);
		if (a->is_private)
			COMPARE(a->pid, b->pid);
		BY_TEXT(data->dso_path)
	}
	COMPARE(identity_address(a) & mask, identity_address(b) & mask);
	return 0;
}

static int compare_rows(const struct c2c_table *table, const struct c2c_sample *a,
			const struct c2c_sample *b)
{
	uint64_t mask = table->options.cacheline - 1;
	unsigned int parts = table->options.parts;

	COMPARE(a->address & mask, b->address & mask);
	if (parts & C2C_PID)
		COMPARE(b->pid, a->pid); /* as in perf, larger numbers come first */
	if (parts & C2C_TID)
		COMPARE(a->tid, b->tid);
	if (parts & C2C_CODE)
		COMPARE(a->ip, b->ip);
	return parts & C2C_DSO ? compare_texts(a->place->dso, b->place->dso) : 0;
}

static uint64_t line_hash(const struct c2c_table *table, const struct c2c_sample *sample)
{
	uint64_t hash = hash_combine((uint64_t)level_rank(sample->level) << 1 | sample->mapped,
				     identity_address(sample) & -table->options.cacheline);

	if (!sample->mapped)
		return hash;
	if (sample->is_private)
		hash = hash_combine(hash, (uint32_t)sample->pid);
	return hash_combine(hash, (uintptr_t)sample->data->dso_path);
}

static uint64_t row_hash(const struct c2c_table *table, uint32_t line,
			 const struct c2c_sample *sample)
{
	unsigned int parts = table->options.parts;
	uint64_t hash = hash_combine(line, sample->address & (table->options.cacheline - 1));

	if (parts & C2C_PID)
		hash = hash_combine(hash, (uint32_t)sample->pid);
	if (parts & C2C_TID)
		hash = hash_combine(hash, (uint32_t)sample->tid);
	if (parts & C2C_CODE)
		hash = hash_combine(hash, sample->ip);
	return parts & C2C_DSO ? hash_combine(hash, (uintptr_t)sample->place->dso) : hash;
}

/* ---- one row ---- */

static void row_init(struct c2c_table *table, const struct c2c_sample *first, struct c2c_row *row)
{
	*row = (struct c2c_row){ .first = *first,
				 .cpus = xcalloc(table->cpu_words, sizeof(*row->cpus)),
				 .memory_nodes =
					 xcalloc(table->node_words, sizeof(*row->memory_nodes)) };
	if (!first->data)
		return;
	/* what is known of the address need not outlive the call */
	struct result_data *data = arena_alloc(&table->builder->data, sizeof(*data));

	*data = *first->data;
	row->first.data = data;
}

static void row_deinit(struct c2c_row *row)
{
	free_all(row->cpus, row->memory_nodes, row->by_node);
}

static void set_add(uint64_t *set, size_t words, int64_t number)
{
	if (number >= 0 && (uint64_t)number / 64 < words)
		set[number / 64] |= UINT64_C(1) << number % 64;
}

static void row_add(const struct c2c_table *table, const struct c2c_sample *sample,
		    const struct c2c_count *count, struct c2c_row *row)
{
	const struct c2c_nodes *nodes = &table->options.nodes;

	c2c_count_add(&row->count, count);
	row->period += sample->period;
	if (!nodes->cpu_count || (sample->cpu >= 0 && (uint32_t)sample->cpu < nodes->cpu_count))
		set_add(row->cpus, table->cpu_words, sample->cpu);
	if (!sample->physical_address || sample->memory_node < 0)
		return;
	set_add(row->memory_nodes, table->node_words, sample->memory_node);
	if (row->last_physical != sample->physical_address) {
		row->physical_changes++;
		row->last_physical = sample->physical_address;
	}
}

/* Updates the mean with each sample, as perf does, so that both round alike. */
static void add_mean(struct c2c_mean *mean, const struct c2c_sample *sample)
{
	for (uint64_t i = 0; i < sample->samples; i++)
		mean->mean += ((double)sample->weight - mean->mean) / (double)++mean->count;
}

static void add_means(const struct c2c_sample *sample, const struct c2c_count *count,
		      struct c2c_row *row)
{
	if (count->rmt_hitm)
		add_mean(&row->means[C2C_MEAN_RMT_HITM], sample);
	else if (count->lcl_hitm)
		add_mean(&row->means[C2C_MEAN_LCL_HITM], sample);
	else if (count->rmt_peer)
		add_mean(&row->means[C2C_MEAN_RMT_PEER], sample);
	else if (count->lcl_peer)
		add_mean(&row->means[C2C_MEAN_LCL_PEER], sample);
	else if (count->loads)
		add_mean(&row->means[C2C_MEAN_LOAD], sample);
}

/* Counts the sample for its processor's node. As in perf, an unknown one is the first. */
static void c2c_table_add_node(const struct c2c_table *table, const struct c2c_sample *sample,
			       const struct c2c_count *count, struct c2c_row *row)
{
	const struct c2c_nodes *nodes = &table->options.nodes;
	uint32_t cpu = sample->cpu >= 0 && (uint32_t)sample->cpu < nodes->cpu_count
			       ? (uint32_t)sample->cpu
			       : 0;
	int32_t node = nodes->cpu_count ? nodes->of_cpu[cpu] : -1;

	if (node < 0 || (uint32_t)node >= nodes->count)
		return;
	if (!row->by_node)
		row->by_node = xcalloc(nodes->count, sizeof(*row->by_node));
	c2c_count_add(&row->by_node[node], count);
}

static struct c2c_count count_of(const struct c2c_sample *sample)
{
	return c2c_count_of(
		&(struct c2c_access){ .source = sample->source,
				      .has_address = sample->address != 0,
				      .mapped = sample->mapped && sample->place->dso_path,
				      .samples = sample->samples });
}

static void c2c_table_add_chain(const struct c2c_table *table, const struct c2c_sample *sample,
				struct c2c_row *row)
{
	struct callgraph *graph = table->options.callgraph;
	struct result result = { .place = sample->place,
				 .level = sample->level,
				 .samples = sample->samples,
				 .period = sample->period,
				 .chain = sample->chain };

	if (!graph || !sample->chain)
		return;
	callgraph_take_path(graph, sample->chain);
	callgraph_note(graph, &row->last_chain, 0, &result);
}

/* ---- one line ---- */

static int compare_rows_shown(const void *left, const void *right, void *data)
{
	const struct c2c_table *table = data;
	const struct c2c_row *a = left, *b = right;
	enum c2c_display display = table->options.display;
	uint64_t mask = table->options.cacheline - 1;

	COMPARE(a->first.address & mask, b->first.address & mask);
	COMPARE(c2c_displayed(&b->count, display), c2c_displayed(&a->count, display));
	if (display == C2C_LOCAL_HITM)
		COMPARE(b->count.rmt_hitm, a->count.rmt_hitm);
	if (display == C2C_REMOTE_HITM)
		COMPARE(b->count.lcl_hitm, a->count.lcl_hitm);
	return compare_rows(table, &a->first, &b->first);
}

/* Returns the index of a sample's line, which is added if it is new. */
static uint32_t find_line(struct c2c_table *table, const struct c2c_sample *sample)
{
	struct c2c_builder *builder = table->builder;
	uint64_t hash = line_hash(table, sample);
	uint32_t number = (uint32_t)table->line_count;

	hash_index_each (i, &builder->line_index, hash)
		if (!compare_lines(table, &table->lines[i].whole.first, sample))
			return i;
	hash_index_add(&builder->line_index, hash, number);
	array_add(table->lines, table->line_count, builder->line_capacity) = (struct c2c_line){ 0 };
	row_init(table, sample, &table->lines[number].whole);
	return number;
}

/* Returns a sample's row of a line, which is added if it is new. */
static struct c2c_row *find_row(struct c2c_table *table, uint32_t line,
				const struct c2c_sample *sample)
{
	struct c2c_builder *builder = table->builder;
	uint64_t hash = row_hash(table, line, sample);

	hash_index_each (i, &builder->row_index, hash)
		if (builder->rows[i].line == line &&
		    !compare_rows(table, &builder->rows[i].row.first, sample))
			return &builder->rows[i].row;
	hash_index_add(&builder->row_index, hash, (uint32_t)builder->row_count);
	struct open_row *open =
		&array_add(builder->rows, builder->row_count, builder->row_capacity);

	open->line = line;
	row_init(table, sample, &open->row);
	table->lines[line].row_count++;
	return &open->row;
}

/* Moves the rows to their lines, and sorts them. */
static void close_rows(struct c2c_table *table)
{
	struct c2c_builder *builder = table->builder;

	array_each (struct c2c_line, line, table->lines, table->line_count) {
		line->rows = xcalloc(line->row_count, sizeof(*line->rows));
		line->row_count = 0;
	}
	for (size_t i = 0; i < builder->row_count; i++) {
		struct c2c_line *line = &table->lines[builder->rows[i].line];
		struct c2c_row *row = &builder->rows[i].row;

		row->hidden =
			!row->count.stores && !c2c_displayed(&row->count, table->options.display);
		line->rows[line->row_count++] = *row;
	}
	for (size_t i = 0; i < table->line_count; i++)
		qsort_r(table->lines[i].rows, table->lines[i].row_count,
			sizeof(*table->lines[i].rows), compare_rows_shown, table);
}

/* ---- the table ---- */

static int compare_lines_shown(const void *left, const void *right, void *data)
{
	const struct c2c_table *table = data;
	const struct c2c_line *a = left, *b = right;
	enum c2c_display display = table->options.display;

	COMPARE(c2c_displayed(&b->whole.count, display), c2c_displayed(&a->whole.count, display));
	return compare_lines(table, &a->whole.first, &b->whole.first);
}

static void choose_lines(struct c2c_table *table)
{
	enum c2c_display display = table->options.display;

	for (size_t i = 0; i < table->line_count; i++) {
		const struct c2c_count *count = &table->lines[i].whole.count;

		if (!c2c_hitm(count) && !c2c_peer(count))
			continue;
		table->shared_lines++;
		c2c_count_add(&table->shared, count);
	}

	uint64_t all = c2c_displayed(&table->shared, display);

	for (size_t i = 0; i < table->line_count; i++) {
		uint64_t part = c2c_displayed(&table->lines[i].whole.count, display);

		table->lines[i].shown = table->options.show_all ||
					(all && (double)part / (double)all >= DISPLAY_SHARE);
	}
}

/* Sets the sizes of the sets of processors and nodes, by the file and samples. */
static void size_sets(struct c2c_table *table, const struct c2c_sample *samples, size_t count)
{
	uint32_t cpus = table->options.nodes.cpu_count, nodes = table->options.nodes.count;
	size_t words;

	for (size_t i = 0; i < count && !table->options.nodes.cpu_count; i++)
		if (samples[i].cpu >= 0 && samples[i].cpu < CPUS_MAX &&
		    (uint32_t)samples[i].cpu >= cpus)
			cpus = (uint32_t)samples[i].cpu + 1;
	words = cpus / 64 + 1;
	table->cpu_words = words > table->cpu_words ? words : table->cpu_words;
	table->node_words = nodes / 64 + 1;
}

struct c2c_table *c2c_table_create(const struct c2c_options *options)
{
	struct c2c_table *table = xcalloc(1, sizeof(*table));

	table->options = *options;
	table->builder = xcalloc(1, sizeof(*table->builder));
	return table;
}

void c2c_table_announce(struct c2c_table *table, const struct c2c_sample *samples, size_t count)
{
	size_sets(table, samples, count);
	for (size_t i = 0; i < count; i++) {
		struct c2c_count counted = count_of(&samples[i]);

		c2c_count_add(&table->total, &counted);
		if (table->options.show_all || c2c_hitm(&counted) || c2c_peer(&counted))
			hash_map_insert(&table->builder->shared, line_hash(table, &samples[i]),
					NULL);
	}
}

void c2c_table_add(struct c2c_table *table, const struct c2c_sample *samples, size_t count)
{
	array_each (const struct c2c_sample, sample, samples, count) {
		struct c2c_count counted = count_of(sample);

		if (!hash_map_find(&table->builder->shared, line_hash(table, sample)))
			continue;

		uint32_t line = find_line(table, sample);
		struct c2c_row *row = find_row(table, line, sample);

		row_add(table, sample, &counted, &table->lines[line].whole);
		row_add(table, sample, &counted, row);
		add_means(sample, &counted, row);
		c2c_table_add_node(table, sample, &counted, row);
		c2c_table_add_chain(table, sample, row);
	}
}

void c2c_table_finish(struct c2c_table *table)
{
	close_rows(table);
	choose_lines(table);
	if (table->line_count)
		qsort_r(table->lines, table->line_count, sizeof(*table->lines), compare_lines_shown,
			table);
}

void c2c_table_destroy(struct c2c_table *table)
{
	if (!table)
		return;
	array_each (struct c2c_line, line, table->lines, table->line_count) {
		for (size_t row = 0; row < line->row_count; row++)
			row_deinit(&line->rows[row]);
		free(line->rows);
		row_deinit(&line->whole);
	}
	free(table->lines);
	hash_map_deinit(&table->builder->shared);
	hash_index_deinit(&table->builder->line_index);
	hash_index_deinit(&table->builder->row_index);
	arena_deinit(&table->builder->data);
	free_all(table->builder->rows, table->builder, table);
}

/* ---- counts by data source ---- */

/* Data sources to counts. The rules are those of perf 7.2's c2c report, so that its figures and
 * ours agree: only mem_lvl is read, which all drivers still set, and a level counts only with its
 * HIT bit, except for remote caches. */

/* PERF_MEM_SNOOPX_PEER; headers before Linux 6.1 lack it. */
#define SNOOPX_PEER 2

/* Counts a load from an own cache: L2 or L3, or a modified line of another core. */
static void count_own_cache(union perf_mem_data_src source, uint64_t samples,
			    struct c2c_count *count, uint64_t *plain)
{
	if (source.mem_snoop & PERF_MEM_SNOOP_HITM)
		count->lcl_hitm += samples;
	else
		*plain += samples;
	if (source.mem_snoopx & SNOOPX_PEER)
		count->lcl_peer += samples;
}

static void count_memory(union perf_mem_data_src source, uint64_t samples, struct c2c_count *count,
			 uint64_t *memory)
{
	*memory += samples;
	if (source.mem_snoop & PERF_MEM_SNOOP_HIT)
		count->ld_shared += samples;
	else
		count->ld_exclusive += samples;
}

static void count_load(union perf_mem_data_src source, uint64_t samples, struct c2c_count *count)
{
	uint64_t level = source.mem_lvl;
	/* Skylake says "remote" without a level. With hops it may be of the same node. */
	bool remote = source.mem_remote && !source.mem_hops;

	if (level & PERF_MEM_LVL_HIT) {
		if (level & PERF_MEM_LVL_UNC)
			count->ld_uncached += samples;
		if (level & PERF_MEM_LVL_IO)
			count->ld_io += samples;
		if (level & PERF_MEM_LVL_LFB)
			count->ld_buffer += samples;
		if (level & PERF_MEM_LVL_L1)
			count->ld_l1 += samples;
		if (level & PERF_MEM_LVL_L2)
			count_own_cache(source, samples, count, &count->ld_l2);
		if (level & PERF_MEM_LVL_L3)
			count_own_cache(source, samples, count, &count->ld_llc);
		if (level & PERF_MEM_LVL_LOC_RAM)
			count_memory(source, samples, count, &count->lcl_dram);
		if (level & (PERF_MEM_LVL_REM_RAM1 | PERF_MEM_LVL_REM_RAM2) || remote)
			count_memory(source, samples, count, &count->rmt_dram);
	}
	if (level & (PERF_MEM_LVL_REM_CCE1 | PERF_MEM_LVL_REM_CCE2) || remote) {
		if (source.mem_snoop & PERF_MEM_SNOOP_HIT) {
			count->rmt_hit += samples;
		} else if (source.mem_snoop & PERF_MEM_SNOOP_HITM) {
			count->rmt_hitm += samples;
		} else if (source.mem_snoopx & SNOOPX_PEER) {
			count->rmt_hit += samples;
			count->rmt_peer += samples;
		}
	}
	if (level & PERF_MEM_LVL_MISS)
		count->ld_miss += samples;
}

static void count_store(union perf_mem_data_src source, uint64_t samples, struct c2c_count *count)
{
	uint64_t level = source.mem_lvl;

	if (level & PERF_MEM_LVL_HIT) {
		if (level & PERF_MEM_LVL_UNC)
			count->st_uncached += samples;
		if (level & PERF_MEM_LVL_L1)
			count->st_l1_hit += samples;
	}
	if (level & PERF_MEM_LVL_MISS && level & PERF_MEM_LVL_L1)
		count->st_l1_miss += samples;
	if (level & PERF_MEM_LVL_NA)
		count->st_unknown += samples;
}

struct c2c_count c2c_count_of(const struct c2c_access *access)
{
	union perf_mem_data_src source = { .val = access->source };
	uint64_t samples = access->samples;
	struct c2c_count count = { .records = samples };
	bool load = source.mem_op & PERF_MEM_OP_LOAD, store = source.mem_op & PERF_MEM_OP_STORE;

	if (source.mem_lock & PERF_MEM_LOCK_LOCKED)
		count.locks = samples;
	if (source.mem_blk & PERF_MEM_BLK_DATA)
		count.blocked_data = samples;
	if (source.mem_blk & PERF_MEM_BLK_ADDR)
		count.blocked_addr = samples;
	/* an access that loads and stores counts as a load */
	if (load)
		count.loads = samples;
	else if (store)
		count.stores = samples;
	else
		count.no_source = samples;
	if (!load && !store)
		return count;
	if (!access->has_address) {
		*(load ? &count.ld_nowhere : &count.st_nowhere) = samples;
		return count;
	}
	if (load)
		count_load(source, samples, &count);
	else
		count_store(source, samples, &count);
	if (!access->mapped)
		count.unmapped = samples;
	return count;
}
