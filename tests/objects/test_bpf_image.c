// SPDX-License-Identifier: GPL-2.0-or-later
/* Programs of the features BPF_PROG_INFO and BPF_BTF, and the images of their functions: what fits
 * is found, and what does not is left out. */
#include "tests/support/unit.h"

#include <bpf/btf.h>
#include <linux/bpf.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/strbuf.h"
#include "profiler/objects/bpf_image.h"

#define FUNCTION_ADDRESS UINT64_C(0xffffffffc0001000)

/* The arrays of a program with one function, `ret`. */
struct arrays {
	uint64_t address;
	struct bpf_func_info function;
	uint32_t size;
	uint8_t code[4];
};

/* Returns a feature with one such program. `code_size` is what its array of code claims to have. */
static struct strbuf make_feature(uint32_t function_type, uint32_t code_size)
{
	struct arrays arrays = { .address = FUNCTION_ADDRESS,
				 .function = { .type_id = function_type },
				 .size = 1,
				 .code = { 0xc3 } };
	struct bpf_prog_info info = {
		.btf_id = 5,
		.jited_prog_insns = offsetof(struct arrays, code),
		.jited_prog_len = code_size,
		.jited_ksyms = offsetof(struct arrays, address),
		.nr_jited_ksyms = 1,
		.jited_func_lens = offsetof(struct arrays, size),
		.nr_jited_func_lens = 1,
		.func_info = offsetof(struct arrays, function),
		.nr_func_info = 1,
		.func_info_rec_size = sizeof(arrays.function),
	};
	struct bpf_recorded_program start = { .info_size = sizeof(info),
					      .data_size = sizeof(arrays),
					      .arrays = 1 << BPF_ARRAY_CODE |
							1 << BPF_ARRAY_FUNCTIONS |
							1 << BPF_ARRAY_SIZES |
							1 << BPF_ARRAY_FUNC_INFO };
	struct strbuf feature = STRBUF_INIT;
	uint32_t count = 1;

	strbuf_add(&feature, &count, sizeof(count));
	strbuf_add(&feature, &start, sizeof(start));
	strbuf_add(&feature, &info, sizeof(info));
	strbuf_add(&feature, &arrays, sizeof(arrays));
	return feature;
}

/* Adds the BTF of a function, whose name is at this offset of the strings if it is not 0. Returns
 * the function's id. */
static uint32_t add_types(struct strbuf *feature, uint32_t name)
{
	struct btf *btf = btf__new_empty();
	int prototype = btf__add_func_proto(btf, 0);
	int function = btf__add_func(btf, "written", BTF_FUNC_STATIC, prototype);
	uint32_t head[3] = { 1, 5 };

	if (name)
		((struct btf_type *)btf__type_by_id(btf, (uint32_t)function))->name_off = name;

	const void *bytes = btf__raw_data(btf, &head[2]);

	strbuf_add(feature, head, sizeof(head));
	strbuf_add(feature, bytes, head[2]);
	btf__free(btf);
	return (uint32_t)function;
}

/* An offset that no strings have. */
#define OUTSIDE 0x7fffffff

/* Checks the name of the symbol that the function's image has. */
static void check_name(uint32_t name_offset, const char *expected)
{
	struct strbuf types = STRBUF_INIT;
	uint32_t function_type = add_types(&types, name_offset);
	struct strbuf feature = make_feature(function_type, 1);
	struct bpf_programs programs = { .arch = &arch_x86_64 };
	struct elf_image *image;
	const struct symbol *symbol;
	size_t function;
	void *data;

	assert_true(bpf_programs_add(&programs, cursor_of(feature.data, feature.length, false)));
	assert_true(bpf_programs_add_btf(&programs, cursor_of(types.data, types.length, false)));
	assert_ptr_equal(bpf_programs_find(&programs, FUNCTION_ADDRESS, &function),
			 &programs.items[0]);
	assert_null(bpf_programs_find(&programs, FUNCTION_ADDRESS + 1, &function));
	/* libbpf 1.7 refuses types with such a name */
	_cleanup_error_ struct error *error =
		bpf_image_make(&programs.items[0], 0, programs.arch, "announced", &data, &image);

	if (error) {
		assert_int_equal(name_offset, OUTSIDE);
		assert_non_null(strstr(error->message, "is damaged"));
		bpf_programs_deinit(&programs);
		strbuf_deinit(&feature);
		strbuf_deinit(&types);
		return;
	}
	symbol = elf_image_function_at(image, FUNCTION_ADDRESS);
	assert_non_null(symbol);
	assert_string_equal(symbol->name, expected);
	elf_image_close(image);
	free(data);
	bpf_programs_deinit(&programs);
	strbuf_deinit(&feature);
	strbuf_deinit(&types);
}

static void a_function_has_its_written_name(void **state)
{
	(void)state;
	check_name(0, "written");
}

static void a_name_outside_of_the_strings_is_none(void **state)
{
	(void)state;
	check_name(OUTSIDE, "announced");
}

static void programs_that_do_not_fit_are_left_out(void **state)
{
	struct strbuf feature = make_feature(1, 1), beyond = make_feature(1, 1 << 20);
	struct bpf_programs programs = { .arch = &arch_x86_64 };

	(void)state;
	assert_false(bpf_programs_add(&programs, cursor_of(beyond.data, beyond.length, false)));
	for (size_t size = 0; size < feature.length; size++)
		assert_false(bpf_programs_add(&programs, cursor_of(feature.data, size, false)));
	assert_int_equal(programs.count, 0);
	bpf_programs_deinit(&programs);
	strbuf_deinit(&feature);
	strbuf_deinit(&beyond);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_function_has_its_written_name),
		cmocka_unit_test(a_name_outside_of_the_strings_is_none),
		cmocka_unit_test(programs_that_do_not_fit_are_left_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
