// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The declarations that BTF has for one object: the operations of dwarf/types/operations.h, as far
 * as BTF has an answer.
 *
 * BTF has no addresses except those of variables in sections. Functions are found by name through
 * the object's symbols. So nothing is known of functions that share a name, and the arguments of a
 * clone that the compiler made for itself (.isra, .constprop, .part) are not known.
 */

#include <linux/btf.h>

#include "dwarf/btf/btf_private.h"
#include "dwarf/types/operations.h"
#include "base/parallel.h"
#include "base/memory.h"
#include "base/text.h"

/*
 * ---- inlined calls
 *
 * The places of inlined calls (BTF_KIND_LOCSEC of linux-next): for each its address, the function,
 * and where its arguments are. A call becomes a scope of one address with the arguments as
 * variables, which are where BTF says when the address is reached; data flow goes on from there.
 *
 * The records are in .BTF, or in a file that continues it: .BTF.inline, in older versions
 * .BTF.extra.
 */

/* The bits of a BTF_KIND_LOC_PARAM: its first word. The register and an offset follow. */
enum { ARGUMENT_SIGNED = 1, ARGUMENT_REGISTER = 8, ARGUMENT_DEREF = 16, ARGUMENT_OFFSET = 32 };

/* More registers have no number here; the frame's base is one of them. */
#define REGISTERS_MAX 254

COMPARISON(compare_inlined, struct btf_inlined, ASCENDING(address) ASCENDING(function))

/* Adds the calls of one section: ".text", or "inline.text". */
static void add_calls(const struct elf_image *image, struct btf_record *record,
		      struct btf_inlined_calls *calls)
{
	const char *name = record->name ?: "";
	struct elf_section section;

	if (starts_with(name, "inline."))
		name += strlen("inline");
	if (!elf_image_section_named(image, name, &section))
		return;
	for (uint32_t i = 0; i < record->count; i++) {
		struct btf_inlined call = { .function = cursor_u32(&record->rest),
					    .locations = cursor_u32(&record->rest) };
		uint32_t offset = cursor_u32(&record->rest);

		call.address = section.address + offset;
		if (offset < section.size)
			array_add(calls->items, calls->count, calls->capacity) = call;
	}
}

static void btf_inlined_find(const struct elf_image *image, const struct btf *btf,
			     struct btf_inlined_calls *calls)
{
	struct btf_record record;

	calls->file = btf->inlined ?: btf->file;
	for (uint32_t id = btf_file_first(calls->file); id < btf_file_end(calls->file); id++)
		if (btf_record_at(calls->file, id, &record) && record.kind == KIND_LOCSEC)
			add_calls(image, &record, calls);
	array_sort(calls->items, calls->count, compare_inlined);
}

/* Reads where an argument is. False: it is a constant, or in several registers, or not known. */
static bool read_argument(const struct btf_file *file, uint32_t id, struct location *location)
{
	struct btf_record record;

	if (!id || !btf_record_at(file, id, &record) || record.kind != KIND_LOC_PARAM)
		return false;
	uint32_t flags = cursor_u32(&record.rest) & ~(uint32_t)ARGUMENT_SIGNED;
	uint32_t reg = record.count ? cursor_u32(&record.rest) : UINT32_MAX;
	bool offset = flags & ARGUMENT_OFFSET;

	if (!(flags & ARGUMENT_REGISTER) || reg > REGISTERS_MAX || record.count != 1U + offset ||
	    flags & ~(uint32_t)(ARGUMENT_REGISTER | ARGUMENT_DEREF | ARGUMENT_OFFSET))
		return false;
	location->reg = (uint8_t)reg;
	location->offset = offset ? (int32_t)cursor_u32(&record.rest) : 0;
	location->kind = flags & ARGUMENT_DEREF ? LOCATION_MEMORY
			 : offset               ? LOCATION_REGISTER_VALUE
						: LOCATION_REGISTER;
	return true;
}

/* The scopes and the variables of a function, as they are made. */
struct call_scopes {
	struct scope *scopes;
	size_t scope_count, scope_capacity;
	struct variable *variables;
	size_t variable_count, variable_capacity;
};

/* Adds a call and those of its arguments that have a place. */
static void add_call_scope(struct btf_types *types, const struct btf_inlined_calls *calls,
			   const struct btf_inlined *call, struct arena *arena,
			   struct call_scopes *all)
{
	struct address_range range = { call->address, call->address + 1 };
	struct btf_record function, prototype, locations;
	struct btf_item parameter;

	if (!btf_record_at(calls->file, call->function, &function) ||
	    !btf_record_at(calls->file, function.type, &prototype) ||
	    prototype.kind != BTF_KIND_FUNC_PROTO ||
	    !btf_record_at(calls->file, call->locations, &locations) ||
	    locations.kind != KIND_LOC_PROTO)
		return;
	array_add(all->scopes, all->scope_count, all->scope_capacity) =
		(struct scope){ .depth = 1,
				.inlined = true,
				.name = function.name,
				.ranges = arena_copy(arena, &range, sizeof(range)),
				.range_count = 1 };
	for (uint32_t i = 0; i < locations.count && btf_record_next(&prototype, &parameter); i++) {
		struct location location = { .low = range.low, .high = range.high };

		/* types of arguments are in .BTF itself */
		if (!read_argument(calls->file, cursor_u32(&locations.rest), &location) ||
		    !parameter.type || parameter.type >= btf_file_end(types->btf->file))
			continue;
		array_add(all->variables, all->variable_count, all->variable_capacity) =
			(struct variable){ .name = parameter.name,
					   .type = btf_type(types, parameter.type),
					   .scope = (uint32_t)all->scope_count - 1,
					   .flags = VARIABLE_PARAMETER,
					   .parameter_index = i,
					   .locations =
						   arena_copy(arena, &location, sizeof(location)),
					   .location_count = 1 };
	}
}

/* Adds the calls in a function, which has one scope and no variables, and their arguments. */
static void btf_inlined_add(struct btf_types *types, const struct btf_inlined_calls *calls,
			    struct function *function)
{
	struct call_scopes all = { 0 };

	array_add(all.scopes, all.scope_count, all.scope_capacity) = function->scopes[0];
	array_each (const struct address_range, range, function->ranges, function->range_count)
		for (size_t i = partition_point(0, calls->count, k,
						calls->items[k].address < range->low);
		     i < calls->count && calls->items[i].address < range->high; i++)
			add_call_scope(types, calls, &calls->items[i], &function->arena, &all);
	function->scopes =
		arena_copy(&function->arena, all.scopes, all.scope_count * sizeof(*all.scopes));
	function->scope_count = all.scope_count;
	function->variables = arena_copy(&function->arena, all.variables,
					 all.variable_count * sizeof(*all.variables));
	function->variable_count = all.variable_count;
	free_all(all.scopes, all.variables);
}

struct btf_variable {
	uint64_t address, size;
	uint32_t id; /* of its BTF_KIND_VAR */
};

struct btf_object {
	struct debug_object base;
	const struct elf_image *image;
	const struct btf *btf;
	struct btf_types types;
	/* id of BTF_KIND_FUNC * 2 + whether it is of a clone -> struct prototype */
	struct concurrent_map prototypes;
	bool is_kernel;                 /* the object is a vmlinux */
	struct btf_variable *variables; /* sorted by address */
	size_t variable_count;
	struct btf_inlined_calls inlined;
	/* hash of a function symbol's name -> 2 * its index, + 1 if other addresses have it, too */
	struct hash_map symbols;
};

static struct btf_object *btf_object_of(const struct debug_reader *reader)
{
	return (struct btf_object *)reader->object; /* `base` is its first member */
}

/*
 * ---- variables that only kernel headers declare ----
 *
 * pahole describes only per-cpu variables unless it is asked for all. These are declared in the
 * kernel's headers: types in C, with gcc's names of integers. An array ends in "[]" and is as long
 * as the variable.
 */

/* As gcc names it; clang says "unsigned long". */
#define UNSIGNED_LONG "long unsigned int"

/* Sorted by name. Each declaration has been the same for years; the comment names its header. */
static const struct {
	const char *name;
	const char *type;
} variables[] = {
	{ "__cpu_active_mask", "struct cpumask" },     /* linux/cpumask.h */
	{ "__cpu_online_mask", "struct cpumask" },     /* linux/cpumask.h */
	{ "__cpu_possible_mask", "struct cpumask" },   /* linux/cpumask.h */
	{ "__cpu_present_mask", "struct cpumask" },    /* linux/cpumask.h */
	{ "__default_kernel_pte_mask", "pteval_t" },   /* arch/x86/include/asm/pgtable_types.h */
	{ "__num_online_cpus", "atomic_t" },           /* linux/cpumask.h */
	{ "__per_cpu_offset", UNSIGNED_LONG "[]" },    /* asm-generic/percpu.h */
	{ "__supported_pte_mask", "pteval_t" },        /* arch/x86/include/asm/pgtable_types.h */
	{ "_totalram_pages", "atomic_long_t" },        /* linux/mm.h */
	{ "acpi_gbl_FADT", "struct acpi_table_fadt" }, /* acpi/acpixf.h */
	{ "apic", "struct apic*" },                    /* arch/x86/include/asm/apic.h */
	{ "apparmor_blob_sizes", "struct lsm_blob_sizes" }, /* security/apparmor/include/lib.h */
	{ "arp_tbl", "struct neigh_table" },                /* net/arp.h */
	{ "blackhole_netdev", "struct net_device*" },       /* linux/netdevice.h */
	{ "blockdev_superblock", "struct super_block*" },   /* linux/fs.h */
	{ "boot_cpu_data", "struct cpuinfo_x86" },          /* arch/x86/include/asm/processor.h */
	{ "cgrp_dfl_root", "struct cgroup_root" },          /* linux/cgroup.h */
	{ "contig_page_data", "struct pglist_data" },       /* linux/mmzone.h */
	{ "cpu_khz", "unsigned int" },                      /* arch/x86/include/asm/tsc.h */
	{ "def_root_domain", "struct root_domain" },        /* linux/sched.h */
	{ "futex_q_init", "struct futex_q" },               /* kernel/futex/futex.h */
	{ "gfp_allowed_mask", "gfp_t" },                    /* linux/gfp.h */
	{ "highest_memmap_pfn", UNSIGNED_LONG },            /* mm/internal.h */
	{ "huge_zero_folio", "struct folio*" },             /* linux/huge_mm.h */
	{ "huge_zero_page", "struct page*" },               /* linux/huge_mm.h */
	{ "huge_zero_pfn", UNSIGNED_LONG },                 /* linux/huge_mm.h */
	{ "inet_dgram_ops", "struct proto_ops" },           /* net/inet_common.h */
	{ "inet_stream_ops", "struct proto_ops" },          /* net/inet_common.h */
	{ "init_cgroup_ns", "struct cgroup_namespace" },    /* linux/cgroup.h */
	{ "init_cred", "struct cred" },                     /* linux/init_task.h */
	{ "init_css_set", "struct css_set" },               /* linux/cgroup.h */
	{ "init_files", "struct files_struct" },            /* linux/fdtable.h */
	{ "init_fs", "struct fs_struct" },                  /* linux/fs_struct.h */
	{ "init_ipc_ns", "struct ipc_namespace" },          /* linux/ipc_namespace.h */
	{ "init_mm", "struct mm_struct" },                  /* linux/mm_types.h */
	{ "init_net", "struct net" },                       /* net/net_namespace.h */
	{ "init_nsproxy", "struct nsproxy" },               /* linux/init_task.h */
	{ "init_pid_ns", "struct pid_namespace" },          /* linux/pid.h */
	{ "init_task", "struct task_struct" },              /* linux/sched/task.h */
	{ "init_time_ns", "struct time_namespace" },        /* linux/time_namespace.h */
	{ "init_user_ns", "struct user_namespace" },        /* linux/cred.h */
	{ "init_uts_ns", "struct uts_namespace" },          /* linux/uts_namespace.h */
	{ "iomem_resource", "struct resource" },            /* linux/ioport.h */
	{ "ioport_resource", "struct resource" },           /* linux/ioport.h */
	{ "ipv6_stub", "struct ipv6_stub*" },               /* net/ipv6_stubs.h */
	{ "jiffies", UNSIGNED_LONG },                       /* linux/jiffies.h */
	{ "jiffies_64", "u64" },                            /* linux/jiffies.h */
	{ "kmalloc_caches", "struct kmem_cache*[]" },       /* linux/slab.h */
	{ "max_pfn", UNSIGNED_LONG },                       /* linux/memblock.h */
	{ "mem_section", "struct mem_section**" },          /* linux/mmzone.h, on x86-64 */
	{ "mmap_min_addr", UNSIGNED_LONG },                 /* linux/security.h */
	{ "mount_lock", "seqlock_t" },                      /* fs/mount.h */
	{ "names_cachep", "struct kmem_cache*" },           /* linux/fs.h */
	{ "node_data", "struct pglist_data*[]" },           /* asm/mmzone.h */
	{ "node_states", "nodemask_t[]" },                  /* linux/nodemask.h */
	{ "nr_cpu_ids", "unsigned int" },                   /* linux/cpumask.h */
	{ "nr_node_ids", "unsigned int" },                  /* linux/nodemask.h */
	{ "nr_swap_pages", "atomic_long_t" },               /* linux/swap.h */
	{ "oops_in_progress", "int" },                      /* linux/printk.h */
	{ "page_group_by_mobility_disabled", "int" },       /* linux/mmzone.h */
	{ "page_offset_base", UNSIGNED_LONG },              /* arch/x86/include/asm/page_64.h */
	{ "percpu_counter_batch", "int" },                  /* linux/percpu_counter.h */
	{ "pgdir_shift", "unsigned int" },   /* arch/x86/include/asm/pgtable_64_types.h */
	{ "phys_base", UNSIGNED_LONG },      /* arch/x86/include/asm/page_64.h */
	{ "physical_mask", "phys_addr_t" },  /* arch/x86/include/asm/page_types.h */
	{ "policy_zone", "enum zone_type" }, /* linux/mempolicy.h */
	{ "ptrs_per_p4d", "unsigned int" },  /* arch/x86/include/asm/pgtable_64_types.h */
	{ "pv_ops", "struct paravirt_patch_template" }, /* arch/x86/include/asm/paravirt_types.h */
	{ "rename_lock", "seqlock_t" },                 /* linux/dcache.h */
	{ "root_mem_cgroup", "struct mem_cgroup*" },    /* linux/memcontrol.h */
	{ "root_task_group", "struct task_group" },     /* kernel/sched/sched.h */
	{ "root_user", "struct user_struct" },          /* linux/sched/user.h */
	{ "security_hook_heads", "struct security_hook_heads" }, /* linux/lsm_hooks.h */
	{ "selinux_blob_sizes", "struct lsm_blob_sizes" }, /* security/selinux/include/objsec.h */
	{ "selinux_state", "struct selinux_state" },       /* security/selinux/include/security.h */
	{ "sme_me_mask", "u64" },                          /* arch/x86/include/asm/mem_encrypt.h */
	{ "stack_guard_gap", UNSIGNED_LONG },              /* linux/mm.h */
	{ "static_key_initialized", "bool" },              /* linux/jump_label.h */
	{ "sysctl_max_map_count", "int" },                 /* linux/mm.h */
	{ "sysctl_overcommit_memory", "int" },             /* linux/mman.h */
	{ "system_highpri_wq", "struct workqueue_struct*" }, /* linux/workqueue.h */
	{ "system_long_wq", "struct workqueue_struct*" },    /* linux/workqueue.h */
	{ "system_state", "enum system_states" },            /* linux/kernel.h */
	{ "system_unbound_wq", "struct workqueue_struct*" }, /* linux/workqueue.h */
	{ "system_wq", "struct workqueue_struct*" },         /* linux/workqueue.h */
	{ "tasklist_lock", "rwlock_t" },                     /* linux/sched/task.h */
	{ "tcp_hashinfo", "struct inet_hashinfo" },          /* net/tcp.h */
	{ "tcp_memory_allocated", "atomic_long_t" },         /* net/tcp.h */
	{ "tcp_memory_pressure", UNSIGNED_LONG },            /* net/tcp.h */
	{ "tcp_prot", "struct proto" },                      /* net/tcp.h */
	{ "tcpv6_prot", "struct proto" },                    /* net/transp_v6.h */
	{ "total_swap_pages", "long int" },                  /* linux/swap.h */
	{ "transparent_hugepage_flags", UNSIGNED_LONG },     /* linux/huge_mm.h */
	{ "tsc_khz", "unsigned int" },                       /* arch/x86/include/asm/tsc.h */
	{ "udp_prot", "struct proto" },                      /* net/udp.h */
	{ "udp_table", "struct udp_table" },                 /* net/udp.h */
	{ "vm_committed_as", "struct percpu_counter" },      /* linux/mman.h */
	{ "vm_node_stat", "atomic_long_t[]" },               /* linux/vmstat.h */
	{ "vm_zone_stat", "atomic_long_t[]" },               /* linux/vmstat.h */
	{ "vmalloc_base", UNSIGNED_LONG },                   /* arch/x86/include/asm/page_64.h */
	{ "vmemmap_base", UNSIGNED_LONG },                   /* arch/x86/include/asm/page_64.h */
	{ "x86_platform", "struct x86_platform_ops" },       /* arch/x86/include/asm/x86_init.h */
	{ "x86_pmu", "struct x86_pmu" },                     /* arch/x86/events/perf_event.h */
	{ "zero_pfn", UNSIGNED_LONG },                       /* linux/pgtable.h */
};

static const char *kernel_type_of(const char *name)
{
	const size_t count = COUNT_OF(variables);
	size_t found = partition_point(0, count, i, strcmp(variables[i].name, name) < 0);

	return found < count && strcmp(variables[found].name, name) == 0 ? variables[found].type
									 : NULL;
}

/* Kinds that a reader of reports may name. */
#define NAMED_KINDS                                                                                \
	(1u << BTF_KIND_STRUCT | 1u << BTF_KIND_UNION | 1u << BTF_KIND_ENUM | 1u << KIND_ENUM64 |  \
	 1u << BTF_KIND_TYPEDEF)

/* ---- functions: address from the symbol, prototype from the BTF_KIND_FUNC of its name ---- */

#define COLD_PART ".cold"

static uint64_t name_key(const char *name)
{
	return hash_bytes(name, strlen(name));
}

static void count_names(struct btf_object *object)
{
	size_t count;
	const struct symbol *symbols = elf_image_symbols(object->image, &count);
	bool created;

	for (size_t i = 0; i < count; i++) {
		if (!symbol_is_function(&symbols[i]))
			continue;

		uint32_t *known =
			hash_map_insert(&object->symbols, name_key(symbols[i].name), &created);

		/* two symbols of one name at one address are one function: of two symbol tables */
		if (created)
			*known = (uint32_t)i * 2;
		else if (symbols[*known / 2].address != symbols[i].address)
			*known |= 1;
	}
}

/* True if functions at several addresses have this name. */
static bool is_ambiguous(const struct btf_object *object, const char *name)
{
	const uint32_t *known = hash_map_find(&object->symbols, name_key(name));

	return known && *known & 1;
}

static bool has_function(const struct btf_object *object, const char *name)
{
	return hash_map_find(&object->symbols, name_key(name));
}

/* Returns the name without the suffix that the compiler added; to be freed. */
static char *written_name(const char *symbol_name)
{
	return xstrndup(symbol_name, strcspn(symbol_name, "."));
}

/* True for a clone, whose arguments the compiler chose. A static function that link-time
 * optimization made visible has another name, too, but keeps its arguments. */
static bool is_clone(const char *symbol_name)
{
	const char *suffix = strchr(symbol_name, '.');

	return suffix && !starts_with(suffix, ".llvm.");
}

/* Returns the function that a cold part belongs to; NULL: it is none, or that is not known. */
static const struct symbol *whole_of(const struct btf_object *object, const struct symbol *symbol)
{
	const char *suffix = strstr(symbol->name, COLD_PART);
	_cleanup_free_ char *name = NULL;

	if (!suffix || (suffix[strlen(COLD_PART)] && suffix[strlen(COLD_PART)] != '.') ||
	    is_ambiguous(object, symbol->name))
		return NULL;
	name = xstrndup(symbol->name, (size_t)(suffix - symbol->name));

	const struct symbol *whole =
		is_ambiguous(object, name) ? NULL : elf_image_symbol_named(object->image, name);

	return whole && symbol_is_function(whole) ? whole : NULL;
}

static const struct symbol *cold_part_of(const struct btf_object *object,
					 const struct symbol *symbol)
{
	_cleanup_free_ char *name = xasprintf("%s" COLD_PART, symbol->name);
	const struct symbol *part = is_ambiguous(object, symbol->name) || is_ambiguous(object, name)
					    ? NULL
					    : elf_image_symbol_named(object->image, name);

	return part && symbol_is_function(part) && part->address != symbol->address ? part : NULL;
}

/* Returns the symbol of the function that `address` is in, or NULL. */
static const struct symbol *function_symbol(const struct btf_object *object, uint64_t address)
{
	const struct symbol *symbol = elf_image_function_at(object->image, address);

	if (!symbol || address - symbol->address >= symbol->size)
		return NULL;

	const struct symbol *whole = whole_of(object, symbol);

	return whole ?: symbol;
}

static bool function_entry(struct debug_reader *reader, uint64_t address, uint64_t *entry,
			   uint64_t *size)
{
	const struct symbol *symbol = function_symbol(btf_object_of(reader), address);

	if (!symbol)
		return false;
	*entry = symbol->address;
	*size = symbol->size;
	return true;
}

static const struct prototype *create_prototype(struct btf_object *object,
						const struct btf_record *function, bool clone)
{
	struct prototype *result = arena_alloc(&object->types.table->arena, sizeof(*result));
	const struct type *type = btf_type(&object->types, function->type);

	*result = (struct prototype){ .name = function->name };
	if (type->kind != TYPE_FUNCTION)
		return result; /* damaged */
	result->return_type = type_target(type);
	if (clone)
		return result;
	result->parameters = type_parameters(type, &result->parameter_count);
	result->variadic = type->flags & TYPE_VARIADIC;
	result->prototyped = true;
	return result;
}

static const struct prototype *prototype_of_id(struct btf_object *object, uint32_t id, bool clone)
{
	uint64_t key = (uint64_t)id << 1 | clone;
	const struct prototype *found = concurrent_map_find(&object->prototypes, key);
	struct btf_record record;

	if (found || !btf_record_at(object->btf->file, id, &record))
		return found;
	type_table_lock(object->types.table);
	found = concurrent_map_find(&object->prototypes, key);
	if (!found) {
		found = create_prototype(object, &record, clone);
		concurrent_map_insert(&object->prototypes, key, (void *)found);
	}
	type_table_unlock(object->types.table);
	return found;
}

static const struct type *type_of_id(struct btf_object *object, uint32_t id)
{
	struct btf_record record;

	return btf_record_at(object->btf->file, id, &record) ? btf_type(&object->types, record.type)
							     : NULL;
}

/* Returns the prototype that all functions of this name have; NULL: none or they differ. */
static const struct prototype *find_prototype(struct btf_object *object, const char *name,
					      bool clone)
{
	uint32_t ids[BTF_NAMESAKES_MAX];
	size_t count = btf_find(object->btf, name, 1u << BTF_KIND_FUNC, ids);

	for (size_t i = 1; i < count; i++)
		if (type_of_id(object, ids[i]) != type_of_id(object, ids[0]))
			return NULL;
	return count && count < BTF_NAMESAKES_MAX ? prototype_of_id(object, ids[0], clone) : NULL;
}

static const struct prototype *prototype_of_symbol(struct btf_object *object,
						   const struct symbol *symbol)
{
	_cleanup_free_ char *name = written_name(symbol->name);

	if (is_ambiguous(object, symbol->name) || is_ambiguous(object, name))
		return NULL;
	return find_prototype(object, name, is_clone(symbol->name));
}

static const struct prototype *btf_prototype_named(struct debug_reader *reader, const char *name,
						   uint64_t from_address _unused_)
{
	struct btf_object *object = btf_object_of(reader);

	return is_ambiguous(object, name) ? NULL : find_prototype(object, name, false);
}

static bool same_prototype(const struct prototype *left, const struct prototype *right)
{
	if (left->return_type != right->return_type ||
	    left->parameter_count != right->parameter_count ||
	    left->prototyped != right->prototyped)
		return false;
	return !any_of(i, 0, left->parameter_count,
		       left->parameters[i].type != right->parameters[i].type);
}

/* Returns the prototype of the function at an address; its names must agree; or NULL. */
static const struct prototype *btf_prototype_at(struct debug_reader *reader, uint64_t address,
						uint64_t from_address _unused_)
{
	struct btf_object *object = btf_object_of(reader);
	size_t count;
	const struct symbol *symbols = elf_image_symbols_at(object->image, address, &count);
	const struct prototype *result = NULL;

	for (size_t i = 0; i < count; i++) {
		const struct prototype *found = symbol_is_function(&symbols[i])
							? prototype_of_symbol(object, &symbols[i])
							: NULL;

		if (found && result && !same_prototype(found, result))
			return NULL;
		result = found ?: result;
	}
	return result;
}

static struct address_range range_of(const struct symbol *symbol)
{
	return (struct address_range){ symbol->address, symbol->address + symbol->size };
}

static struct function *btf_function_at(struct debug_reader *reader, uint64_t address)
{
	struct btf_object *object = btf_object_of(reader);
	const struct symbol *symbol = function_symbol(object, address);

	if (!symbol)
		return NULL;

	const struct symbol *cold = cold_part_of(object, symbol);
	struct address_range ranges[2] = { range_of(symbol) };
	struct function *function = xcalloc(1, sizeof(*function));
	struct scope scope = { 0 };

	function->range_count = 1;
	if (cold)
		ranges[function->range_count++] = range_of(cold);
	function->name = symbol->name;
	function->language = LANGUAGE_C;
	function->ranges =
		arena_copy(&function->arena, ranges, function->range_count * sizeof(*ranges));
	function->prototype = btf_prototype_at(reader, symbol->address, 0);
	function->frame_base.kind = FRAME_BASE_NONE;
	function->arguments_by_abi = true;
	scope.ranges = function->ranges;
	scope.range_count = function->range_count;
	function->scopes = arena_copy(&function->arena, &scope, sizeof(scope));
	function->scope_count = 1;
	if (object->inlined.count)
		btf_inlined_add(&object->types, &object->inlined, function);
	return function;
}

/* ---- variables: BTF_KIND_DATASEC says where in a section each BTF_KIND_VAR is ---- */

/* Finds the types of this name among these kinds, a set of 1 << BTF_KIND_*. */
static size_t types_of_kinds(struct btf_object *object, const char *name, uint32_t kinds,
			     const struct type **types, size_t capacity)
{
	uint32_t ids[BTF_NAMESAKES_MAX];
	struct type_query query;

	type_query_init(&query, name, types, capacity);
	for (const struct btf *btf = object->btf; btf; btf = btf->base) {
		size_t count = btf_names_find(btf->file, query.name, kinds, ids);

		for (size_t i = 0; i < count; i++)
			type_query_offer(&query, btf_type(&object->types, ids[i]));
	}
	type_query_deinit(&query);
	return query.count;
}

COMPARISON(compare_addresses, struct btf_variable, ASCENDING(address) ASCENDING(id))

static void btf_add_section(struct btf_object *object, struct btf_record *record, size_t *capacity)
{
	struct elf_section section;
	struct btf_item item;

	if (!record->name || !elf_image_section_named(object->image, record->name, &section))
		return;
	while (btf_record_next(record, &item)) {
		if (item.offset >= section.size || !item.size ||
		    item.size > section.size - item.offset || item.type == BTF_NOWHERE)
			continue;
		array_add(object->variables, object->variable_count, *capacity) =
			(struct btf_variable){ .address = section.address + item.offset,
					       .size = item.size,
					       .id = item.type };
	}
}

/* Finds whether the object is a kernel, and the variables of the file itself. Those of its base are
 * in the kernel's sections, not in the object's. */
static void find_variables(struct btf_object *object)
{
	const struct btf_file *file = object->btf->file;
	struct elf_section section;
	struct btf_record record;
	size_t capacity = 0;

	object->is_kernel = elf_image_type(object->image) == ET_EXEC &&
			    elf_image_section_named(object->image, ".data..percpu", &section);

	for (uint32_t id = btf_file_first(file); id < btf_file_end(file); id++)
		if (btf_record_at(file, id, &record) && record.kind == BTF_KIND_DATASEC)
			btf_add_section(object, &record, &capacity);
	array_sort(object->variables, object->variable_count, compare_addresses);
}

static bool btf_describe(struct btf_object *object, const struct btf_variable *variable,
			 struct global *result)
{
	struct btf_record record;

	if (!btf_record_at(object->btf->file, variable->id, &record) || record.kind != BTF_KIND_VAR)
		return false;
	*result = (struct global){
		.name = record.name,
		.type = btf_type(&object->types, record.type),
		.address = variable->address,
		.size = variable->size,
	};
	return true;
}

/* Returns the only type of this name, or NULL if there are none or several. */
static const struct type *btf_type_named(struct btf_object *object, const char *name)
{
	static const struct {
		const char *gcc;
		const char *clang;
	} integers[] = { { "long unsigned int", "unsigned long" }, { "long int", "long" } };
	const uint32_t kinds = NAMED_KINDS | 1u << BTF_KIND_INT;
	const struct type *type;

	if (types_of_kinds(object, name, kinds, &type, 1) == 1)
		return type;
	for (size_t i = 0; i < COUNT_OF(integers); i++) {
		if (strcmp(integers[i].gcc, name) == 0 &&
		    types_of_kinds(object, integers[i].clang, kinds, &type, 1) == 1)
			return type;
	}
	return NULL;
}

/* Returns an array type with as many elements as fit in `size` bytes. */
static const struct type *array_of(const struct type *element, uint64_t size)
{
	uint64_t count = size / type_size_or(element, 0);
	struct type_key key = { .kind = TYPE_ARRAY,
				.target = element,
				.size = count * type_size_or(element, 0),
				.array_count = count };

	return type_table_find(element->table, &key);
}

/* Describes a variable by a kernel's header, if BTF has the type and the size fits. */
static bool declared(struct btf_object *object, const struct symbol *symbol, struct global *result)
{
	const char *name = object->is_kernel ? kernel_type_of(symbol->name) : NULL;
	bool is_array = name && strlen(name) > 2 && strcmp(name + strlen(name) - 2, "[]") == 0;
	_cleanup_free_ char *element = is_array ? xstrndup(name, strlen(name) - 2) : NULL;
	const struct type *type = name ? btf_type_named(object, is_array ? element : name) : NULL;

	if (!type || !type_size_or(type, 0) || type_size_or(type, 0) > symbol->size)
		return false;
	if (is_array)
		type = array_of(type, symbol->size);
	*result = (struct global){ .name = symbol->name,
				   .type = type,
				   .address = symbol->address,
				   .size = type_size_or(type, 0) };
	return true;
}

static bool declared_at(struct btf_object *object, uint64_t address, struct global *result)
{
	const struct symbol *symbol = elf_image_object_at(object->image, address);

	return symbol && declared(object, symbol, result) &&
	       address - result->address < result->size;
}

static bool btf_global_at(struct debug_reader *reader, uint64_t address,
			  uint64_t from_address _unused_, struct global *result)
{
	struct btf_object *object = btf_object_of(reader);
	size_t after = partition_point(0, object->variable_count, i,
				       object->variables[i].address <= address);
	const struct btf_variable *variable = after ? &object->variables[after - 1] : NULL;

	if (variable && address - variable->address < variable->size &&
	    btf_describe(object, variable, result))
		return true;
	return declared_at(object, address, result);
}

static bool btf_global_named(struct debug_reader *reader, const char *name,
			     uint64_t from_address _unused_, struct global *result)
{
	struct btf_object *object = btf_object_of(reader);
	const struct btf_variable *found = NULL;
	uint32_t ids[BTF_NAMESAKES_MAX];
	size_t count = btf_names_find(object->btf->file, name, 1u << BTF_KIND_VAR, ids);

	if (count != 1)
		return false; /* static variables of several units have this name */
	for (size_t i = 0; i < object->variable_count; i++)
		if (object->variables[i].id == ids[0])
			found = &object->variables[i];
	return found && btf_describe(object, found, result);
}

/*
 * ---- whether the BTF belongs to the object ----
 *
 * BTF has no build id, so it is compared with the object: the addresses of variables (a kernel of
 * another version or configuration has its per-cpu variables elsewhere), and the names of functions
 * (those of a module's BTF on top of the wrong base are taken from the wrong places).
 */

/* A few missing functions prove nothing: a clone may have replaced the function of that name. */
#define FEWEST_FUNCTIONS 4

/* Counts of the unique names on which the BTF and the object agree, and of the others. */
struct agreement {
	size_t same, other;
};

static bool is_variable(const struct symbol *symbol)
{
	return symbol->type == STT_OBJECT || symbol->type == STT_NOTYPE;
}

static struct agreement compare_variables(const struct btf_object *object)
{
	struct agreement result = { 0 };
	struct btf_record record;

	array_each (const struct btf_variable, variable, object->variables,
		    object->variable_count) {
		if (!btf_record_at(object->btf->file, variable->id, &record) || !record.name)
			continue;
		const struct symbol *symbol = elf_image_symbol_named(object->image, record.name);

		if (!symbol || !is_variable(symbol))
			continue;
		result.same += symbol->address == variable->address;
		result.other += symbol->address != variable->address;
	}
	return result;
}

static struct agreement btf_compare_functions(const struct btf_object *object)
{
	const struct btf_file *file = object->btf->file;
	struct agreement result = { 0 };
	struct btf_record record;

	for (uint32_t id = btf_file_first(file); id < btf_file_end(file); id++) {
		if (!btf_record_at(file, id, &record) || record.kind != BTF_KIND_FUNC ||
		    !record.name)
			continue;
		const bool same = has_function(object, record.name);

		result.same += same;
		result.other += !same;
	}
	return result;
}

/* Returns an error that says why the BTF cannot belong to this object, or NULL. */
static struct error *check_object(const struct btf_object *object)
{
	struct agreement variables = compare_variables(object), functions = { 0 };

	if (variables.other > variables.same)
		return error_create(ERROR_FORMAT,
				    "%s is not the BTF of %s: of %zu variables that both have, %zu "
				    "are elsewhere in it",
				    btf_path(object->btf), elf_image_path(object->image),
				    variables.same + variables.other, variables.other);
	if (object->btf->base)
		functions = btf_compare_functions(object);
	if (functions.other > functions.same && functions.other >= FEWEST_FUNCTIONS)
		return error_create(
			ERROR_FORMAT,
			"%s does not go on from %s: of its %zu functions, %zu are not in %s",
			btf_path(object->btf), btf_path(object->btf->base),
			functions.same + functions.other, functions.other,
			elf_image_path(object->image));
	return NULL;
}

/* ---- the object ---- */

static size_t types_named(struct debug_reader *reader, const char *name, const struct type **types,
			  size_t capacity)
{
	return types_of_kinds(btf_object_of(reader), name, NAMED_KINDS, types, capacity);
}

static struct debug_reader *btf_open_reader(void)
{
	return xcalloc(1, sizeof(struct debug_reader));
}

static void btf_close_reader(struct debug_reader *reader)
{
	free(reader);
}

static void btf_close_object(struct debug_object *base)
{
	struct btf_object *object = (struct btf_object *)base;

	concurrent_map_deinit(&object->prototypes);
	hash_map_deinit(&object->symbols);
	free_all(object->variables, object->inlined.items);
	btf_types_deinit(&object->types);
	free(object);
}

static const struct debug_operations operations = {
	.format = "btf",
	.close = btf_close_object,
	.open_reader = btf_open_reader,
	.close_reader = btf_close_reader,
	.function = btf_function_at,
	.function_entry = function_entry,
	.prototype_at = btf_prototype_at,
	.prototype_named = btf_prototype_named,
	.global_at = btf_global_at,
	.global_named = btf_global_named,
	.types_named = types_named,
	.types_called = types_named, /* C has no scopes */
};

struct error *btf_object_open(const struct elf_image *image, const struct btf *btf,
			      struct debug_object **result)
{
	struct btf_object *object = xcalloc(1, sizeof(*object));
	struct error *error;

	object->base.operations = &operations;
	object->image = image;
	object->btf = btf;
	btf_types_init(&object->types, btf);
	count_names(object);
	find_variables(object);
	btf_inlined_find(image, btf, &object->inlined);
	error = check_object(object);
	if (error)
		btf_close_object(&object->base);
	else
		*result = &object->base;
	return error;
}
