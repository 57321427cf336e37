/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where types are from that are not from DWARF: said once, in the header of what is printed. */
#ifndef DTPROF_COMMANDS_TYPE_SOURCE_H
#define DTPROF_COMMANDS_TYPE_SOURCE_H

#include "profiler/base/strbuf.h"
#include "profiler/ingest/session.h"

/* A comment line for each object whose types come from BTF, with the files that its types, code and symbols
 * were read from. After samples were resolved. */
void type_source_text(const struct session *session, struct strbuf *buffer);

/* The same, to standard output. */
void print_type_source(const struct session *session);

/* "[kernel.kallsyms]", or with BTF "[kernel.kallsyms] [btf]"; interned in `names`. */
const char *type_source_object(const struct dso *dso, struct arena *names);

#endif
