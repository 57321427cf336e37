/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What BPF programs need of the kernel's own types (/sys/kernel/btf/vmlinux): ids of functions, places of
 * members. Documentation/bpf/btf.rst in the kernel's tree describes the format.
 */
#ifndef DTPROF_RECORD_KERNEL_BTF_H
#define DTPROF_RECORD_KERNEL_BTF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "profiler/base/error.h"

struct kernel_btf;

/* ERROR_NOT_FOUND if the kernel has none. */
struct error *kernel_btf_open(const char *path, struct kernel_btf **result);
/* The same from memory, which is copied. */
struct error *kernel_btf_open_memory(const void *data, size_t size, struct kernel_btf **result);
void kernel_btf_close(struct kernel_btf *btf);

/* The id of a function, or 0. */
uint32_t kernel_btf_function(const struct kernel_btf *btf, const char *name);
/* Offset in bytes of a member of a struct, also of one in its anonymous structs and unions; -1: there is
 * none. */
int64_t kernel_btf_member(const struct kernel_btf *btf, const char *structure, const char *member);

#endif
