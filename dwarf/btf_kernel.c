/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "dwarf/btf_kernel.h"

#include <stddef.h>
#include <string.h>

/* Declarations that have been the same for years; the header that each is in. */
static const struct {
	const char *name;
	const char *type;
} variables[] = {
	{ "boot_cpu_data", "struct cpuinfo_x86" },        /* arch/x86/include/asm/processor.h */
	{ "pv_ops", "struct paravirt_patch_template" },   /* arch/x86/include/asm/paravirt_types.h */
	{ "init_task", "struct task_struct" },            /* linux/sched/task.h */
	{ "init_mm", "struct mm_struct" },                /* linux/mm_types.h */
	{ "init_cred", "struct cred" },                   /* linux/init_task.h */
	{ "init_nsproxy", "struct nsproxy" },             /* linux/init_task.h */
	{ "init_pid_ns", "struct pid_namespace" },        /* linux/pid.h */
	{ "init_user_ns", "struct user_namespace" },      /* linux/cred.h */
	{ "init_net", "struct net" },                     /* net/net_namespace.h */
	{ "root_task_group", "struct task_group" },       /* kernel/sched/sched.h */
	{ "root_mem_cgroup", "struct mem_cgroup*" },      /* linux/memcontrol.h */
	{ "contig_page_data", "struct pglist_data" },     /* linux/mmzone.h */
	{ "tcp_hashinfo", "struct inet_hashinfo" },       /* net/tcp.h */
	{ "tcp_prot", "struct proto" },                   /* net/tcp.h */
	{ "ioport_resource", "struct resource" },         /* linux/ioport.h */
	{ "iomem_resource", "struct resource" },          /* linux/ioport.h */
	{ "blockdev_superblock", "struct super_block*" }, /* linux/fs.h */
	{ "system_wq", "struct workqueue_struct*" },      /* linux/workqueue.h */
};

const char *btf_kernel_type(const char *name)
{
	for (size_t i = 0; i < sizeof(variables) / sizeof(*variables); i++) {
		if (strcmp(variables[i].name, name) == 0)
			return variables[i].type;
	}
	return NULL;
}
