// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/key.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "profiler/base/nearest.h"
#include "report/keys.h"

/* clang-format off */
const struct key *const all_keys[] = {
	&key_overhead,
	&key_sample,
	&key_period,
	&key_pid,
	&key_comm,
	&key_dso,
	&key_symbol,
	&key_cpu,
	&key_tid,
	&key_tgid,
	&key_source_line,
	&key_local_weight,
	&key_weight,
	&key_type,
	&key_typeoff,
	&key_symoff,
	&key_typecln,
	&key_field,
	&key_access,
	&key_how,
	&key_level,
	&key_snoop,
	&key_tlb,
	&key_locked,
	&key_blocked,
	NULL,
};
/* clang-format on */

struct error *key_find(const char *name, size_t length, const char *option, const struct key **result)
{
	for (const struct key *const *key = all_keys; *key; key++)
		if ((!strncasecmp((*key)->name, name, length) && !(*key)->name[length]) ||
		    ((*key)->alias && !strncasecmp((*key)->alias, name, length) && !(*key)->alias[length])) {
			*result = *key;
			return NULL;
		}
	for (const struct key *const *key = all_keys; *key && length; key++)
		if (!strncasecmp((*key)->name, name, length)) {
			*result = *key;
			return NULL;
		}

	char word[65];
	struct nearest nearest = { .word = word };

	snprintf(word, sizeof(word), "%.*s", (int)(length < 64 ? length : 64), name);
	for (const struct key *const *key = all_keys; *key; key++) {
		nearest_consider(&nearest, (*key)->name);
		if ((*key)->alias)
			nearest_consider(&nearest, (*key)->alias);
	}
	if (nearest.best)
		return error_create(ERROR_OTHER, "unknown %s key '%s'; did you mean '%s'?", option, word,
				    nearest.best);
	return error_create(ERROR_OTHER, "unknown %s key '%s' (dtprof report --help lists them)", option,
			    word);
}
