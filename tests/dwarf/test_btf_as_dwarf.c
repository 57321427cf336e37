// SPDX-License-Identifier: GPL-2.0-or-later
/* BTF declares the same names, layouts and prototypes as DWARF: that which pahole makes of a small
 * program, that which debug_object_write_btf() makes of it, and that of a kernel that has both. */
#include "tests/support/unit.h"

#include <bpf/btf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "dwarf/btf/btf.h"
#include "dwarf/btf/encode.h"
#include "dwarf/debug.h"
#include "base/memory.h"
#include "tests/support/debug_program.h"
#include "tests/support/files.h"
#include "tests/support/kept.h"
#include "tests/support/process.h"

/* The kernel of the shared recordings, from linux-image-6.1.0-56-cloud-amd64-dbg. $DTPROF_VMLINUX
 * names another place for it. */
#define KERNEL_DWARF "/usr/lib/debug/boot/vmlinux-6.1.0-56-cloud-amd64"
#define KERNEL_BTF   "../shared/kernel/btf-vmlinux"

#define DEPTH    6
#define VARIANTS 32

static bool same_text(const char *left, const char *right)
{
	return left == right || (left && right && strcmp(left, right) == 0);
}

static bool same_declaration(const struct type *left, const struct type *right)
{
	_cleanup_strbuf_ struct strbuf a = STRBUF_INIT, b = STRBUF_INIT;

	type_declaration(left, &a);
	type_declaration(right, &b);
	return strcmp(a.data, b.data) == 0 &&
	       strcmp(type_name_interned(left), type_name_interned(right)) == 0;
}

static const struct type *element_of(const struct type *type)
{
	type = type_strip(type);
	while (type->kind == TYPE_ARRAY)
		type = type_strip(type_target(type));
	return type;
}

/* Describes the first difference of two types; the text stays empty if there is none. */
static void compare(const struct type *left, const struct type *right, unsigned int depth,
		    struct strbuf *difference)
{
	size_t left_count, right_count;
	const struct type *a = element_of(left), *b = element_of(right);
	const struct member *members = type_members(a, &left_count),
			    *others = type_members(b, &right_count);

	if (!same_declaration(left, right) || type_size_or(left, 0) != type_size_or(right, 0) ||
	    type_size_or(a, 0) != type_size_or(b, 0) || a->kind != b->kind ||
	    a->flags != b->flags || left_count != right_count ||
	    type_array_count(type_strip(left)) != type_array_count(type_strip(right))) {
		strbuf_add_format(
			difference, "%s (%llu bytes, %zu members) and %s (%llu bytes, %zu members)",
			type_name_interned(left), (unsigned long long)type_size_or(left, 0),
			left_count, type_name_interned(right),
			(unsigned long long)type_size_or(right, 0), right_count);
		return;
	}
	for (size_t i = 0; i < left_count && !difference->length && depth; i++) {
		const struct member *m = &members[i], *n = &others[i];

		if (!same_text(m->name, n->name) || m->offset != n->offset ||
		    m->bit_offset != n->bit_offset || m->bit_size != n->bit_size)
			strbuf_add_format(difference, "%s: member %s at %lld, and %s at %lld",
					  type_name_interned(left), m->name ? m->name : "?",
					  (long long)m->offset, n->name ? n->name : "?",
					  (long long)n->offset);
		else
			compare(m->type, n->type, depth - 1, difference);
	}
}

struct both {
	struct elf_image *image;
	struct debug_object *dwarf_object, *btf_object;
	struct debug_reader *dwarf, *btf;
	struct btf *types;
};

/* Checks that DWARF has each type that BTF has under this name. */
static void check_type(const struct both *both, const char *name)
{
	const struct type *left[VARIANTS], *right[VARIANTS];
	size_t left_count = debug_reader_types_named(both->btf, name, left, VARIANTS);
	size_t right_count = debug_reader_types_named(both->dwarf, name, right, VARIANTS);

	if (!left_count || !right_count)
		fail_msg("%s is %s in BTF and %s in DWARF", name, left_count ? "there" : "missing",
			 right_count ? "there" : "missing");
	for (size_t i = 0; i < left_count && i < VARIANTS; i++) {
		_cleanup_strbuf_ struct strbuf difference = STRBUF_INIT;
		bool found = false;

		for (size_t j = 0; j < right_count && j < VARIANTS && !found; j++) {
			strbuf_reset(&difference);
			compare(left[i], right[j], DEPTH, &difference);
			found = !difference.length;
		}
		if (!found)
			fail_msg("%s is not the same in BTF and in DWARF: %s", name,
				 difference.data);
	}
}

static void check_function(const struct both *both, const char *name)
{
	const struct symbol *symbol = elf_image_symbol_named(both->image, name);

	assert_non_null(symbol);
	const struct prototype *left = debug_reader_prototype_at(both->btf, symbol->address, 0);
	const struct prototype *right = debug_reader_prototype_at(both->dwarf, symbol->address, 0);

	if (!left || !right)
		fail_msg("%s has %s prototype in BTF and %s in DWARF", name, left ? "a" : "no",
			 right ? "one" : "none");
	assert_true(same_declaration(left->return_type, right->return_type));
	assert_int_equal(left->variadic, right->variadic);
	assert_int_equal(left->parameter_count, right->parameter_count);
	for (size_t i = 0; i < left->parameter_count; i++)
		if (!same_declaration(left->parameters[i].type, right->parameters[i].type) ||
		    !same_text(left->parameters[i].name, right->parameters[i].name))
			fail_msg("%s: parameter %zu differs", name, i);
}

static void open_readers(struct both *both)
{
	assert_null(debug_object_open(both->image, both->image, &both->dwarf_object));
	assert_null(btf_object_open(both->image, both->types, &both->btf_object));
	both->dwarf = debug_reader_open(both->dwarf_object);
	both->btf = debug_reader_open(both->btf_object);
}

static void close_both(struct both *both)
{
	debug_reader_close(both->btf);
	debug_reader_close(both->dwarf);
	debug_object_close(both->btf_object);
	debug_object_close(both->dwarf_object);
	btf_close(both->types);
	elf_image_close(both->image);
}

static const char *const types[] = { "struct node",  "union word",  "enum color", "struct packed",
				     "struct empty", "struct uses", "enum bits",  "enum wide",
				     "atomic_t",     "u32",         "visit_t",    "struct node*" };

static void a_program_by_pahole(void **state)
{
	const struct debug_source sources[] = { { "by_pahole.c", NULL }, { NULL, NULL } };
	struct debug_program program;
	struct both both = { 0 };

	(void)state;
	if (!process_exists("pahole"))
		skip_because("there is no pahole here (package pahole)");
	if (!debug_program_build_with(&program, "gcc", "-O1 -gdwarf-4 -w", sources,
				      "LLVM_OBJCOPY=objcopy pahole -J --btf_gen_floats prog 2>&1"))
		skip_because("this pahole does not know --btf_gen_floats");
	assert_null(elf_image_open(program.path, &both.image));
	assert_null(btf_open_image(both.image, NULL, &both.types));
	open_readers(&both);
	for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++)
		check_type(&both, types[i]);
	check_function(&both, "visit_all");
	check_function(&both, "no_arguments");
	close_both(&both);
	debug_program_close(&program);
}

static void check_constant(const struct both *both, const char *type, const char *name, long value)
{
	const struct type *found;
	size_t count;

	assert_int_equal(debug_reader_types_named(both->dwarf, type, &found, 1), 1);
	const struct enumerator *constants = type_enumerators(found, &count);

	for (size_t i = 0; i < count; i++)
		if (strcmp(constants[i].name, name) == 0) {
			assert_int_equal(constants[i].value, value);
			return;
		}
	fail_msg("%s has no %s", type, name);
}

/* gcc writes constants of enums without a sign in as few bytes as they need. */
static void check_constants(const struct both *both)
{
	check_constant(both, "enum bits", "SIGN_OF_BYTE", 128);
	check_constant(both, "enum bits", "SIGN_OF_WORD", 0x80000000L);
	check_constant(both, "enum color", "GREEN", -1);
	check_constant(both, "enum wide", "BELOW", -5);
	check_constant(both, "enum wide", "ABOVE", 0x123456789L);
}

/* Checks what libbpf reads of enums and sections, which the BTF reader of this project leaves
 * out. */
static void check_text(const struct debug_program *program, const void *data, size_t size)
{
	_cleanup_free_ char *path = xasprintf("%s/types.btf", program->folder);
	_cleanup_free_ char *command = xasprintf("bpftool btf dump file %s 2>&1", path);
	static const char *const lines[] = {
		"'SIGN_OF_BYTE' val=128",
		"'SIGN_OF_WORD' val=2147483648",
		"'GREEN' val=-1",
		"'BELOW' val=-5",
		"'ABOVE' val=4886718345",
		"'HIGHEST' val=18446744073709551584",
		"VAR 'uses'",
		"FUNC 'no_arguments' type_id",
		"STRUCT 'packed' size=9 vlen=2",
	};
	_cleanup_process_ struct process_result result = { 0 };

	if (!process_exists("bpftool"))
		return;
	file_write(path, data, size);
	process_shell(command, &result);
	for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++)
		if (!strstr(result.output.data, lines[i]))
			fail_msg("bpftool shows no %s", lines[i]);
}

static void a_program_by_itself(void **state)
{
	const struct debug_source sources[] = { { "by_pahole.c", NULL }, { NULL, NULL } };
	struct debug_program program;
	struct btf_losses losses;
	struct both both = { 0 };
	_cleanup_free_ void *data = NULL, *again = NULL;
	size_t size, size_again;

	(void)state;
	if (!debug_program_build_with(&program, "gcc", "-O1 -g -w", sources, NULL))
		skip_because("gcc cannot build the program");
	assert_null(elf_image_open(program.path, &both.image));
	assert_null(debug_object_open(both.image, both.image, &both.dwarf_object));
	assert_null(debug_object_write_btf(both.dwarf_object, both.image, &data, &size, &losses));
	assert_null(debug_object_write_btf(both.dwarf_object, both.image, &again, &size_again,
					   &losses));
	assert_int_equal(size, size_again);
	assert_memory_equal(data, again, size);
	assert_int_equal(losses.records + losses.variables, 0);
	/* kernels take no function that has a nameless parameter */
	assert_int_equal(losses.functions, 1);
	struct btf *btf = btf__new(data, (uint32_t)size);

	assert_true(btf__find_by_name_kind(btf, "nameless", BTF_KIND_FUNC) < 0);
	assert_true(btf__find_by_name_kind(btf, "no_arguments", BTF_KIND_FUNC) > 0);
	btf__free(btf);
	debug_object_close(both.dwarf_object);
	assert_null(btf_open_memory(data, size, NULL, "types.btf", &both.types));
	open_readers(&both);
	for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++)
		check_type(&both, types[i]);
	check_function(&both, "visit_all");
	check_function(&both, "no_arguments");
	check_constants(&both);
	check_text(&program, data, size);
	close_both(&both);
	debug_program_close(&program);
}

/* Returns the id of a type without its names and qualifiers. */
static uint32_t stripped(const struct btf *btf, uint32_t id)
{
	const struct btf_type *type = btf__type_by_id(btf, id);

	while (btf_is_mod(type) || btf_is_typedef(type)) {
		id = type->type;
		type = btf__type_by_id(btf, id);
	}
	return id;
}

/* A value of one of Go's types of functions is a pointer. A record of BTF cannot have a function,
 * and kernels and bpftool refuse one that has. */
static void functions_of_go(void **state)
{
	(void)state;
	char *folder = scratch_create();
	_cleanup_free_ char *program = xasprintf("%s/go_rules", folder);
	_cleanup_free_ void *data = NULL;
	struct elf_image *image;
	struct debug_object *object;
	struct btf_losses losses;
	size_t size, pointers = 0;

	if (!kept_program("tests/kept/go_rules.go", "go build", program))
		skip_because("no program of Go is kept");
	assert_null(elf_image_open(program, &image));
	assert_null(debug_object_open(image, image, &object));
	assert_null(debug_object_write_btf(object, image, &data, &size, &losses));

	struct btf *btf = btf__new(data, (uint32_t)size);

	for (uint32_t id = 1; id < btf__type_cnt(btf); id++) {
		const struct btf_type *type = btf__type_by_id(btf, id);

		for (unsigned int i = 0; btf_is_composite(type) && i < btf_vlen(type); i++) {
			const struct btf_type *member =
				btf__type_by_id(btf, stripped(btf, btf_members(type)[i].type));

			if (btf_is_func_proto(member))
				fail_msg("member %s is a function",
					 btf__str_by_offset(btf, btf_members(type)[i].name_off));
			pointers += btf_is_ptr(member) &&
				    btf_is_func_proto(btf__type_by_id(btf, member->type));
		}
	}
	assert_true(pointers);
	btf__free(btf);
	debug_object_close(object);
	elf_image_close(image);
	scratch_remove(folder);
}

static void a_kernel(void **state)
{
	static const char *const types[] = {
		"struct page",
		"struct folio",
		"struct slab",
		"struct task_struct",
		"struct rq",
		"struct cfs_rq",
		"struct sched_entity",
		"struct mm_struct",
		"struct vm_area_struct",
		"struct maple_node",
		"struct kmem_cache",
		"struct inode",
		"struct dentry",
		"struct file",
		"struct super_block",
		"struct bio",
		"struct request",
		"struct sk_buff",
		"struct sock",
		"struct tcp_sock",
		"struct net_device",
		"struct pt_regs",
		"struct fpstate",
		"struct mutex",
		"struct raw_spinlock",
		"struct ext4_inode",
		"union futex_key",
		"atomic_t",
		"struct xarray",
	};
	static const char *const functions[] = {
		"vfs_read",   "tcp_sendmsg",   "kmem_cache_alloc", "handle_mm_fault", "schedule",
		"mutex_lock", "__alloc_pages", "filemap_fault",    "wake_up_process"
	};
	const char *path = getenv("DTPROF_VMLINUX") ? getenv("DTPROF_VMLINUX") : KERNEL_DWARF;
	struct both both = { 0 };

	(void)state;
	if (access(path, R_OK) < 0 || access(KERNEL_BTF, R_OK) < 0)
		skip_because("there is no %s, or no %s", path, KERNEL_BTF);
	assert_null(elf_image_open(path, &both.image));
	assert_null(btf_open(KERNEL_BTF, NULL, &both.types));
	open_readers(&both);
	for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++)
		check_type(&both, types[i]);
	for (size_t i = 0; i < sizeof(functions) / sizeof(*functions); i++)
		check_function(&both, functions[i]);
	close_both(&both);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_program_by_pahole),
		cmocka_unit_test(a_program_by_itself),
		cmocka_unit_test(functions_of_go),
		cmocka_unit_test(a_kernel),
	};

	return cmocka_run_group_tests_name("btf_as_dwarf", tests, NULL, NULL);
}
