/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Annotated types and code for programs, as Documentation/json.md and annotate.schema.json say. */
#ifndef DTPROF_REPORT_ANNOTATED_MACHINE_H
#define DTPROF_REPORT_ANNOTATED_MACHINE_H

#include "report/annotated.h"
#include "report/code_listing.h"
#include "report/json.h"

/* An element of the array that is open. */
void print_annotated_type_json(const struct annotated_type *type, const struct annotated_options *options,
			       struct json *json);
void print_code_listing_json(const struct code_listing *listing, struct json *json);

/* A line for each member; with `heading` first the names of the columns. */
void print_annotated_type_csv(const struct annotated_type *type, bool heading, struct strbuf *buffer);
/* A line for each instruction. */
void print_code_listing_csv(const struct code_listing *listing, bool heading, struct strbuf *buffer);

#endif
