// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/key/key.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "profiler/base/words.h"
#include "report/key/keys.h"

/* clang-format off */
const struct key *const all_keys[] = {
	&key_overhead,
	&key_children,
	&key_latency_share,
	&key_latency_children,
	&key_system,
	&key_user,
	&key_guest_system,
	&key_guest_user,
	&key_sample,
	&key_period,
	&key_weight1,
	&key_weight2,
	&key_weight3,
	&key_mean_stage,
	&key_pid,
	&key_comm,
	&key_comm_nodigit,
	&key_dso,
	&key_symbol,
	&key_cpu,
	&key_parallelism,
	&key_tid,
	&key_tgid,
	&key_source_line,
	&key_source_file,
	&key_language,
	&key_socket,
	&key_time,
	&key_address,
	&key_code_page_size,
	&key_transaction,
	&key_cgroup,
	&key_cgroup_id,
	&key_simd,
	&key_local_weight,
	&key_weight,
	&key_local_latency,
	&key_latency,
	&key_local_retire,
	&key_retire,
	&key_local_stage,
	&key_stage,
	&key_type,
	&key_typeoff,
	&key_symoff,
	&key_trace_text,
	&key_symbol_size,
	&key_dso_size,
	&key_parent,
	&key_typecln,
	&key_field,
	&key_access,
	&key_how,
	&key_blame,
	&key_level,
	&key_snoop,
	&key_tlb,
	&key_locked,
	&key_blocked,
	&key_data_symbol,
	&key_data_dso,
	&key_data_cacheline,
	&key_code_symbol,
	&key_physical_address,
	&key_data_page_size,
	&key_breakdown_operations,
	&key_breakdown_caches,
	&key_breakdown_memories,
	&key_breakdown_snoops,
	&key_breakdown_tlbs,
	NULL,
};
/* clang-format on */

static bool is_name_of(const struct key *key, const char *name, size_t length)
{
	return (!strncasecmp(key->name, name, length) && !key->name[length]) ||
	       (key->alias && !strncasecmp(key->alias, name, length) && !key->alias[length]);
}

/* One name may be that of a figure and of an attribute. */
static const struct key *named_key(const char *name, size_t length, bool figures_first)
{
	const struct key *found = NULL;

	for (const struct key *const *key = all_keys; *key; key++)
		if (is_name_of(*key, name, length) && (!found || !(*key)->identity == figures_first))
			found = *key;
	return found;
}

struct error *key_find(const char *name, size_t length, const char *option, bool figures_first,
		       const struct key *const *more, const struct key **result)
{
	for (; more && *more; more++)
		if (is_name_of(*more, name, length)) {
			*result = *more;
			return NULL;
		}
	*result = named_key(name, length, figures_first);
	if (*result)
		return NULL;
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
