/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The names and folders of companions that are found by build id. */
#ifndef DTPROF_OBJECTS_COMPANION_FILE_H
#define DTPROF_OBJECTS_COMPANION_FILE_H

#include "base/error.h"
#include "dwarf/elf/image.h"

/* Returns "xx/yyyy.dtp", as the companion of a build id is called in a folder of companions; to be
 * freed. */
char *companion_name(const struct build_id *id);
/* Returns the path of a build id's companion in the user's cache, which may not exist, or NULL if
 * there is no home; to be freed. */
char *companion_cached(const struct build_id *id);
/* Makes the folder of the cache. ERROR_PERMISSION: others may write to it, or to one above it. */
struct error *companion_cache_make(void);

#endif
