/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads JSON and checks it against a schema, with its own code, so that nothing must be installed.
 *
 * It knows these keywords of JSON Schema: $ref (to #/$defs/NAME), type, const, enum, required,
 * properties, additionalProperties (false or a schema), items, minimum. A schema with any other
 * keyword is an error, wherever it is.
 */
#pragma once

#include <stdbool.h>

#include "base/strbuf.h"

/* Returns whether a schema has only the keywords above, names only definitions that it has, and
 * requires only members that an object may have; if not, sets `problem`. */
bool json_schema_check(const char *schema, struct strbuf *problem);

/* Returns whether `text` is JSON that the schema allows; if not, sets `problem` to the place and
 * the reason. */
bool json_check(const char *text, const char *schema, struct strbuf *problem);
