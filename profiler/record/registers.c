// SPDX-License-Identifier: GPL-2.0-or-later
/* Registers in samples: see registers.h. */
#include "profiler/record/registers.h"

#include <asm/perf_regs.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "profiler/base/memory.h"
#include "profiler/base/strbuf.h"

struct register_name {
	const char *name;
	unsigned int bit;
};

#if defined(__x86_64__)
/* The kernel refuses the segment registers DS to GS in 64-bit samples. */
static const struct register_name register_names[] = {
	{ "AX", PERF_REG_X86_AX },       { "BX", PERF_REG_X86_BX },   { "CX", PERF_REG_X86_CX },
	{ "DX", PERF_REG_X86_DX },       { "SI", PERF_REG_X86_SI },   { "DI", PERF_REG_X86_DI },
	{ "BP", PERF_REG_X86_BP },       { "SP", PERF_REG_X86_SP },   { "IP", PERF_REG_X86_IP },
	{ "FLAGS", PERF_REG_X86_FLAGS }, { "CS", PERF_REG_X86_CS },   { "SS", PERF_REG_X86_SS },
	{ "R8", PERF_REG_X86_R8 },       { "R9", PERF_REG_X86_R9 },   { "R10", PERF_REG_X86_R10 },
	{ "R11", PERF_REG_X86_R11 },     { "R12", PERF_REG_X86_R12 }, { "R13", PERF_REG_X86_R13 },
	{ "R14", PERF_REG_X86_R14 },     { "R15", PERF_REG_X86_R15 },
};
#elif defined(__aarch64__)
static const struct register_name register_names[] = {
	{ "x0", 0 },   { "x1", 1 },   { "x2", 2 },   { "x3", 3 },   { "x4", 4 },   { "x5", 5 },
	{ "x6", 6 },   { "x7", 7 },   { "x8", 8 },   { "x9", 9 },   { "x10", 10 }, { "x11", 11 },
	{ "x12", 12 }, { "x13", 13 }, { "x14", 14 }, { "x15", 15 }, { "x16", 16 }, { "x17", 17 },
	{ "x18", 18 }, { "x19", 19 }, { "x20", 20 }, { "x21", 21 }, { "x22", 22 }, { "x23", 23 },
	{ "x24", 24 }, { "x25", 25 }, { "x26", 26 }, { "x27", 27 }, { "x28", 28 }, { "x29", 29 },
	{ "lr", 30 },  { "sp", 31 },  { "pc", 32 },
};
#else
#error "the registers of this architecture's samples are not listed here (asm/perf_regs.h has them)"
#endif

#define REGISTER_COUNT (sizeof(register_names) / sizeof(*register_names))

uint64_t registers_general(void)
{
	uint64_t mask = 0;

	for (size_t i = 0; i < REGISTER_COUNT; i++)
		mask |= 1ULL << register_names[i].bit;
	return mask;
}

char *registers_names(void)
{
	struct strbuf names = STRBUF_INIT;

	for (size_t i = 0; i < REGISTER_COUNT; i++)
		strbuf_add_format(&names, "%s%s", i ? " " : "", register_names[i].name);
	return strbuf_detach(&names);
}

static bool find_register(const char *name, uint64_t *mask)
{
	for (size_t i = 0; i < REGISTER_COUNT; i++) {
		if (strcasecmp(register_names[i].name, name) == 0) {
			*mask |= 1ULL << register_names[i].bit;
			return true;
		}
	}
	return false;
}

struct error *registers_parse(const char *list, uint64_t *mask)
{
	_cleanup_free_ char *copy = xstrdup(list ? list : "");
	uint64_t wanted = 0;
	char *save = NULL;

	if (!list) {
		*mask = registers_general();
		return NULL;
	}
	for (char *name = strtok_r(copy, ",", &save); name; name = strtok_r(NULL, ",", &save)) {
		_cleanup_free_ char *names = registers_names();

		if (!find_register(name, &wanted))
			return error_create(ERROR_NOT_FOUND, "unknown register '%s'; there are: %s", name,
					    names);
	}
	if (!wanted)
		return error_create(ERROR_OTHER, "no register is given");
	*mask = wanted;
	return NULL;
}
