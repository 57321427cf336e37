/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "dwarf/btf_kernel.h"

#include <stddef.h>
#include <string.h>

#include "profiler/base/search.h"

/* As gcc names it; clang says "unsigned long". */
#define UNSIGNED_LONG "long unsigned int"

/* Declarations that have been the same for years, by name; the header that each is in. */
static const struct {
	const char *name;
	const char *type;
} variables[] = {
	{ "__cpu_active_mask", "struct cpumask" },               /* linux/cpumask.h */
	{ "__cpu_online_mask", "struct cpumask" },               /* linux/cpumask.h */
	{ "__cpu_possible_mask", "struct cpumask" },             /* linux/cpumask.h */
	{ "__cpu_present_mask", "struct cpumask" },              /* linux/cpumask.h */
	{ "__default_kernel_pte_mask", "pteval_t" },             /* arch/x86/include/asm/pgtable_types.h */
	{ "__num_online_cpus", "atomic_t" },                     /* linux/cpumask.h */
	{ "__per_cpu_offset", UNSIGNED_LONG "[]" },              /* asm-generic/percpu.h */
	{ "__supported_pte_mask", "pteval_t" },                  /* arch/x86/include/asm/pgtable_types.h */
	{ "_totalram_pages", "atomic_long_t" },                  /* linux/mm.h */
	{ "acpi_gbl_FADT", "struct acpi_table_fadt" },           /* acpi/acpixf.h */
	{ "apic", "struct apic*" },                              /* arch/x86/include/asm/apic.h */
	{ "apparmor_blob_sizes", "struct lsm_blob_sizes" },      /* security/apparmor/include/lib.h */
	{ "arp_tbl", "struct neigh_table" },                     /* net/arp.h */
	{ "blackhole_netdev", "struct net_device*" },            /* linux/netdevice.h */
	{ "blockdev_superblock", "struct super_block*" },        /* linux/fs.h */
	{ "boot_cpu_data", "struct cpuinfo_x86" },               /* arch/x86/include/asm/processor.h */
	{ "cgrp_dfl_root", "struct cgroup_root" },               /* linux/cgroup.h */
	{ "contig_page_data", "struct pglist_data" },            /* linux/mmzone.h */
	{ "cpu_khz", "unsigned int" },                           /* arch/x86/include/asm/tsc.h */
	{ "def_root_domain", "struct root_domain" },             /* linux/sched.h */
	{ "futex_q_init", "struct futex_q" },                    /* kernel/futex/futex.h */
	{ "gfp_allowed_mask", "gfp_t" },                         /* linux/gfp.h */
	{ "highest_memmap_pfn", UNSIGNED_LONG },                 /* mm/internal.h */
	{ "huge_zero_folio", "struct folio*" },                  /* linux/huge_mm.h */
	{ "huge_zero_page", "struct page*" },                    /* linux/huge_mm.h */
	{ "huge_zero_pfn", UNSIGNED_LONG },                      /* linux/huge_mm.h */
	{ "inet_dgram_ops", "struct proto_ops" },                /* net/inet_common.h */
	{ "inet_stream_ops", "struct proto_ops" },               /* net/inet_common.h */
	{ "init_cgroup_ns", "struct cgroup_namespace" },         /* linux/cgroup.h */
	{ "init_cred", "struct cred" },                          /* linux/init_task.h */
	{ "init_css_set", "struct css_set" },                    /* linux/cgroup.h */
	{ "init_files", "struct files_struct" },                 /* linux/fdtable.h */
	{ "init_fs", "struct fs_struct" },                       /* linux/fs_struct.h */
	{ "init_ipc_ns", "struct ipc_namespace" },               /* linux/ipc_namespace.h */
	{ "init_mm", "struct mm_struct" },                       /* linux/mm_types.h */
	{ "init_net", "struct net" },                            /* net/net_namespace.h */
	{ "init_nsproxy", "struct nsproxy" },                    /* linux/init_task.h */
	{ "init_pid_ns", "struct pid_namespace" },               /* linux/pid.h */
	{ "init_task", "struct task_struct" },                   /* linux/sched/task.h */
	{ "init_time_ns", "struct time_namespace" },             /* linux/time_namespace.h */
	{ "init_user_ns", "struct user_namespace" },             /* linux/cred.h */
	{ "init_uts_ns", "struct uts_namespace" },               /* linux/uts_namespace.h */
	{ "iomem_resource", "struct resource" },                 /* linux/ioport.h */
	{ "ioport_resource", "struct resource" },                /* linux/ioport.h */
	{ "ipv6_stub", "struct ipv6_stub*" },                    /* net/ipv6_stubs.h */
	{ "jiffies", UNSIGNED_LONG },                            /* linux/jiffies.h */
	{ "jiffies_64", "u64" },                                 /* linux/jiffies.h */
	{ "kmalloc_caches", "struct kmem_cache*[]" },            /* linux/slab.h */
	{ "max_pfn", UNSIGNED_LONG },                            /* linux/memblock.h */
	{ "mem_section", "struct mem_section**" },               /* linux/mmzone.h, on x86-64 */
	{ "mmap_min_addr", UNSIGNED_LONG },                      /* linux/security.h */
	{ "mount_lock", "seqlock_t" },                           /* fs/mount.h */
	{ "names_cachep", "struct kmem_cache*" },                /* linux/fs.h */
	{ "node_data", "struct pglist_data*[]" },                /* asm/mmzone.h */
	{ "node_states", "nodemask_t[]" },                       /* linux/nodemask.h */
	{ "nr_cpu_ids", "unsigned int" },                        /* linux/cpumask.h */
	{ "nr_node_ids", "unsigned int" },                       /* linux/nodemask.h */
	{ "nr_swap_pages", "atomic_long_t" },                    /* linux/swap.h */
	{ "oops_in_progress", "int" },                           /* linux/printk.h */
	{ "page_group_by_mobility_disabled", "int" },            /* linux/mmzone.h */
	{ "page_offset_base", UNSIGNED_LONG },                   /* arch/x86/include/asm/page_64.h */
	{ "percpu_counter_batch", "int" },                       /* linux/percpu_counter.h */
	{ "pgdir_shift", "unsigned int" },                       /* arch/x86/include/asm/pgtable_64_types.h */
	{ "phys_base", UNSIGNED_LONG },                          /* arch/x86/include/asm/page_64.h */
	{ "physical_mask", "phys_addr_t" },                      /* arch/x86/include/asm/page_types.h */
	{ "policy_zone", "enum zone_type" },                     /* linux/mempolicy.h */
	{ "ptrs_per_p4d", "unsigned int" },                      /* arch/x86/include/asm/pgtable_64_types.h */
	{ "pv_ops", "struct paravirt_patch_template" },          /* arch/x86/include/asm/paravirt_types.h */
	{ "rename_lock", "seqlock_t" },                          /* linux/dcache.h */
	{ "root_mem_cgroup", "struct mem_cgroup*" },             /* linux/memcontrol.h */
	{ "root_task_group", "struct task_group" },              /* kernel/sched/sched.h */
	{ "root_user", "struct user_struct" },                   /* linux/sched/user.h */
	{ "security_hook_heads", "struct security_hook_heads" }, /* linux/lsm_hooks.h */
	{ "selinux_blob_sizes", "struct lsm_blob_sizes" },       /* security/selinux/include/objsec.h */
	{ "selinux_state", "struct selinux_state" },             /* security/selinux/include/security.h */
	{ "sme_me_mask", "u64" },                                /* arch/x86/include/asm/mem_encrypt.h */
	{ "stack_guard_gap", UNSIGNED_LONG },                    /* linux/mm.h */
	{ "static_key_initialized", "bool" },                    /* linux/jump_label.h */
	{ "sysctl_max_map_count", "int" },                       /* linux/mm.h */
	{ "sysctl_overcommit_memory", "int" },                   /* linux/mman.h */
	{ "system_highpri_wq", "struct workqueue_struct*" },     /* linux/workqueue.h */
	{ "system_long_wq", "struct workqueue_struct*" },        /* linux/workqueue.h */
	{ "system_state", "enum system_states" },                /* linux/kernel.h */
	{ "system_unbound_wq", "struct workqueue_struct*" },     /* linux/workqueue.h */
	{ "system_wq", "struct workqueue_struct*" },             /* linux/workqueue.h */
	{ "tasklist_lock", "rwlock_t" },                         /* linux/sched/task.h */
	{ "tcp_hashinfo", "struct inet_hashinfo" },              /* net/tcp.h */
	{ "tcp_memory_allocated", "atomic_long_t" },             /* net/tcp.h */
	{ "tcp_memory_pressure", UNSIGNED_LONG },                /* net/tcp.h */
	{ "tcp_prot", "struct proto" },                          /* net/tcp.h */
	{ "tcpv6_prot", "struct proto" },                        /* net/transp_v6.h */
	{ "total_swap_pages", "long int" },                      /* linux/swap.h */
	{ "transparent_hugepage_flags", UNSIGNED_LONG },         /* linux/huge_mm.h */
	{ "tsc_khz", "unsigned int" },                           /* arch/x86/include/asm/tsc.h */
	{ "udp_prot", "struct proto" },                          /* net/udp.h */
	{ "udp_table", "struct udp_table" },                     /* net/udp.h */
	{ "vm_committed_as", "struct percpu_counter" },          /* linux/mman.h */
	{ "vm_node_stat", "atomic_long_t[]" },                   /* linux/vmstat.h */
	{ "vm_zone_stat", "atomic_long_t[]" },                   /* linux/vmstat.h */
	{ "vmalloc_base", UNSIGNED_LONG },                       /* arch/x86/include/asm/page_64.h */
	{ "vmemmap_base", UNSIGNED_LONG },                       /* arch/x86/include/asm/page_64.h */
	{ "x86_platform", "struct x86_platform_ops" },           /* arch/x86/include/asm/x86_init.h */
	{ "x86_pmu", "struct x86_pmu" },                         /* arch/x86/events/perf_event.h */
	{ "zero_pfn", UNSIGNED_LONG },                           /* linux/pgtable.h */
};

const char *btf_kernel_type(const char *name)
{
	const size_t count = sizeof(variables) / sizeof(*variables);
	size_t found = partition_point(0, count, i, strcmp(variables[i].name, name) < 0);

	return found < count && strcmp(variables[found].name, name) == 0 ? variables[found].type : NULL;
}
