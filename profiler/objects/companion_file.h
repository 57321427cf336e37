/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The names and folders of companions that are found by build id. */
#ifndef DTPROF_OBJECTS_COMPANION_FILE_H
#define DTPROF_OBJECTS_COMPANION_FILE_H

#include "dwarf/elf/image.h"

/* Returns "xx/yyyy.dtp", as the companion of a build id is called in a folder of companions; to be
 * freed. */
char *companion_name(const struct build_id *id);
/* Returns the user's folder of companions, which may not exist, or NULL if there is no home; to be
 * freed. */
char *companion_cache_folder(void);
/* Makes the folder in the cache for the companion of a build id. ERROR_PERMISSION: others may write
 * to it, or to one above it. */
struct error *companion_cache_make(const struct build_id *id);

#endif
