/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The rules of dtprof check: statements on layouts that a build must keep.
 *
 *   # comment
 *   sizeof(client) <= 768
 *   offsetof(client, flags) == 8
 *   holes of client <= 16                         bytes
 *   client.flags in line 0                        or: in the first line
 *   client {id flags conn} within 2 lines         or: hot group {client.id ...} within 2 lines
 *   heat of client in <= 4 lines                  90 % of its samples; or: 95% of heat of ...
 *   heat of client {id flags} in <= 1 lines       the lines of the fields that have samples
 *   heat of tcp_sock.rx group in <= 4 lines       members from __cacheline_group_begin__rx
 *                                                 to __cacheline_group_end__rx
 *   no field of client written by two threads shares a line with a hot read
 *   sizeof(tcp_sock.rx group) <= 64               its bytes
 *   tcp_sock.rx group within 2 lines
 *   libz.so.1: sizeof(state) <= 96                the type of this object, not of others
 *
 * Types have the names that they have everywhere: "struct client", "Pair<int, char *>", "ns::In" or
 * "In", "main.Node". The first point ends a type's name unless no type has that name.
 *
 * Rules on heat and threads need a recording. They are broken only if the numbers of samples leave
 * no doubt, so that runs of the same program have the same verdict.
 */
#pragma once

#include "base/error.h"
#include "base/memory.h"

enum layout_rule_kind {
	CHECK_SIZE,   /* sizeof(type) OP number */
	CHECK_OFFSET, /* offsetof(type, fields[0]) OP number */
	CHECK_HOLES,  /* bytes of holes OP number */
	CHECK_LINE,   /* fields[0] in line `number` */
	CHECK_WITHIN, /* fields in at most `number` lines */
	/* `share` of the samples of the type, or of the fields, in at most `number` lines */
	CHECK_HEAT,
	/* no field that two threads write shares a line with one that is hot to read */
	CHECK_SHARING,
};

enum rule_comparison {
	COMPARE_AT_MOST,
	COMPARE_LESS,
	COMPARE_EQUAL,
	COMPARE_AT_LEAST,
	COMPARE_MORE
};

struct layout_rule {
	enum layout_rule_kind kind;
	unsigned int line;  /* in the file, from 1 */
	const char *text;   /* as it was written */
	const char *object; /* the file name of the object that has the type; NULL: any */
	const char *type;   /* NULL: all types (CHECK_SHARING) */
	const char **fields;
	size_t field_count;
	const char *group; /* of the cacheline group, in place of fields; NULL: none */
	enum rule_comparison comparison;
	uint64_t number;
	double share; /* CHECK_HEAT: 0 to 1 */
};

struct layout_rules {
	struct layout_rule *items;
	size_t count, capacity;
	struct arena arena; /* texts */
};

#define RULES_MAX    100000 /* rules of one file */
#define HEAT_SAMPLES 30     /* of a type; with fewer its heat is not judged */

/* Returns the text after a name's first part ("b" of "a.b"), or NULL; not in brackets. */
const char *layout_rule_after_point(const char *name);

/* Parses the text of a file. The error names `path`, the line and what is wrong with it. */
struct error *layout_rules_parse(const char *text, const char *path, struct layout_rules *rules);
void layout_rules_deinit(struct layout_rules *rules);

/* Returns whether the value compares with the rule's number as the rule says. */
bool layout_rule_holds(const struct layout_rule *rule, uint64_t value);
/* Returns whether the rule is about samples. */
bool layout_rule_needs_recording(const struct layout_rule *rule);
