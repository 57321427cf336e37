/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The keys themselves, one file a family, and what they share. Only for report/key*.c and report/layout.c.
 *
 * Widths, padding and the order of ties are those of perf 7.2's --stdio tables, which scripts read.
 */
#ifndef DTPROF_REPORT_KEYS_H
#define DTPROF_REPORT_KEYS_H

#include <string.h>

#include "report/key.h"

/* key_figure.c */
extern const struct key key_overhead, key_sample, key_period;
/* key_task.c */
extern const struct key key_comm, key_pid, key_tid, key_tgid, key_cpu;
/* key_place.c */
extern const struct key key_dso, key_symbol, key_symoff, key_source_line;
/* key_type.c */
extern const struct key key_type, key_typeoff, key_typecln, key_field, key_access, key_how;
/* key_memory.c */
extern const struct key key_level, key_snoop, key_tlb, key_locked, key_blocked;
/* key_weight.c */
extern const struct key key_local_weight, key_weight;

static inline int compare_numbers(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

/* Positive where `a` comes first in the alphabet; nothing (NULL) comes last. */
static inline int alphabetical(const char *a, const char *b)
{
	if (a == b)
		return 0;
	return !a || !b ? (a ? 1 : -1) : strcmp(b, a);
}

static inline uint64_t pointer_word(const void *pointer)
{
	return (uintptr_t)pointer;
}

static inline unsigned int text_width(const char *text)
{
	return text ? strlen(text) : 0;
}

static inline void add_padded(struct strbuf *buffer, unsigned int width, const char *text)
{
	strbuf_add_format(buffer, "%-*.*s", (int)width, (int)width, text ? text : "");
}

#endif
