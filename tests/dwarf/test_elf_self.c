// SPDX-License-Identifier: GPL-2.0-or-later
/* The running test and its C library: the image must agree with the dynamic linker. */
#include <dlfcn.h>
#include <link.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

#include <cmocka.h>

#include "dwarf/elf/image.h"
#include "base/parallel.h"
#include "tests/support/unit.h"

int self_variable[4] = { 1, 2, 3, 4 };
static __thread long self_thread_local = 5;
int *const self_pointer = &self_variable[1];

__attribute__((noinline)) int self_function(int number)
{
	return number + self_variable[number & 3];
}

struct loaded {
	const char *wanted; /* part of the name; "" for the program */
	uint64_t base;
	char path[4096];
	struct build_id build_id;
};

static int find_loaded(struct dl_phdr_info *info, size_t size, void *data)
{
	struct loaded *loaded = data;

	(void)size;
	if (loaded->wanted[0] ? !strstr(info->dlpi_name, loaded->wanted) : info->dlpi_name[0])
		return 0;
	loaded->base = info->dlpi_addr;
	snprintf(loaded->path, sizeof(loaded->path), "%s",
		 loaded->wanted[0] ? info->dlpi_name : "/proc/self/exe");
	for (size_t i = 0; i < info->dlpi_phnum && !loaded->build_id.size; i++)
		if (info->dlpi_phdr[i].p_type == PT_NOTE)
			build_id_from_notes((void *)(loaded->base + info->dlpi_phdr[i].p_vaddr),
					    info->dlpi_phdr[i].p_memsz, &loaded->build_id);
	return 1;
}

static struct elf_image *open_loaded(struct loaded *loaded)
{
	struct elf_image *image;
	struct error *error;

	assert_int_equal(dl_iterate_phdr(find_loaded, loaded), 1);
	error = elf_image_open(loaded->path, &image);
	if (error)
		fail_msg("%s", error->message);
	return image;
}

static void own_symbols_are_where_they_are(void **state)
{
	struct loaded loaded = { .wanted = "" };
	struct elf_image *image = open_loaded(&loaded);
	const struct symbol *symbol;
	struct elf_section section;

	(void)state;
	symbol = elf_image_function_at(image, (uint64_t)self_function + 1 - loaded.base);
	assert_non_null(symbol);
	assert_string_equal(symbol->name, "self_function");
	assert_int_equal(symbol->address + loaded.base, (uint64_t)self_function);
	assert_ptr_equal(elf_image_symbol_named(image, "self_function"), symbol);
	symbol = elf_image_object_at(image, (uint64_t)&self_variable[3] - loaded.base);
	assert_non_null(symbol);
	assert_string_equal(symbol->name, "self_variable");
	assert_true(symbol->size >= sizeof(self_variable)); /* sanitizers append bytes to it */
	assert_true(elf_image_section_at(image, (uint64_t)self_function - loaded.base, &section));
	assert_string_equal(section.name, ".text");
	assert_memory_equal(&loaded.build_id, elf_image_build_id(image), sizeof(struct build_id));
	elf_image_close(image);
}

static void constants_are_the_same_in_memory(void **state)
{
	struct loaded loaded = { .wanted = "" };
	struct elf_image *image = open_loaded(&loaded);
	uint64_t address = (uint64_t)&self_pointer - loaded.base;
	uint64_t value = 0;

	(void)state;
	assert_true(elf_image_read(image, address, &value, sizeof(value), true));
	assert_int_equal(value + loaded.base, (uint64_t)self_pointer);
	assert_false(elf_image_read(image, (uint64_t)self_variable - loaded.base, &value,
				    sizeof(value), true));
	elf_image_close(image);
}

/* x86-64 psABI: a variable of the program is at %fs:0 - (size of the block, rounded up) + offset.
 * AAPCS64: it is after the two words that the thread pointer points to. */
static void thread_local_offsets_lead_to_the_variable(void **state)
{
	struct loaded loaded = { .wanted = "" };
	struct elf_image *image = open_loaded(&loaded);
	uint64_t size, alignment, block;
	const struct symbol *symbol;

	(void)state;
	symbol = elf_image_symbol_named(image, "self_thread_local");
	assert_non_null(symbol);
	assert_true(elf_image_tls_segment(image, &size, &alignment));
#ifdef __x86_64__
	__asm__("mov %%fs:0, %0" : "=r"(block));
	block -= (size + alignment - 1) / alignment * alignment;
#else
	block = (uint64_t)__builtin_thread_pointer() + (16 > alignment ? 16 : alignment);
#endif
	assert_int_equal(block + symbol->address, (uint64_t)&self_thread_local);
	elf_image_close(image);
}

/* elf_image_slot() gives for the C library's pointers into itself what the dynamic linker has put
 * there. A symbol may have been found elsewhere, so only pointers without a symbol are certain. */
static void slots_hold_what_they_say(void **state)
{
	static const char *const names[] = { ".data.rel.ro", ".got" };
	struct loaded loaded = { .wanted = "libc.so" };
	struct elf_image *image = open_loaded(&loaded);
	struct elf_section section;
	size_t known = 0;

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		if (!elf_image_section_named(image, names[i], &section))
			continue;
		for (uint64_t slot = section.address; slot + 8 <= section.address + section.size;
		     slot += 8) {
			uint64_t target;
			const char *name;

			if (!elf_image_slot(image, slot, &name, &target) || name || !target)
				continue;
			assert_int_equal(target + loaded.base,
					 *(const uint64_t *)(slot + loaded.base));
			known++;
		}
	}
	assert_int_not_equal(known, 0);
	elf_image_close(image);
}

/* Compares with the dynamic linker's own search. */
static void exported_functions_of_libc(void **state)
{
	static const char *const names[] = { "malloc", "free",   "qsort",   "fopen",
					     "strtol", "getenv", "snprintf" };
	struct loaded loaded = { .wanted = "libc.so" };
	struct elf_image *image = open_loaded(&loaded);

	(void)state;
	assert_memory_equal(&loaded.build_id, elf_image_build_id(image), sizeof(struct build_id));
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const struct symbol *symbol = elf_image_symbol_named(image, names[i]);
		void *library = dlopen(loaded.path, RTLD_NOLOAD | RTLD_LAZY);

		assert_non_null(symbol);
		assert_non_null(library);
		assert_int_equal(symbol->address + loaded.base, (uint64_t)dlsym(library, names[i]));
		assert_non_null(elf_image_function_at(image, symbol->address));
		dlclose(library);
	}
	elf_image_close(image);
}

/* The kernel's vdso is only in memory, and has no file. */
static void the_vdso_is_an_image_in_memory(void **state)
{
	const uint8_t *data = (const uint8_t *)getauxval(AT_SYSINFO_EHDR);
	struct elf_image *image;
	struct error *error;
	Elf64_Ehdr header;
	const struct symbol *symbol;

	(void)state;
	if (!data)
		skip_because("the kernel maps no vdso");
	memcpy(&header, data, sizeof(header));
	error = elf_image_open_memory(data, header.e_shoff + header.e_shnum * sizeof(Elf64_Shdr),
				      "[vdso]", &image);
	if (error)
		fail_msg("%s", error->message);
	symbol = elf_image_symbol_named(image, "__vdso_clock_gettime");
	assert_non_null(symbol);
	assert_string_equal(elf_image_function_at(image, symbol->address)->name,
			    "__vdso_clock_gettime");
	elf_image_close(image);
}

/* The image that all threads walk over, and each thread's walk folded into a number. */
struct walk {
	const struct elf_image *image;
	uint64_t sums[8];
};

static void walk(size_t item, unsigned int thread, void *data)
{
	struct walk *all = data;
	size_t count;
	const struct symbol *symbols = elf_image_symbols(all->image, &count);
	uint64_t sum = count;

	(void)thread;
	for (size_t i = 0; i < count; i++) {
		const struct symbol *symbol = elf_image_function_at(all->image, symbols[i].address);
		const char *name;
		uint64_t target;

		sum = sum * 31 +
		      (symbol ? symbol->address + symbol->size + strlen(symbol->name) : 1);
		sum = sum * 31 +
		      (elf_image_slot(all->image, symbols[i].address, &name, &target) ? target : 2);
		sum = sum * 31 + (elf_image_plt_import(all->image, symbols[i].address) ? 3 : 4);
	}
	all->sums[item] = sum;
}

static void all_threads_see_the_same(void **state)
{
	struct loaded loaded = { .wanted = "libc.so" };
	struct walk together = { .image = open_loaded(&loaded) };
	struct walk alone = { .image = open_loaded(&loaded) };

	(void)state;
	walk(0, 0, &alone);
	parallel_for(8, 8, walk, &together);
	for (size_t i = 0; i < 8; i++)
		assert_int_equal(together.sums[i], alone.sums[0]);
	elf_image_close((struct elf_image *)together.image);
	elf_image_close((struct elf_image *)alone.image);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(own_symbols_are_where_they_are),
		cmocka_unit_test(constants_are_the_same_in_memory),
		cmocka_unit_test(thread_local_offsets_lead_to_the_variable),
		cmocka_unit_test(slots_hold_what_they_say),
		cmocka_unit_test(exported_functions_of_libc),
		cmocka_unit_test(the_vdso_is_an_image_in_memory),
		cmocka_unit_test(all_threads_see_the_same),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
