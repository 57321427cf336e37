/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * JSON read and checked against a schema, with code of its own, so that nothing must be installed.
 *
 * Of JSON Schema it knows $ref (to #/$defs/NAME), type, const, enum, required, properties,
 * additionalProperties (false), items, minimum; a schema with another keyword fails, so that
 * nothing is passed over in silence.
 */
#ifndef DTPROF_TESTS_JSON_CHECK_H
#define DTPROF_TESTS_JSON_CHECK_H

#include <stdbool.h>

#include "profiler/base/strbuf.h"

/* Whether `text` is JSON, and what the schema says; else `problem` has where and what. */
bool json_check(const char *text, const char *schema, struct strbuf *problem);

#endif
