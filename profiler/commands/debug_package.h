/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The package with an object's debug information, by the list of files of dpkg and by the names
 * that Debian and Ubuntu give such packages. Nothing is asked of a network. */
#ifndef DTPROF_COMMANDS_DEBUG_PACKAGE_H
#define DTPROF_COMMANDS_DEBUG_PACKAGE_H

#include <stddef.h>

/*
 * Sets names[i] to the package with the debug information of the file paths[i] ("libc6-dbg",
 * "zlib1g-dbgsym"), or to NULL if no package owns the file. The caller frees the names.
 */
void debug_packages_find(const char *const *paths, size_t count, char **names);

/* Returns the debuginfod server of this machine's distribution, by /etc/os-release. */
const char *debug_package_server(void);

#endif
