// SPDX-License-Identifier: GPL-2.0-or-later
/* dtprof print shows BPF maps by their BTF. The maps are made here, and have BTF that is written
 * here. */
#include "tests/support/unit.h"

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <linux/bpf.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "tests/support/files.h"
#include "tests/support/process.h"

struct flow {
	uint32_t address;
	uint16_t port;
	char name[10];
};

struct flow_state {
	uint64_t bytes;
	int32_t delta;
	uint32_t state;
	uint32_t low : 3, high : 29;
	uint32_t padding;
};

/* Ids of types in the BTF. */
struct ids {
	int number, key, value;
};

/* Returns a descriptor of loaded BTF that has the types above, or below 0. */
static int load_types(struct ids *ids, struct btf **types)
{
	struct btf *btf = btf__new_empty();
	int u32 = btf__add_int(btf, "unsigned int", 4, 0), u16 = btf__add_int(btf, "short", 2, 0);
	int character = btf__add_int(btf, "char", 1, BTF_INT_SIGNED);
	int u64 = btf__add_int(btf, "long", 8, 0),
	    s32 = btf__add_int(btf, "int", 4, BTF_INT_SIGNED);
	int name = btf__add_array(btf, u32, character, 10);
	int state = btf__add_enum(btf, "state", 4);

	btf__add_enum_value(btf, "IDLE", 0);
	btf__add_enum_value(btf, "BUSY", 200);
	ids->number = u32;
	ids->key = btf__add_struct(btf, "flow", sizeof(struct flow));
	btf__add_field(btf, "address", u32, 0, 0);
	btf__add_field(btf, "port", u16, 32, 0);
	btf__add_field(btf, "name", name, 48, 0);
	ids->value = btf__add_struct(btf, "flow_state", sizeof(struct flow_state));
	btf__add_field(btf, "bytes", u64, 0, 0);
	btf__add_field(btf, "delta", s32, 64, 0);
	btf__add_field(btf, "state", state, 96, 0);
	btf__add_field(btf, "low", u32, 128, 3);
	btf__add_field(btf, "high", u32, 131, 29);
	/* the marker of a map without BTF of its own */
	btf__add_struct(btf, "____btf_map_plain", sizeof(struct flow) + sizeof(struct flow_state));
	btf__add_field(btf, "key", ids->key, 0, 0);
	btf__add_field(btf, "value", ids->value, 8 * sizeof(struct flow), 0);
	*types = btf;
	return btf__load_into_kernel(btf) ? -1 : btf__fd(btf);
}

static int create(enum bpf_map_type type, const char *name, uint32_t key_size, int btf,
		  const struct ids *ids, int key)
{
	LIBBPF_OPTS(bpf_map_create_opts, options, .btf_fd = btf > 0 ? (uint32_t)btf : 0,
		    .btf_key_type_id = ids ? (uint32_t)key : 0,
		    .btf_value_type_id = ids ? (uint32_t)ids->value : 0);

	return bpf_map_create(type, name, key_size, sizeof(struct flow_state), 4, &options);
}

static uint32_t id_of(int map)
{
	struct bpf_map_info info = { 0 };
	uint32_t size = sizeof(info);

	assert_int_equal(bpf_obj_get_info_by_fd(map, &info, &size), 0);
	return info.id;
}

static void show(uint32_t id, const char *options, struct process_result *result)
{
	_cleanup_free_ char *command =
		xasprintf("%s print --map %u %s 2>&1", dtprof_path(), (unsigned int)id, options);

	process_shell(command, result);
}

static void has(const struct process_result *result, const char *text)
{
	if (!strstr(result->output.data, text))
		fail_msg("there is no '%s' in:\n%s", text, result->output.data);
}

static const struct flow flow = { 7, 80, "ht\033tp" };
static const struct flow_state flow_state = { 100, -5, 200, 5, 9, 0 };

/* Loads the types and creates a map with one element; skips the test if that is not allowed here.
 */
static int open_map(enum bpf_map_type type, struct ids *ids, struct btf **types)
{
	int btf, map;

	libbpf_set_print(NULL);
	btf = load_types(ids, types);
	map = btf < 0 ? -1
		      : create(type, "flows", type == BPF_MAP_TYPE_PERCPU_ARRAY ? 4 : sizeof(flow),
			       btf, ids,
			       type == BPF_MAP_TYPE_PERCPU_ARRAY ? ids->number : ids->key);
	if (map < 0) {
		btf__free(*types);
		skip_because("no BPF map can be made here (bpf(2) needs CAP_BPF)");
	}
	return map;
}

static void test_hash(void **state)
{
	_cleanup_process_ struct process_result text = { 0 }, json = { 0 };
	struct btf *types;
	struct ids ids;
	int map = open_map(BPF_MAP_TYPE_HASH, &ids, &types);

	(void)state;
	assert_int_equal(bpf_map_update_elem(map, &flow, &flow_state, BPF_ANY), 0);
	show(id_of(map), "", &text);
	assert_int_equal(text.status, 0);
	has(&text,
	    "\t.key = {\n\t\t.address = 7,\n\t\t.port = 80,\n\t\t.name = \"ht\\033tp\",\n\t},\n");
	has(&text, "\t\t.bytes = 100,\n\t\t.delta = -5,\n\t\t.state = BUSY,\n\t\t.low = 5,\n"
		   "\t\t.high = 9,\n");
	show(id_of(map), "--json | tr -d ' \\n'", &json);
	has(&json, "[{\"key\":[\"0x07\",\"0x00\",\"0x00\",\"0x00\",\"0x50\"");
	has(&json, "\"formatted\":{\"key\":{\"address\":7,\"port\":80,");
	has(&json, "\"value\":{\"bytes\":100,\"delta\":-5,\"state\":\"BUSY\",\"low\":\"0x5\","
		   "\"high\":\"0x9\"}");
	close(map);
	btf__free(types);
}

static void test_values_of_processors(void **state)
{
	int processors = libbpf_num_possible_cpus();
	_cleanup_process_ struct process_result json = { 0 };
	struct flow_state *values;
	struct btf *types;
	struct ids ids;
	uint32_t key = 1;
	int map = open_map(BPF_MAP_TYPE_PERCPU_ARRAY, &ids, &types);

	(void)state;
	assert_true(processors > 0);
	values = xcalloc((size_t)processors, sizeof(*values));
	for (int i = 0; i < processors; i++)
		values[i] = (struct flow_state){ .bytes = 1000 + (uint64_t)i };
	assert_int_equal(bpf_map_update_elem(map, &key, values, BPF_ANY), 0);
	show(id_of(map), "--json | tr -d ' \\n'", &json);
	has(&json, "\"formatted\":{\"key\":1,\"values\":[{\"cpu\":0,\"value\":{\"bytes\":1000,");
	if (processors > 1)
		has(&json, "{\"cpu\":1,\"value\":{\"bytes\":1001,");
	free(values);
	close(map);
	btf__free(types);
}

/* A map without BTF is shown as bytes, or by the marker in its object file. */
static void test_marker(void **state)
{
	_cleanup_process_ struct process_result bytes = { 0 }, marked = { 0 }, json = { 0 };
	_cleanup_free_ char *option = NULL;
	const void *data;
	struct btf *types;
	struct ids ids;
	uint32_t size;
	int other = open_map(BPF_MAP_TYPE_HASH, &ids, &types);
	int map = create(BPF_MAP_TYPE_HASH, "plain", sizeof(flow), 0, NULL, 0);

	(void)state;
	assert_true(map >= 0);
	assert_int_equal(bpf_map_update_elem(map, &flow, &flow_state, BPF_ANY), 0);
	show(id_of(map), "", &bytes);
	has(&bytes, "keys of 16 bytes without a type");
	has(&bytes, "\t.key = 0x07 0x00 0x00 0x00 0x50 0x00 ");
	show(id_of(map), "--json", &json);
	assert_null(strstr(json.output.data, "formatted"));
	data = btf__raw_data(types, &size);
	file_write(scratch_file("marker.btf"), data, size);
	option = xasprintf("--object %s", scratch_file("marker.btf"));
	show(id_of(map), option, &marked);
	has(&marked, "\t\t.state = BUSY,\n");
	close(map);
	close(other);
	btf__free(types);
}

static void test_maps_of_maps(void **state)
{
	_cleanup_process_ struct process_result text = { 0 };
	struct btf *types;
	struct ids ids;
	int inner = open_map(BPF_MAP_TYPE_HASH, &ids, &types), key = 3;
	LIBBPF_OPTS(bpf_map_create_opts, options, .inner_map_fd = (uint32_t)inner);
	int map = bpf_map_create(BPF_MAP_TYPE_HASH_OF_MAPS, "outer", 4, 4, 4, &options);
	_cleanup_free_ char *line = xasprintf("\t.value = %u, /* 'flows' */\n", id_of(inner));

	(void)state;
	assert_true(map >= 0);
	assert_int_equal(bpf_map_update_elem(map, &key, &inner, BPF_ANY), 0);
	show(id_of(map), "", &text);
	has(&text, line);
	close(map);
	close(inner);
	btf__free(types);
}

static void test_what_cannot_be_shown(void **state)
{
	_cleanup_process_ struct process_result ring = { 0 }, none = { 0 }, held = { 0 },
						listed = { 0 };
	struct btf *types;
	struct ids ids;
	int other = open_map(BPF_MAP_TYPE_HASH, &ids, &types);
	int map = bpf_map_create(BPF_MAP_TYPE_RINGBUF, "ring", 0, 0, 4096, NULL);
	int events = bpf_map_create(BPF_MAP_TYPE_PERF_EVENT_ARRAY, "events", 4, 4, 2, NULL);

	(void)state;
	assert_true(map >= 0);
	show(id_of(map), "", &ring);
	assert_int_equal(ring.status, 1);
	has(&ring, "(ringbuf) has no elements that the kernel lists");
	process_shell("${DTPROF:-build/dtprof} print --map no_such_map 2>&1", &none);
	assert_int_equal(none.status, 1);
	has(&none, "there is no map 'no_such_map'");
	show(id_of(events), "", &held);
	assert_int_equal(held.status, 1);
	has(&held, "2 values are objects of the kernel, which it does not give out");
	show(id_of(events), "--json | tr -d ' \\n'", &listed);
	has(&listed, "{\"key\":[\"0x01\",\"0x00\",\"0x00\",\"0x00\"],\"value\":{\"error\":");
	close(events);
	close(map);
	close(other);
	btf__free(types);
}

/* The next element of a queue is shown, and stays in it; its type is in the object file. */
static void test_queue(void **state)
{
	_cleanup_process_ struct process_result text = { 0 }, again = { 0 };
	_cleanup_free_ char *option = NULL;
	struct flow_state second = { .bytes = 9 };
	struct btf *types;
	struct ids ids;
	int other = open_map(BPF_MAP_TYPE_HASH, &ids, &types), pointer, record;
	int map = create(BPF_MAP_TYPE_QUEUE, "waiting", 0, 0, NULL, 0);
	const void *data;
	uint32_t size;

	(void)state;
	assert_true(map >= 0);
	pointer = btf__add_ptr(types, ids.value);
	record = btf__add_struct(types, "", 8);
	btf__add_field(types, "value", pointer, 0, 0);
	btf__add_var(types, "waiting", BTF_VAR_GLOBAL_ALLOCATED, record);
	data = btf__raw_data(types, &size);
	file_write(scratch_file("queue.btf"), data, size);
	option = xasprintf("--object %s", scratch_file("queue.btf"));
	assert_int_equal(bpf_map_update_elem(map, NULL, &flow_state, BPF_ANY), 0);
	assert_int_equal(bpf_map_update_elem(map, NULL, &second, BPF_ANY), 0);
	show(id_of(map), "--json", &again);
	show(id_of(map), option, &text);
	assert_int_equal(text.status, 0);
	has(&text, "'waiting', queue: values of 24 bytes */");
	has(&text, "{\n\t.value = {\n\t\t.bytes = 100,\n\t\t.delta = -5,\n");
	assert_null(strstr(text.output.data, ".bytes = 9"));
	close(map);
	close(other);
	btf__free(types);
}

/* Adds a struct of what bpftool writes in its own way: struct, numbers, a text without an end. */
static int add_odd_struct(struct btf *btf, const struct ids *ids)
{
	int character = btf__add_int(btf, "char", 1, 0), small = btf__add_int(btf, "short", 2, 0);
	int text = btf__add_array(btf, ids->number, character, 4);
	int row = btf__add_array(btf, ids->number, small, 2),
	    rows = btf__add_array(btf, ids->number, row, 2);
	int wide = btf__add_int(btf, "__int128", 16, BTF_INT_SIGNED);
	int nameless = btf__add_struct(btf, "", 4);
	int empty, odd;

	btf__add_field(btf, "inner", ids->number, 0, 0);
	empty = btf__add_struct(btf, "empty", 0);
	odd = btf__add_struct(btf, "odd", 48);
	btf__add_field(btf, "wide", wide, 0, 0);
	btf__add_field(btf, "rows", rows, 128, 0);
	btf__add_field(btf, "", nameless, 192, 0);
	btf__add_field(btf, "text", text, 224, 0);
	btf__add_field(btf, "full", text, 256, 0);
	btf__add_field(btf, "none", empty, 288, 0);
	return odd;
}

/* A map of variables is a list below the name of their section, and its key has no type. */
static void test_variables(void **state)
{
	_cleanup_process_ struct process_result text = { 0 }, json = { 0 };
	struct {
		unsigned __int128 wide;
		uint16_t rows[4];
		uint32_t inner;
		char text[4], full[4];
		char rest[12];
	} odd = {
		(unsigned __int128)3 << 64 | 7, { 1, 2, 3, 4 }, 5, "ab", { 'f', 'u', 'l', 'l' }, ""
	};
	struct btf *types, *own;
	struct ids ids;
	int other = open_map(BPF_MAP_TYPE_HASH, &ids, &types), map, record, variable, section;
	uint32_t zero = 0;

	(void)state;
	close(other);
	btf__free(types);
	own = btf__new_empty();
	ids.number = btf__add_int(own, "unsigned int", 4, 0);
	record = add_odd_struct(own, &ids);
	variable = btf__add_var(own, "odd_one", BTF_VAR_STATIC, record);
	section = btf__add_datasec(own, ".data", 48);
	btf__add_datasec_var_info(own, variable, 0, 48);
	assert_int_equal(btf__load_into_kernel(own), 0);

	LIBBPF_OPTS(bpf_map_create_opts, options, .btf_fd = (uint32_t)btf__fd(own),
		    .btf_value_type_id = (uint32_t)section);

	map = bpf_map_create(BPF_MAP_TYPE_ARRAY, "my.data", 4, 48, 1, &options);
	assert_true(map >= 0);
	assert_int_equal(bpf_map_update_elem(map, &zero, &odd, BPF_ANY), 0);
	show(id_of(map), "--json | tr -d ' \\n'", &json);
	has(&json, "\"formatted\":{\"value\":{\".data\":[{\"odd_one\":{"
		   "\"wide\":\"0x30000000000000007\",\"rows\":[[1,2],[3,4]],"
		   "\"\":{\"inner\":5},\"text\":\"ab\",\"full\":[102,117,108,108],"
		   "\"none\":{}}}]}}");
	show(id_of(map), "", &text);
	assert_int_equal(text.status, 0);
	has(&text, "\t\t\t.rows = { 1, 2, 3, 4 },\n\t\t\t.inner = 5,\n\t\t\t.text = \"ab\",\n"
		   "\t\t\t.full = \"full\",\n\t\t\t.none = { },\n");
	close(map);
	btf__free(own);
}

static void show_pinned(const char *path, struct process_result *result)
{
	_cleanup_free_ char *command = xasprintf("%s print --map %s 2>&1", dtprof_path(), path);

	process_shell(command, result);
}

static void test_pinned(void **state)
{
	static const struct bpf_insn nothing[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	_cleanup_process_ struct process_result shown = { 0 }, program = { 0 }, file = { 0 };
	_cleanup_free_ char *folder = xstrdup(scratch_file("bpf"));
	_cleanup_free_ char *map_path = xasprintf("%s/flows", folder);
	_cleanup_free_ char *program_path = xasprintf("%s/nothing", folder);
	struct btf *types;
	struct ids ids;
	int map = open_map(BPF_MAP_TYPE_HASH, &ids, &types);
	int loaded = bpf_prog_load(BPF_PROG_TYPE_SOCKET_FILTER, "nothing", "GPL", nothing,
				   COUNT_OF(nothing), NULL);

	(void)state;
	btf__free(types);
	/* a mount that only this test sees */
	if (loaded < 0 || mkdir(folder, 0700) || unshare(CLONE_NEWNS) ||
	    mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    mount("bpf", folder, "bpf", 0, NULL)) {
		close(loaded);
		close(map);
		skip_because("bpffs cannot be mounted here, or no program loaded");
	}
	assert_int_equal(bpf_obj_pin(map, map_path), 0);
	assert_int_equal(bpf_obj_pin(loaded, program_path), 0);
	show_pinned(map_path, &shown);
	show_pinned(program_path, &program);
	show_pinned(dtprof_path(), &file);
	umount(folder);
	close(loaded);
	close(map);
	assert_int_equal(shown.status, 0);
	has(&shown, "'flows', hash");
	assert_int_equal(program.status, 1);
	has(&program, "nothing is no map, but anon_inode:bpf-prog");
	assert_int_equal(file.status, 1);
	has(&file, "is not below a file system of BPF");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_hash),
		cmocka_unit_test(test_values_of_processors),
		cmocka_unit_test(test_marker),
		cmocka_unit_test(test_maps_of_maps),
		cmocka_unit_test(test_queue),
		cmocka_unit_test(test_variables),
		cmocka_unit_test(test_what_cannot_be_shown),
		cmocka_unit_test(test_pinned),
	};

	return cmocka_run_group_tests_name("print_map", tests, NULL, scratch_tear_down);
}
