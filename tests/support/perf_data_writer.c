// SPDX-License-Identifier: GPL-2.0-or-later
/* A perf.data file in memory, then on disk: header, ids, attribute, records, features. */
#include "tests/support/perf_data_writer.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>

#define EVENT_NAME "cpu/mem-loads,ldlat=30/P"
#define EVENT_ID   1
#define SAMPLE_TYPE                                                                                \
	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |            \
	 PERF_SAMPLE_ADDR | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD | PERF_SAMPLE_WEIGHT_STRUCT |     \
	 PERF_SAMPLE_DATA_SRC)

/* From the file format (tools/perf/util/header.h of Linux); no system header has them. */
enum {
	FEATURE_BUILD_ID = 2,
	FEATURE_ARCH = 6,
	FEATURE_NRCPUS = 7,
	FEATURE_EVENT_DESC = 12,
	FEATURE_NUMA_TOPOLOGY = 14,
	FEATURE_MEM_TOPOLOGY = 22,
	PERF_RECORD_FINISHED_ROUND = 68
};

#define MEMORY_BLOCK (2 << 20)

struct file_section {
	uint64_t offset;
	uint64_t size;
};

struct file_header {
	char magic[8];
	uint64_t size;
	uint64_t attr_size;
	struct file_section attrs;
	struct file_section data;
	struct file_section event_types;
	uint64_t features[4];
};

struct file_attr {
	struct perf_event_attr attr;
	struct file_section ids;
};

static void add_u32(struct strbuf *buffer, uint32_t value)
{
	strbuf_add(buffer, &value, sizeof(value));
}

static void add_u64(struct strbuf *buffer, uint64_t value)
{
	strbuf_add(buffer, &value, sizeof(value));
}

/* Appends the string with its NUL, padded with NULs to a multiple of `alignment`. */
static void add_padded(struct strbuf *buffer, const char *string, size_t alignment)
{
	size_t length = strlen(string);

	strbuf_add(buffer, string, length);
	do
		strbuf_add_char(buffer, '\0');
	while (++length % alignment);
}

static void add_record(struct strbuf *records, uint32_t type, uint16_t misc,
		       const struct strbuf *body)
{
	struct perf_event_header header = {
		.type = type,
		.misc = misc,
		.size = (uint16_t)(sizeof(header) + body->length),
	};

	strbuf_add(records, &header, sizeof(header));
	strbuf_add(records, body->data, body->length);
}

/* Adds the fields that sample_id_all appends to every record except samples. */
static void add_sample_id(struct perf_data_writer *writer, struct strbuf *body, uint32_t pid,
			  uint32_t tid)
{
	add_u32(body, pid);
	add_u32(body, tid);
	add_u64(body, writer->time += 1000);
	add_u64(body, 0); /* cpu, reserved */
	add_u64(body, EVENT_ID);
}

static uint32_t event_count(const struct perf_data_writer *writer)
{
	return writer->machine && writer->machine->events[1] ? 2 : 1;
}

void perf_data_writer_init(struct perf_data_writer *writer)
{
	*writer = (struct perf_data_writer){ .records = STRBUF_INIT, .build_ids = STRBUF_INIT };
}

void perf_data_writer_deinit(struct perf_data_writer *writer)
{
	strbuf_deinit(&writer->records);
	strbuf_deinit(&writer->build_ids);
}

void perf_data_add_comm(struct perf_data_writer *writer, uint32_t pid, uint32_t tid,
			const char *comm)
{
	_cleanup_strbuf_ struct strbuf body = STRBUF_INIT;

	add_u32(&body, pid);
	add_u32(&body, tid);
	add_padded(&body, comm, 8);
	add_sample_id(writer, &body, pid, tid);
	add_record(&writer->records, PERF_RECORD_COMM, PERF_RECORD_MISC_COMM_EXEC, &body);
}

void perf_data_add_map(struct perf_data_writer *writer, uint32_t pid, uint64_t start,
		       uint64_t length, uint64_t offset, const char *path)
{
	_cleanup_strbuf_ struct strbuf body = STRBUF_INIT;

	add_u32(&body, pid);
	add_u32(&body, pid);
	add_u64(&body, start);
	add_u64(&body, length);
	add_u64(&body, offset);
	/* device 8:1 and an inode for files of a machine that is described */
	add_u64(&body,
		writer->machine && path[0] == '/' && path[1] != '/' ? UINT64_C(1) << 32 | 8 : 0);
	add_u64(&body, writer->machine && path[0] == '/' && path[1] != '/' ? 4711 : 0);
	add_u64(&body, 0); /* its generation */
	add_u32(&body, 5); /* PROT_READ | PROT_EXEC */
	add_u32(&body, 2); /* MAP_PRIVATE */
	add_padded(&body, path, 8);
	add_sample_id(writer, &body, pid, pid);
	add_record(&writer->records, PERF_RECORD_MMAP2, PERF_RECORD_MISC_USER, &body);
}

void perf_data_add_data_map(struct perf_data_writer *writer, const struct written_data_map *map)
{
	_cleanup_strbuf_ struct strbuf body = STRBUF_INIT;

	add_u32(&body, map->pid);
	add_u32(&body, map->pid);
	add_u64(&body, map->start);
	add_u64(&body, map->length);
	add_u64(&body, map->offset);
	add_u64(&body, map->inode ? UINT64_C(1) << 32 : 0); /* device 0:1 */
	add_u64(&body, map->inode);
	add_u64(&body, 0);                   /* its generation */
	add_u32(&body, 3);                   /* PROT_READ | PROT_WRITE */
	add_u32(&body, map->shared ? 1 : 2); /* MAP_SHARED, MAP_PRIVATE */
	add_padded(&body, map->path, 8);
	add_sample_id(writer, &body, map->pid, map->pid);
	add_record(&writer->records, PERF_RECORD_MMAP2,
		   PERF_RECORD_MISC_USER | PERF_RECORD_MISC_MMAP_DATA, &body);
}

void perf_data_add_fork(struct perf_data_writer *writer, uint32_t pid, uint32_t parent)
{
	_cleanup_strbuf_ struct strbuf body = STRBUF_INIT;

	add_u32(&body, pid);
	add_u32(&body, parent);
	add_u32(&body, pid);
	add_u32(&body, parent);
	add_u64(&body, writer->time);
	add_sample_id(writer, &body, pid, pid);
	add_record(&writer->records, PERF_RECORD_FORK, 0, &body);
}

void perf_data_add_build_id(struct perf_data_writer *writer, const char *path, const uint8_t *bytes,
			    uint8_t size)
{
	_cleanup_strbuf_ struct strbuf body = STRBUF_INIT;
	uint8_t id[24] = { 0 };

	memcpy(id, bytes, size < 20 ? size : 20);
	id[20] = size;
	add_u32(&body, (uint32_t)-1); /* pid */
	strbuf_add(&body, id, sizeof(id));
	add_padded(&body, path, 64);
	add_record(&writer->build_ids, 0, PERF_RECORD_MISC_USER | PERF_RECORD_MISC_EXT_RESERVED,
		   &body);
}

static uint64_t data_source(bool store)
{
	union perf_mem_data_src source = {
		.mem_op = store ? PERF_MEM_OP_STORE : PERF_MEM_OP_LOAD,
		.mem_lvl = PERF_MEM_LVL_HIT | PERF_MEM_LVL_L1,
		.mem_snoop = PERF_MEM_SNOOP_NONE,
		.mem_dtlb = PERF_MEM_TLB_NA,
		.mem_lock = PERF_MEM_LOCK_NA,
	};

	return source.val;
}

/* Appends the number of addresses, then the level, the instruction and its callers. */
static void add_chain(struct strbuf *body, const struct written_sample *sample)
{
	uint64_t count = 0;

	while (count < 4 && sample->callers[count])
		count++;
	add_u64(body, count + 2);
	add_u64(body, (uint64_t)(sample->kernel ? PERF_CONTEXT_KERNEL : PERF_CONTEXT_USER));
	add_u64(body, sample->ip);
	for (uint64_t i = 0; i < count; i++)
		add_u64(body, sample->callers[i]);
}

void perf_data_add_sample(struct perf_data_writer *writer, const struct written_sample *sample)
{
	_cleanup_strbuf_ struct strbuf body = STRBUF_INIT;

	add_u64(&body, EVENT_ID + sample->event);
	add_u64(&body, sample->ip);
	add_u32(&body, sample->pid);
	add_u32(&body, sample->tid);
	add_u64(&body, writer->time += 1000);
	add_u64(&body, sample->address);
	add_u32(&body, sample->cpu);
	add_u32(&body, 0);
	add_u64(&body, sample->period);
	if (writer->machine && writer->machine->chains)
		add_chain(&body, sample);
	add_u64(&body, sample->weight);
	add_u64(&body, sample->data_source ? sample->data_source : data_source(sample->store));
	if (writer->machine)
		add_u64(&body, sample->physical_address);
	add_record(&writer->records, PERF_RECORD_SAMPLE,
		   (sample->kernel ? PERF_RECORD_MISC_KERNEL : PERF_RECORD_MISC_USER) |
			   PERF_RECORD_MISC_EXACT_IP,
		   &body);
	writer->samples++;
}

static struct perf_event_attr event_attr(const struct perf_data_writer *writer, uint32_t event)
{
	return (struct perf_event_attr){
		.type = PERF_TYPE_RAW,
		.size = sizeof(struct perf_event_attr),
		.config = 0x1cd +
			  event * 0xfff05, /* MEM_TRANS_RETIRED.LOAD_LATENCY, Intel, and others */
		.config1 = 30,             /* ldlat */
		.sample_period = 1,
		.sample_type = SAMPLE_TYPE |
			       (writer->machine ? (uint64_t)PERF_SAMPLE_PHYS_ADDR : 0) |
			       (writer->machine && writer->machine->chains
					? (uint64_t)PERF_SAMPLE_CALLCHAIN
					: 0),
		.disabled = 1,
		.mmap = event == 0,
		.mmap2 = event == 0,
		.comm = event == 0,
		.comm_exec = event == 0,
		.task = event == 0,
		.precise_ip = 2,
		.sample_id_all = 1,
	};
}

/* Appends a string in the form of features: its padded length, then its bytes. */
static void add_feature_string(struct strbuf *buffer, const char *string)
{
	_cleanup_strbuf_ struct strbuf padded = STRBUF_INIT;

	add_padded(&padded, string, 64);
	add_u32(buffer, (uint32_t)padded.length);
	strbuf_add(buffer, padded.data, padded.length);
}

static void add_event_descriptions(const struct perf_data_writer *writer, struct strbuf *buffer)
{
	add_u32(buffer, event_count(writer));
	add_u32(buffer, sizeof(struct perf_event_attr));
	for (uint32_t event = 0; event < event_count(writer); event++) {
		struct perf_event_attr attr = event_attr(writer, event);

		strbuf_add(buffer, &attr, sizeof(attr));
		add_u32(buffer, 1); /* ids */
		add_feature_string(buffer,
				   writer->machine ? writer->machine->events[event] : EVENT_NAME);
		add_u64(buffer, EVENT_ID + event);
	}
}

static void add_nodes(const struct written_machine *machine, struct strbuf *numa,
		      struct strbuf *memory)
{
	uint64_t blocks = machine->node_memory / MEMORY_BLOCK;

	add_u32(numa, machine->node_count);
	add_u64(memory, 1); /* version */
	add_u64(memory, MEMORY_BLOCK);
	add_u64(memory, machine->node_count);
	for (uint32_t node = 0; node < machine->node_count; node++) {
		add_u32(numa, node);
		add_u64(numa, machine->node_memory / 1024); /* all memory, and the free part */
		add_u64(numa, machine->node_memory / 1024);
		add_feature_string(numa, machine->node_cpus[node]);
		add_u64(memory, node);
		add_u64(memory, 64); /* the number of bits, which is also the size of the bitmap */
		add_u64(memory, 64);
		add_u64(memory, ((UINT64_C(1) << blocks) - 1) << node * blocks);
	}
}

/* Feature sections follow the data in the order of their numbers, after a table of their places. */
static void add_features(const struct perf_data_writer *writer, uint64_t offset, uint64_t bits[4],
			 struct strbuf *file)
{
	const struct written_machine *machine = writer->machine;
	_cleanup_strbuf_ struct strbuf arch = STRBUF_INIT;
	_cleanup_strbuf_ struct strbuf events = STRBUF_INIT;
	_cleanup_strbuf_ struct strbuf cpus = STRBUF_INIT;
	_cleanup_strbuf_ struct strbuf numa = STRBUF_INIT;
	_cleanup_strbuf_ struct strbuf memory = STRBUF_INIT;

	add_feature_string(&arch, machine ? machine->arch : "x86_64");
	add_event_descriptions(writer, &events);
	if (machine && machine->cpus) {
		add_u32(&cpus, machine->cpus); /* possible processors, and online ones */
		add_u32(&cpus, machine->cpus);
	}
	if (machine && machine->node_count)
		add_nodes(machine, &numa, &memory);

	const struct {
		unsigned int number;
		const struct strbuf *content;
		bool optional;
	} features[] = {
		{ FEATURE_BUILD_ID, &writer->build_ids, false },
		{ FEATURE_ARCH, &arch, false },
		{ FEATURE_NRCPUS, &cpus, true },
		{ FEATURE_EVENT_DESC, &events, false },
		{ FEATURE_NUMA_TOPOLOGY, &numa, true },
		{ FEATURE_MEM_TOPOLOGY, &memory, true },
	};
	size_t count = sizeof(features) / sizeof(features[0]), written = 0;

	for (size_t i = 0; i < count; i++)
		written += !features[i].optional || features[i].content->length;
	offset += written * sizeof(struct file_section);
	for (size_t i = 0; i < count; i++) {
		struct file_section section = { offset, features[i].content->length };

		if (features[i].optional && !section.size)
			continue;
		strbuf_add(file, &section, sizeof(section));
		offset += section.size;
		bits[0] |= UINT64_C(1) << features[i].number;
	}
	for (size_t i = 0; i < count; i++)
		strbuf_add(file, features[i].content->data, features[i].content->length);
}

static struct error *write_file(const char *path, const struct strbuf *content)
{
	FILE *file = fopen(path, "wb");

	if (!file)
		return error_errno(errno, "%s", path);
	size_t written = fwrite(content->data, 1, content->length, file);

	if (fclose(file) != 0 || written != content->length)
		return error_errno(errno, "%s", path);
	return NULL;
}

struct error *perf_data_write(const struct perf_data_writer *writer, const char *path)
{
	_cleanup_strbuf_ struct strbuf records = STRBUF_INIT;
	_cleanup_strbuf_ struct strbuf features = STRBUF_INIT;
	_cleanup_strbuf_ struct strbuf file = STRBUF_INIT;
	const struct strbuf nothing = STRBUF_INIT;
	uint32_t events = event_count(writer);
	uint64_t ids_offset = sizeof(struct file_header);
	uint64_t attrs_offset = ids_offset + events * sizeof(uint64_t);
	uint64_t data_offset = attrs_offset + events * sizeof(struct file_attr);

	strbuf_add(&records, writer->records.data, writer->records.length);
	add_record(&records, PERF_RECORD_FINISHED_ROUND, 0, &nothing);

	struct file_header header = {
		.magic = { 'P', 'E', 'R', 'F', 'I', 'L', 'E', '2' },
		.size = sizeof(header),
		.attr_size = sizeof(struct file_attr),
		.attrs = { attrs_offset, events * sizeof(struct file_attr) },
		.data = { data_offset, records.length },
	};

	add_features(writer, data_offset + records.length, header.features, &features);
	strbuf_add(&file, &header, sizeof(header));
	for (uint32_t event = 0; event < events; event++)
		add_u64(&file, EVENT_ID + event);
	for (uint32_t event = 0; event < events; event++) {
		struct file_attr attr = { .attr = event_attr(writer, event),
					  .ids = { ids_offset + event * sizeof(uint64_t),
						   sizeof(uint64_t) } };

		strbuf_add(&file, &attr, sizeof(attr));
	}
	strbuf_add(&file, records.data, records.length);
	strbuf_add(&file, features.data, features.length);
	return write_file(path, &file);
}
