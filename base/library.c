// SPDX-License-Identifier: GPL-2.0-or-later
/* Implements library.h. */
#include "base/library.h"

#include <link.h>
#include <sys/mman.h>

#include "base/memory.h"

/* Gives back the memory of the pages of a library that only the loader read: its relocations. */
static int drop_relocations(struct dl_phdr_info *library, size_t size _unused_, void *data _unused_)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), start = 0, end = 0;

	for (size_t i = 0; i < library->dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &library->dlpi_phdr[i];
		const ElfW(Dyn) *entry = (const void *)(library->dlpi_addr + segment->p_vaddr);

		for (; segment->p_type == PT_DYNAMIC && entry->d_tag != DT_NULL; entry++)
			if (entry->d_tag == DT_RELA)
				start = entry->d_un.d_ptr;
			else if (entry->d_tag == DT_RELASZ)
				end = entry->d_un.d_val;
	}
	end = (start + end) / page * page;
	/* a C library that leaves the address as it is in the file gives one below the library */
	if (start > library->dlpi_addr && start + page <= end)
		(void)madvise((void *)round_up(start, page), end - round_up(start, page),
			      MADV_DONTNEED);
	return 0;
}

void libraries_drop_relocations(void)
{
	dl_iterate_phdr(drop_relocations, NULL);
}
