// SPDX-License-Identifier: GPL-2.0-or-later
/* Implements capstone.h. */
#include "disasm/capstone.h"

#include <pthread.h>
#include <stdio.h>

#include "base/library.h"
#include "base/memory.h"

#ifndef CAPSTONE_LINKED
#include <dlfcn.h>

/* The library whose header this is: others have other numbers of instructions. */
#define NAME_OF(major)      "libcapstone.so." #major
#define NAME_OF_MAJOR(text) NAME_OF(text)
#define CAPSTONE_LIBRARY    NAME_OF_MAJOR(CS_API_MAJOR)
#endif

static struct capstone library;

static void find_functions(void)
{
#ifdef CAPSTONE_LINKED
#define FIND_FUNCTION(name) library.name = cs_##name;
	CAPSTONE_FUNCTIONS(FIND_FUNCTION)
#else
#define FIND_FUNCTION(name)                                                                        \
	library.name = (__typeof__(cs_##name) *)dlsym(handle, "cs_" #name);                        \
	complete &= library.name != NULL;
	void *handle = library_memory(dlopen(CAPSTONE_LIBRARY, RTLD_LAZY | RTLD_NODELETE));
	bool complete = handle != NULL;

	if (handle) {
		CAPSTONE_FUNCTIONS(FIND_FUNCTION)
		dlclose(handle);
		libraries_drop_relocations();
	}
	if (!complete)
		end_without_library(CAPSTONE_LIBRARY
				    ", which decodes instructions, is not installed");
#endif
}

/* capstone 4 writes to what it allocates without a check. */
static void check_memory(void)
{
	cs_opt_mem functions = { xmalloc, xcalloc, xrealloc, free, vsnprintf };

	library.option(0, CS_OPT_MEM, (size_t)&functions);
}

/* capstone 4 sorts tables of its own when the first instruction is decoded, without a lock. */
static void decode_first(void)
{
	static const uint8_t nop[] = { 0x90 };
	const uint8_t *bytes = nop;
	size_t size = sizeof(nop);
	uint64_t address = 0;
	csh handle;

	if (library.open(CS_ARCH_X86, CS_MODE_64, &handle) != CS_ERR_OK)
		return;
	library.option(handle, CS_OPT_DETAIL, CS_OPT_ON);
	cs_insn *insn = library.malloc(handle);

	library.disasm_iter(handle, &bytes, &size, &address, insn);
	library.free(insn, 1);
	library.close(&handle);
}

static void load(void)
{
	find_functions();
	if (library.support(CS_SUPPORT_DIET))
		end_without_library(
			"the capstone library is built without texts: install libcapstone");
	check_memory();
	decode_first();
}

const struct capstone *capstone(void)
{
	static pthread_once_t loaded = PTHREAD_ONCE_INIT;

	pthread_once(&loaded, load);
	return &library;
}
